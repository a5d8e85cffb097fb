#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every change of the RTL against the tests and reports who notices it: run.py BUILD REPORT [NUMBER...].

BUILD is the build folder of the changed copy, with rtl/mutants.json in it; the report goes to the file REPORT. Tests
run from the quickest on, until one fails, crashes or takes too long. Exit 1: the tests fail without a change, or one
went unnoticed that scripts/mutants/equivalent.txt gives no reason for. A reason for one that was noticed, or is not
there any more, gets a line.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import report
from verdicts import read_verdicts

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# A test may compute so many times as long as it does without a change, and some seconds more. Computing, so that a busy
# machine makes no difference; one that only waits is ended too.
PATIENCE, GRACE_S, WAIT_S = 3, 2, 900


@dataclass
class Check:
    """A test to run: `modules` are those that it can see, or all where empty."""

    command: list
    variables: dict
    modules: frozenset = frozenset()
    seconds: float = 0.0

    @property
    def name(self):
        return pathlib.Path(self.command[0]).name

    def run(self, number):
        """How it ended, passed, failed or hangs, and the seconds that it computed."""
        with tempfile.TemporaryDirectory() as folder:
            return self._run_in(folder, number)

    def _run_in(self, folder, number):
        """`folder` is for its files: others run beside it."""
        environment = {
            **os.environ,
            **self.variables,
            "MUTANT": str(number),
            "GTEST_FAIL_FAST": "1",
            "GTEST_BRIEF": "1",
            "TEST_TMPDIR": folder,
        }
        limit = math.ceil(PATIENCE * self.seconds + GRACE_S) if number else WAIT_S
        limited = ["timeout", str(WAIT_S), "prlimit", f"--cpu={limit}", "--core=0", *self.command]
        process = subprocess.Popen(
            limited, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        if process.returncode == 0:
            return "passed", seconds
        return ("hangs" if process.returncode == 124 or seconds > limit - 1 else "failed"), seconds


def read_checks(build, inside):
    """The table's tests, and a bench for each module that has one. `inside`: module -> all that are in it."""
    checks = []
    for line in (HERE / "tests.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            command, variables = (field.strip() for field in line.split("|"))
            program, *arguments = command.split()
            checks.append(
                Check([str(build / "bin" / program), *arguments], dict(v.split("=") for v in variables.split()))
            )
    for bench in sorted((ROOT / "testbench/rtl/units").glob("tb_*.cpp")):
        module = bench.stem[len("tb_") :]
        checks.append(Check([str(build / "bin" / bench.stem)], {}, frozenset(inside.get(module, [])) | {module}))
    return checks


def time_without_change(checks):
    """Sorts the tests, quickest first. \\return the names of those that fail."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:

        def measure(check):
            how, check.seconds = check.run(0)
            if how != "passed":
                failed.append(check.name)

        list(pool.map(measure, checks))
    checks.sort(key=lambda check: check.seconds)
    return failed


def catch_of(mutant, checks):
    """(test, how) of the first that notices a change, or nothing."""
    for check in checks:
        if not check.modules or mutant["file"] in check.modules:
            how, _ = check.run(mutant["number"])
            if how != "passed":
                return check, how
    return None


def run_all(mutants, checks):
    """number -> what notices it, or nothing; a line for each as it ends."""
    caught = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(catch_of, mutant, checks): mutant for mutant in mutants}
        for job in concurrent.futures.as_completed(jobs):
            number, catch = jobs[job]["number"], job.result()
            caught[number] = catch
            words = f"{catch[1]} {catch[0].name}" if catch else "passes all"
            print(f"[{len(caught)}/{len(mutants)}] {number}: {words}", flush=True)
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
    gone = [
        f"equivalent.txt names a change that is not there: {name}" for name in verdicts.keys() - set(drawn["names"])
    ]
    for line in page.faults() + page.notes() + gone:
        print(line, file=sys.stderr)
    return 1 if page.faults() else 0


if __name__ == "__main__":
    sys.exit(main())
