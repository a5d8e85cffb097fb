# SPDX-License-Identifier: Apache-2.0
"""Running other programs: this one ends as they do where they fail."""
import os
import resource
import subprocess
import sys

from variables import fail


def _run(words: tuple[str, ...], stdout: int | None, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(words, env=os.environ | variables, stdout=stdout, text=True)
    except FileNotFoundError:
        fail(words[0], "no such program; is it built?")
    _end_as(done.returncode)
    return done


def _end_as(status: int) -> None:
    """Ends this program as another one that failed."""
    if status:
        sys.exit(status if status > 0 else 128 - status)


def run(*words: str, **variables: str) -> None:
    """Runs a program; `variables` are of its environment."""
    _run(words, None, variables)


def said_by(*words: str, **variables: str) -> str:
    """What a program prints."""
    return _run(words, subprocess.PIPE, variables).stdout


def shown_by(*words: str, **variables: str) -> str:
    """What a program prints, which is shown as it comes."""
    said = []
    try:
        with subprocess.Popen(words, env=os.environ | variables, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout
            for line in program.stdout:
                print(line, end="", flush=True)
                said.append(line)
    except FileNotFoundError:
        fail(words[0], "no such program; is it built?")
    _end_as(program.returncode)
    return "".join(said)


def processor_seconds(*words: str) -> float:
    """Of a program's run, whose output is dropped."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said_by(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def become(*words: str) -> None:
    """Runs a program in place of this one."""
    sys.stdout.flush()
    try:
        os.execvp(words[0], words)
    except FileNotFoundError:
        fail(words[0], "no such program; is it built?")


def lower_rtl(verilog: str) -> None:
    """Writes the RTL as Verilog; ends the program, and not as a failure, where there is no sv2v."""
    status = subprocess.run(["scripts/lower_rtl", verilog]).returncode
    if status:
        sys.exit(0 if status == 77 else status)
