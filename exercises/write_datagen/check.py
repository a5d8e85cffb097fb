# SPDX-License-Identifier: Apache-2.0
"""Solved: input.bin is what foveac dataset writes, and a C program that includes input.h has the same pictures, of
colours and of grey."""
from exercise import NotSolved, ROOT

PER_CLASS = 2
PROGRAM = """
#include <stdio.h>
#include <string.h>
#include "input.h"
int main(void) {
  static float pictures[INPUT_CLASSES * INPUT_PICTURES * INPUT_SIZE];
  FILE *file = fopen("input.bin", "rb");
  fseek(file, -(long)sizeof(pictures), SEEK_END);
  const int is_read = fread(pictures, sizeof(pictures), 1, file) == 1;
  printf("%d classes, %d pictures each, %d values", INPUT_CLASSES, INPUT_PICTURES, INPUT_SIZE);
  return is_read && memcmp(pictures, input_pictures, sizeof(pictures)) == 0 ? 0 : 1;
}
"""


def describe(given, wanted):
    place = next((i for i, (a, b) in enumerate(zip(given, wanted)) if a != b), min(len(given), len(wanted)))
    return f"{len(given):,} bytes, of {len(wanted):,}; byte {place} is the first that differs"


def of_channels(file, channels, plane):
    """An input.bin with the first planes of each picture; foveac writes three, of grey equal ones."""
    head = len(file) % plane
    planes = [file[at : at + channels * plane] for at in range(head, len(file), 3 * plane)]
    return file[: head - 4] + (channels * plane // 4).to_bytes(4, "little") + b"".join(planes)


def check_pictures(task, pictures, channels, side):
    """What is right about the files of a folder of pictures."""
    [foveac, package] = task.needs("bin/foveac", "python")
    run = ["env", f"PYTHONPATH={package}", "/usr/bin/python3", "-B", "datagen.py", pictures, PER_CLASS, channels, side]
    task.must("datagen.py does not run", *run)
    task.must("foveac writes none", foveac, "dataset", pictures, "--per-class", PER_CLASS, "-o", "wanted.bin")
    given, wanted = (task.folder / "input.bin").read_bytes(), (task.folder / "wanted.bin").read_bytes()
    wanted = of_channels(wanted, channels, 4 * side * side)
    if given != wanted:
        raise NotSolved(f"input.bin is not what foveac writes: {describe(given, wanted)}")
    (task.folder / "try.c").write_text(PROGRAM)
    task.must("input.h does not compile", "cc", "-std=c11", "-Wall", "-Werror", "try.c", "-o", "try")
    printed = task.must("input.h has other pictures than input.bin", "./try")
    return f"input.bin: {len(given):,} bytes, as foveac writes it\ninput.h: {printed}"


def check(task):
    [package] = task.needs("python")
    drawing = ROOT / "scripts/training/lenet_clothes.py"
    draw = ["env", f"PYTHONPATH={package}", "/usr/bin/python3", "-B", drawing, "grey", "--per-class", PER_CLASS]
    colours = check_pictures(task, ROOT / "models/samples", 3, 32)
    task.must("no grey pictures are drawn", *draw)
    return f"{colours}\n{check_pictures(task, task.folder / 'grey/pictures', 1, 28)}"
