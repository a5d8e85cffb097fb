# SPDX-License-Identifier: Apache-2.0
"""The Makefile's variables: those of scripts/variables.txt, checked, with their defaults."""
import difflib
import functools
import os
import re
import signal
import sys
from typing import Iterable, NamedTuple, NoReturn

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MACHINES = "sim/spec/machines"
MOST_REPORTS = 3


class Row(NamedTuple):
    """A row of the table. `may_be` has choices with commas between, or names what a value is. `option` is one of fovea,
    with its value where the variable only says whether."""

    name: str
    default: str
    may_be: str
    option: str
    meaning: str


class Backend(NamedTuple):
    """A row of sim/common/backends.def, which says what each field is."""

    name: str
    libraries: str
    waves: str
    title: str
    choice: str

    def limit(self) -> str:
        """Which formats of waves it writes, in words; "" where it writes both."""
        formats = self.waves.split()
        return (
            ""
            if len(formats) > 1
            else f"{self.title} writes {formats[0].upper()} only"
            if formats
            else f"{self.title} writes no waves"
        )


def fail(name: str, why: str) -> NoReturn:
    """Ends the program with one line, and exit status 2."""
    print(f"{name}: {why}", file=sys.stderr)
    sys.exit(2)


def did_you_mean(typed: str, names: Iterable[str]) -> str:
    """As fovea says it: "; did you mean floor?"; "" where none is near."""
    return "".join(f"; did you mean {name}?" for name in difflib.get_close_matches(typed, names, 1))


def _read(path: str) -> str:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def read_def(path: str) -> list[list[str]]:
    """The rows of a table of the C++ sources, their fields without quotes."""
    rows = re.findall(r"^FOVEA_[A-Z_]+\((.*)\)$", _read(path), re.M)
    return [re.split(r" *, *", row.replace('"', "")) for row in rows]


def dram_presets() -> list[str]:
    return [row[0] for row in read_def("sim/spec/dram_presets.def")]


def backends() -> list[Backend]:
    return [Backend(*row) for row in read_def("sim/common/backends.def")]


def backend(name: str) -> Backend:
    """The backend of that name; the first one for ""."""
    return next(row for row in backends() if name in (row.name, ""))


@functools.cache
def read_rows() -> list[Row]:
    """The table, filled in from those of backends and memories."""
    known = backends()
    text = _read("scripts/variables.txt").replace(r"\|", ",")
    for name, words in (
        ("backends", ",".join(row.name for row in known)),
        ("presets", ",".join(dram_presets())),
        ("carriers", ", or ".join(row.choice for row in known)),
        ("formats", "".join(f", {row.limit()}" for row in known if row.limit())),
    ):
        text = text.replace(f"{{{name}}}", words)
    return [
        Row(*(field.strip() for field in line.split("|"))) for line in text.splitlines() if not line.startswith("#")
    ]


def wave_format(v: dict[str, str]) -> str:
    """BACKEND's own choice, the smaller one, where nobody says."""
    return v["VCD_FORMAT"] or backend(v["BACKEND"]).waves.split()[-1]


def options(v: dict[str, str], *names: str) -> list[str]:
    """The options of fovea that variables become, in the order of their names: of those that have a value."""
    rows = {row.name: row for row in read_rows()}
    words = []
    for row in (rows[name] for name in names):
        value = backend(v["BACKEND"]).name if row.name == "BACKEND" else v[row.name]
        if row.may_be == "0,1":
            words += row.option.split() if value == "1" else []
        elif value:
            words += [row.option, machine_file(value) if row.may_be == "machine" else value]
    return [word.replace("{format}", wave_format(v)) if "{format}" in word else word for word in words]


def machine_names() -> str:
    """Of the machines that ship, with commas between."""
    return ",".join(
        sorted(
            name.removesuffix(".json") for name in os.listdir(os.path.join(ROOT, MACHINES)) if name.endswith(".json")
        )
    )


def machine_file(machine: str) -> str:
    """The file of a machine, which is a name in sim/spec/machines or a file."""
    shipped = f"{MACHINES}/{machine}.json"
    return shipped if os.path.isfile(shipped) else machine


def _check_tensors(name: str, value: str) -> None:
    """Ends with one line unless it is a file, or name=file words with commas between whose files are there."""
    for word in [] if os.path.isfile(value) else value.split(","):
        if not any(os.path.isfile(word.split("=", most)[-1]) for most in (1, -1)):
            fail(f"{name}={word}", "no such file")


def _check_reports(name: str, value: str) -> None:
    """Ends with one line unless it is some folders with commas between that make report wrote."""
    folders = value.split(",")
    if len(folders) > MOST_REPORTS:
        fail(f"{name}={value}", f"{len(folders)} reports; give up to three, with commas between")
    for folder in folders:
        if not os.path.isfile(os.path.join(folder, "run.json")):
            fail(f"{name}={folder}", "no report; give a folder that make report wrote")


def _check(name: str, value: str, may_be: str) -> None:
    """Ends with one line unless the value is what the table says."""
    if may_be in ("text", "folder", "output"):
        return
    if may_be == "number":
        if not re.fullmatch("[0-9]{1,9}", value):
            fail(f"{name}={value}", "not a whole number from 0 to 999999999")
    elif may_be == "file":
        if not (os.path.isfile(value) and os.access(value, os.R_OK)):
            fail(f"{name}={value}", "no such file")
    elif may_be in ("tensors", "pictures"):
        if may_be == "tensors" or not os.path.isdir(value):
            _check_tensors(name, value)
    elif may_be == "reports":
        _check_reports(name, value)
    elif may_be == "machine":
        file = machine_file(value)
        if not (file.endswith(".json") and os.path.isfile(file)):
            near = did_you_mean(value, machine_names().split(","))
            fail(f"{name}={value}", f"no such machine; choose {machine_names()}, or give a JSON file{near}")
    elif value not in may_be.split(","):
        near = did_you_mean(value, may_be.split(","))
        fail(f"{name}={value}", f"unknown value; choose {may_be.replace(',', ' or ')}{near}")


def _check_combinations(v: dict[str, str]) -> None:
    """Ends with one line if two variables contradict each other."""
    if v["IMAGE"] and v["INPUT_RAW"]:
        fail("IMAGE and INPUT_RAW", "give one of them")
    if v["OUTPUT_RAW"] and not v["INPUT_RAW"]:
        fail("OUTPUT_RAW", "give INPUT_RAW too")
    if v["TUNE"] and not v["RECORDS"]:
        fail("TUNE", "give RECORDS too, the file to keep what is measured in")
    window = ("VCD_LAYER", "VCD_FROM", "VCD_CYCLES", "VCD_TRIGGER")
    if v["USE_VCD"] == "0" and any(v[name] for name in window):
        fail(f"{', '.join(window[:-1])} and {window[-1]}", "give USE_VCD=1 too")
    carrier = backend(v["BACKEND"])
    if v["USE_VCD"] == "1" and not carrier.waves:
        fail("USE_VCD=1", f"{carrier.limit()}; leave USE_VCD out")
    if v["VCD_FORMAT"] and v["VCD_FORMAT"] not in carrier.waves.split():
        other = "".join(f", or give BACKEND={row.name}" for row in backends() if v["VCD_FORMAT"] in row.waves.split())
        fail(f"VCD_FORMAT={v['VCD_FORMAT']}", f"{carrier.limit()}; leave VCD_FORMAT out{other}")


def _take_signals() -> None:
    """An interrupt and a closed pipe end the program without a traceback, as they end one that takes its place."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def load_variables() -> dict[str, str]:
    """All variables, checked; those that the environment lacks with their defaults, also there. Ends with one line at
    the first with a value that it may not have. Goes to the root of the repository, which paths are relative to."""
    os.chdir(ROOT)
    _take_signals()
    values = {}
    for row in read_rows():
        values[row.name] = os.environ.get(row.name) or row.default
        if values[row.name]:
            _check(row.name, values[row.name], row.may_be)
    _check_combinations(values)
    os.environ.update(values)
    return values
