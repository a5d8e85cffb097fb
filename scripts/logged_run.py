# SPDX-License-Identifier: Apache-2.0
"""Commands whose output is kept: one that has passed on the same sources is not run again, so that a run of many goes
on where it was ended."""
import hashlib
import os
import pathlib
import subprocess
import time

from programs import said_by


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def digest_of_sources() -> str:
    """Stands for the commit and what has changed since, reports aside."""
    trees = [line for line in said_by("git", "ls-tree", "HEAD").splitlines() if not line.endswith("\treports")]
    return _digest("\n".join([*trees, said_by("git", "diff", "HEAD", "--", ".", ":!reports")]))


def digest_of_paths(paths: list[str]) -> str:
    """The same of some git pathspecs, documents aside that are not named themselves."""
    named = [path for path in paths if path.endswith(".md")]
    files = said_by("git", "ls-tree", "-r", "HEAD", "--", *paths).splitlines()
    kept = [
        line
        for line in files
        if not line.split("\t")[1].startswith("reports/") and (not line.endswith(".md") or line.split("\t")[1] in named)
    ]
    changes = said_by("git", "diff", "HEAD", "--", *paths, ":!reports", ":!*.md")
    return _digest("\n".join([*kept, changes, said_by("git", "diff", "HEAD", "--", *named) if named else ""]))


def _last_words(log: pathlib.Path) -> list[str]:
    """What run_once() has left there: passed or failed, the key, and the seconds."""
    return log.read_text(errors="replace").split()[-3:] if log.exists() else []


def has_passed(command: str, log: pathlib.Path, sources: str) -> bool:
    """Whether the log is that of a success of this command on these sources."""
    return _last_words(log)[:2] == ["passed", f"{sources}-{_digest(command)}"]


def run_once(
    command: str, log: pathlib.Path, sources: str, environment: dict[str, str] | None = None
) -> tuple[str, int]:
    """(passed or failed, seconds) of a command of the shell; its output is in the log, whose last line says the same.
    Not run where that is the log of a success of this command on these sources."""
    key = f"{sources}-{_digest(command)}"
    words = _last_words(log)
    if not has_passed(command, log, sources):
        start = time.monotonic()
        with log.open("w") as file:
            done = subprocess.run(
                ["bash", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment,
            )
            words = ["failed" if done.returncode else "passed", key, f"{time.monotonic() - start:.0f}"]
            file.seek(0, os.SEEK_END)
            file.write(" ".join(words) + "\n")
    return words[0], int(words[2])
