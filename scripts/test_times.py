#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What each test takes: scripts/test_times.txt, from what scripts/run_check keeps of its runs in $BUILD/test_times.

    scripts/test_times.py           checks that the list names exactly the tests of $BUILD
    scripts/test_times.py --renew   writes the list; a test that has not run here keeps its row

Exit 1: a line says which tests are wrong, and what would mend it.
"""
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

LIST = pathlib.Path("scripts/test_times.txt")
HEAD = "# Seconds that each test took the last time: test | seconds. Written by scripts/test_times.py --renew."
BUILD = os.environ.get("BUILD") or "build/release"
RUNS = pathlib.Path(BUILD, "test_times")


def read_run(path: pathlib.Path) -> dict[str, float]:
    """Seconds of the tests that passed in a run, from ctest's JUnit file."""
    cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    return {case.attrib["name"]: float(case.attrib["time"]) for case in cases if case.get("status") == "run"}


def read_list() -> dict[str, float]:
    """The list; an empty one where there is no file."""
    rows = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return {
        name.strip(): float(seconds) for name, seconds in (row.split("|") for row in rows if not row.startswith("#"))
    }


def names_of_tests() -> set[str]:
    """All that ctest knows in $BUILD."""
    shown = subprocess.run(
        ["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, capture_output=True, text=True
    ).stdout
    return {test["name"] for test in json.loads(shown)["tests"]}


def renew(names: set[str]) -> dict[str, float]:
    """Writes the list and returns it: of several runs, the last one of each test counts."""
    times = read_list()
    for run in sorted(RUNS.glob("*.xml"), key=lambda path: path.stat().st_mtime):
        times |= read_run(run)
    times = {name: times[name] for name in sorted(names & times.keys())}
    LIST.write_text(
        "\n".join([HEAD, *(f"{name} | {seconds:.1f}" for name, seconds in times.items())]) + "\n", encoding="utf-8"
    )
    return times


def main(*options: str) -> int:
    if options not in ((), ("--renew",)):
        print(f"test_times.py {' '.join(options)}: unknown; --renew works", file=sys.stderr)
        return 2
    names = names_of_tests()
    listed = (renew(names) if options else read_list()).keys()
    unlisted, gone = sorted(names - listed), sorted(listed - names)
    if unlisted:
        print(
            f"{LIST} lacks {', '.join(unlisted)}: run them, scripts/run_check -R '^({'|'.join(unlisted)})$', then"
            " scripts/test_times.py --renew"
        )
    if gone:
        print(f"{LIST} names tests that are gone, {', '.join(gone)}: scripts/test_times.py --renew")
    return 1 if unlisted or gone else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
