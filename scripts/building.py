# SPDX-License-Identifier: Apache-2.0
"""What a run needs, by the Makefile's variables: the network compiled, and the library of the device."""
import filecmp
import os
import re

from programs import said_by
from variables import backend, fail, machine_file, options, wave_format

# What says how MODEL is read and compiled for any target, and for the accelerator.
READING = ("EXACT_TO", "SHAPE", "BATCH", "EXTERN")
COMPILING = ("ROUNDING", *READING, "MACHINE", "MAPPING", "OPTIMIZE", "SLACK", "RESIDENCY", "TUNING", "RECORDS", "TUNE")


def kept_options(v: dict[str, str], target: str) -> list[str]:
    """Of fovea build for a target, dla or cpu. It runs on no memory, and so is told which one records are for."""
    names = ("ROUNDING", *READING) if target == "cpu" else COMPILING + (("DRAM",) if v["RECORDS"] else ())
    return options(v, *names)


def net_folder(v: dict[str, str], target: str) -> str:
    """The folder of MODEL compiled for a target; it is compiled if it is not kept."""
    carrier = ["--backend", "cpu"] if target == "cpu" else options(v, "BACKEND")
    return said_by(f"{v['BUILD']}/bin/prepare", "build", v["MODEL"], *carrier, *kept_options(v, target)).rstrip("\n")


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
