# SPDX-License-Identifier: Apache-2.0
"""Of which sources, and with which tools, something was made."""
import os
import re
import subprocess

VERSION_OPTIONS = {"yosys": "-V"}


def answer_of(*words: str) -> str | None:
    """What a program prints, without the white space around it; None where it fails, or is not here."""
    try:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout.strip()


def commit_of_sources(checkout: str = ".") -> str:
    """The last commit of the sources, reports aside, so that those made one after another name one; and whether they
    have changed since."""
    sources = ("--", ".", ":!reports")
    commit = answer_of("git", "-C", checkout, "log", "-1", "--format=%h", *sources)
    changed = commit and answer_of("git", "-C", checkout, "status", "--porcelain", "--untracked-files=no", *sources)
    return f"{commit}, with changes" if changed else commit or "unknown"


def version_of(tool: str) -> str | None:
    """Its name and the first version number that it says; None where it is not here."""
    found = re.search(r"\d[\d.]*\d", answer_of(tool, VERSION_OPTIONS.get(tool, "--version")) or "")
    return f"{os.path.basename(tool)} {found[0]}" if found else None
