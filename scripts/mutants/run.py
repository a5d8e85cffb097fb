#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every change of the RTL against the tests and reports who notices it: run.py BUILD REPORT [NUMBER...].

BUILD is the build folder of the changed copy, with rtl/mutants.json in it; the report goes to the file REPORT. A test
fails, crashes or takes too long: that is a catch, and the next change is tried. Exit 1: the tests fail without a
change, a change went unnoticed that scripts/mutants/equivalent.txt gives no reason for, or one was noticed that it
calls invisible.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time
from dataclasses import dataclass

import report
from verdicts import read_verdicts

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# A test may take so many times what it takes without a change, and some seconds more on a busy machine.
PATIENCE, GRACE_S = 3, 5


@dataclass
class Check:
    """A test to run: `modules` are those that it can see, or all where empty."""

    group: str
    command: list
    variables: dict
    modules: frozenset = frozenset()
    seconds: float = 0.0

    @property
    def name(self):
        return pathlib.Path(self.command[0]).name

    def run(self, number, limit):
        """How it ended: passed, failed or hangs."""
        environment = {**os.environ, **self.variables, "MUTANT": str(number), "GTEST_FAIL_FAST": "1", "GTEST_BRIEF": "1"}
        try:
            done = subprocess.run(self.command, cwd=ROOT, env=environment, timeout=limit, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "hangs"
        return "passed" if done.returncode == 0 else "failed"


def read_checks(build, inside):
    """The table's tests, and a bench for each module that has one. `inside`: module -> all that are in it."""
    checks = []
    for line in (HERE / "tests.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            group, command, variables = (field.strip() for field in line.split("|"))
            program, *arguments = command.split()
            checks.append(Check(group, [str(build / "bin" / program), *arguments], dict(v.split("=") for v in variables.split())))
    for bench in sorted((ROOT / "testbench/rtl/units").glob("tb_*.cpp")):
        module = bench.stem[len("tb_"):]
        checks.append(Check("rtl", [str(build / "bin" / bench.stem)], {}, frozenset(inside.get(module, [])) | {module}))
    return checks


def time_without_change(checks):
    """Sorts the tests, quickest first. \\return the names of those that fail."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def measure(check):
            start = time.monotonic()
            if check.run(0, 600) != "passed":
                failed.append(check.name)
            check.seconds = time.monotonic() - start
        list(pool.map(measure, checks))
    checks.sort(key=lambda check: check.seconds)
    return failed


def first_catch(mutant, checks):
    """(test, how) that notices a change, or nothing."""
    for check in checks:
        if not check.modules or mutant["file"] in check.modules:
            how = check.run(mutant["number"], PATIENCE * check.seconds + GRACE_S)
            if how != "passed":
                return check, how
    return None


def run_all(mutants, checks):
    """number -> (test, how), or nothing; a line for each as it ends."""
    caught = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(first_catch, mutant, checks): mutant for mutant in mutants}
        for job in concurrent.futures.as_completed(jobs):
            mutant, catch = jobs[job], job.result()
            caught[mutant["number"]] = catch
            words = f"{catch[1]} {catch[0].name}" if catch else "passes all"
            print(f"[{len(caught)}/{len(mutants)}] {mutant['number']}: {words}", flush=True)
    return caught


def main():
    build, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    drawn = json.loads((build / "rtl/mutants.json").read_text(encoding="utf-8"))
    mutants = [m for m in drawn["mutants"] if not sys.argv[3:] or str(m["number"]) in sys.argv[3:]]
    start = time.monotonic()
    checks = read_checks(build, drawn["inside"])
    failed = time_without_change(checks)
    if failed:
        print(f"without a change of the RTL these fail: {', '.join(sorted(failed))}", file=sys.stderr)
        return 1
    caught = run_all(mutants, checks)
    verdicts = read_verdicts(HERE / "equivalent.txt")
    page = report.Page(drawn["seed"], mutants, caught, verdicts, checks, time.monotonic() - start)
    output.write_text(page.text(), encoding="utf-8")
    print(page.summary())
    faults = page.faults()
    faults += [f"equivalent.txt names a change that is not there: {name}" for name in verdicts.keys() - set(drawn["names"])]
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
