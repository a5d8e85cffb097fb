# SPDX-License-Identifier: Apache-2.0
"""What a run needs, by the Makefile's variables: the network compiled, and the library of the device."""
import filecmp
import os
import re

from programs import said_by
from variables import backend, fail, machine_file


def option(name: str, value: str) -> list[str]:
    """An option of a program, where it has a value."""
    return [name, value] if value else []


def wave_format(v: dict[str, str]) -> str:
    """BACKEND's own choice, the smaller one, where nobody says."""
    return v["VCD_FORMAT"] or backend(v["BACKEND"]).waves.split()[-1]


def building_options(v: dict[str, str], target: str) -> list[str]:
    """Options of fovea that compile MODEL for a target, dla or cpu."""
    options = ["--rounding", v["ROUNDING"]]
    if target == "dla":
        options += [
            "--machine",
            machine_file(v["MACHINE"]),
            "--mapping",
            v["MAPPING"],
            "--optimize",
            v["OPTIMIZE"],
            "--slack",
            v["SLACK"],
            *option("--records", v["RECORDS"]),
            *option("--tune", v["TUNE"]),
        ]
    return options


def kept_options(v: dict[str, str], target: str) -> list[str]:
    """Those of fovea build, which runs on no memory and so is told which one records are for."""
    return building_options(v, target) + option("--dram", v["DRAM"] if target == "dla" and v["RECORDS"] else "")


def net_folder(v: dict[str, str], target: str) -> str:
    """The folder of MODEL compiled for a target; fovea compiles it if it is not kept."""
    carrier = "cpu" if target == "cpu" else backend(v["BACKEND"]).name
    return said_by(
        f"{v['BUILD']}/bin/fovea", "build", v["MODEL"], "--backend", carrier, *kept_options(v, target)
    ).rstrip("\n")


def _name_in(machine: str) -> str:
    """What a machine file calls itself."""
    with open(machine, encoding="utf-8") as file:
        name = re.search(r'"name" *: *"([^"]*)"', file.read())
    return name[1] if name else ""


def device_target(v: dict[str, str]) -> str:
    """The CMake target of BACKEND's library for MACHINE: with waves in it only where they are asked for."""
    carrier = backend(v["BACKEND"])
    if carrier.libraries != "machine_library":
        return f"fovea_{carrier.name}"
    return f"fovea_{carrier.name}_{_name_in(machine_file(v['MACHINE']))}" + (
        f"_{wave_format(v)}" if v["USE_VCD"] == "1" else ""
    )


def machines_with(v: dict[str, str], known: str) -> str:
    """The list of machines, CMake's FOVEA_MACHINES, with MACHINE in it where BACKEND has a library a machine. :param
    known: that of the build folder"""
    if backend(v["BACKEND"]).libraries != "machine_library":
        return known
    wanted = os.path.realpath(machine_file(v["MACHINE"]))
    for file in filter(os.path.isfile, map(machine_file, known.split(";"))):
        if os.path.realpath(file) == wanted or filecmp.cmp(file, wanted, shallow=False):
            return known
        if _name_in(file) == _name_in(wanted):
            fail(f"MACHINE={v['MACHINE']}", f"its name, {_name_in(wanted)}, is that of {file}; give it another")
    return f"{known};{wanted}"
