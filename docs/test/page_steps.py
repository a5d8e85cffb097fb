# SPDX-License-Identifier: Apache-2.0
"""What a page has its reader do, block by block, and doing it.

  ```sh test      is run; ```text output behind it must be in what was printed, line by line, `...` for anything
  ```sh long      the same, where make check_full runs the tests
  ```sh fails     the same, and must end with an error
  ```sh copy      is run in a copy of the repository with the recipes of docs/how_to.md (recipes_test.py)
  ```LANG file P  is written to the file P
"""
import os
import re
import subprocess

from repo_files import ROOT

PAGES = ROOT / "docs/tutorials"
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def commands(body):
    """The commands of a sh block: its lines, without comments, backslashes joined."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line for line in (re.sub(r"(^|\s)#.*", "", raw).strip() for raw in lines) if line]


def missing_line(expected, printed):
    """The first line of `expected` that is not in `printed` after the one before it; None if all are."""
    position = 0
    for line in filter(None, map(str.rstrip, expected.splitlines())):
        parts = [r"\s+".join(map(re.escape, part.split())) for part in line.split("...")]
        hit = re.compile(r"[^\n]*".join(parts)).search(printed, position)
        if not hit:
            return line
        position = hit.end()
    return None


def steps(text):
    """(kind, path of a file or "", body, the output that the page shows or None) of each block that does something."""
    found = [(f"{language} {marks}".split(), body) for language, marks, body in BLOCK.findall(text)]
    for (words, body), (after, shown) in zip(found, found[1:] + [([], None)]):
        if words[1:2] == ["file"]:
            yield "file", words[2], body, None
        elif words[:1] == ["sh"] and words[1:]:
            yield words[1], "", body, shown if after == ["text", "output"] else None


def follow(test, page, kinds, folder, build):
    """Writes the files of `page` in `folder` and runs its blocks of `kinds` there, with the programs of `build`;
    returns how many commands."""
    environment = {**os.environ, "INSTALL": "0", "BUILD": build}
    if page.parent == PAGES:  # The first tutorial puts them on the PATH.
        environment["PATH"] = f"{(folder / build / 'bin').resolve()}:{os.environ['PATH']}"
    ran = 0
    for kind, path, body, shown in steps(page.read_text()):
        if kind == "file":
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(body)
        if kind not in kinds:
            continue
        printed = ""
        for command in commands(body):
            with test.subTest(page=page.name, command=command):
                here = re.sub(r"\bbuild/release\b", build, command)
                done = subprocess.run(
                    ["bash", "-c", here],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    text=True,
                    capture_output=True,
                    env=environment,
                )
                test.assertEqual(done.returncode != 0, kind == "fails", done.stdout + done.stderr)
                printed += done.stdout + (done.stderr if kind == "fails" else "")
                ran += 1
        if shown is not None:
            with test.subTest(page=page.name, block=body):
                test.assertIsNone(missing_line(shown, printed), printed)
    return ran
