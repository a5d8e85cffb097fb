# SPDX-License-Identifier: Apache-2.0
"""The files that the repository holds or would hold once they are added: build products and output left out."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def repo_files():
    """Paths relative to ROOT, sorted. From git, or in an unpacked archive from the folders themselves."""
    git = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if git.returncode == 0:
        names = filter(None, git.stdout.split("\0"))
        return sorted({pathlib.Path(n) for n in names if (ROOT / n).is_file()})
    found = []
    for folder, folders, names in os.walk(ROOT):
        here = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [
            f
            for f in folders
            if f not in (".git", "__pycache__") and (here / f) not in map(pathlib.Path, ("build", "output"))
        ]
        found += [here / n for n in names]
    return sorted(found)


def text_of(path):
    """Contents of a text file, or None for a binary one."""
    data = (ROOT / path).read_bytes()
    return None if b"\0" in data else data.decode("utf-8")
