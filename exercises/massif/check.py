# SPDX-License-Identifier: Apache-2.0
"""Solved: the numbers are right, and massif sees less memory at the peak than the limits."""
import re
import shutil

from exercise import NotSolved

COUNT = 90
# Bytes at the peak: of the heap, in which stdio's buffer is, and of heap and stack together.
LIMITS = {"heap": 5_500, "heap and stack": 9_000}


def peaks(text):
    """{what is counted: the most bytes of any snapshot} of a massif.out."""
    rows = re.findall(r"^mem_heap_B=(\d+)\nmem_heap_extra_B=(\d+)\nmem_stacks_B=(\d+)$", text, re.M)
    snapshots = [(int(heap) + int(extra), int(stack)) for heap, extra, stack in rows]
    return {"heap": max(heap for heap, _ in snapshots), "heap and stack": max(map(sum, snapshots))}


def check(task):
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is missing; scripts/install_packages valgrind installs it")
    task.must("it does not compile", *"cc -std=c11 -O0 -g -Wall -Werror fibonacci.c -o fibonacci".split())
    options = "--tool=massif --heap=yes --stacks=yes --time-unit=i --detailed-freq=1 --max-snapshots=1000"
    task.must("it fails", "valgrind", *options.split(), "--massif-out-file=massif.out", "./fibonacci")
    numbers = [int(word) for word in task.must("it fails", "./fibonacci").split()]
    wanted = [0, 1]
    while len(wanted) < COUNT:
        wanted.append(wanted[-1] + wanted[-2])
    if numbers != wanted:
        raise NotSolved(f"these are not the first {COUNT} Fibonacci numbers: {numbers[:8]} ...")
    counted = peaks((task.folder / "massif.out").read_text())
    rows = []
    for name, most in LIMITS.items():
        mark = "" if counted[name] <= most else "   <- too many"
        rows.append(f"{name:15} {counted[name]:>7,} B at the peak, at most {most:>5,}{mark}")
    if any(counted[name] > most for name, most in LIMITS.items()):
        raise NotSolved("the program takes\n" + "\n".join(rows))
    return "\n".join(rows)
