# SPDX-License-Identifier: Apache-2.0
"""What a report says of how it was made, and writing it whole or not at all."""
import datetime
import hashlib
import os
import pathlib
import re
import shlex

import variables
from programs import answer_of

VERSION_OPTIONS = {"yosys": "-V"}
SEAL = re.compile(r"<!-- (passed|failed); digest ([0-9a-f]{12}) -->\n\Z")


def command_of(target: str, v: dict[str, str]) -> str:
    """The command that makes it again: the variables that are not at their defaults."""
    rows = [row for row in variables.read_rows() if row.name not in ("INSTALL", "BUILD") and v[row.name] != row.default]
    return " ".join(["make", target, *(f"{row.name}={shlex.quote(v[row.name])}" for row in rows)])


def commit_of_sources() -> str:
    """The last commit of the sources, reports aside, so that those made one after another name one; and whether they
    have changed since."""
    commit = answer_of("git", "log", "-1", "--format=%h", "--", ".", ":!reports")
    changed = commit and answer_of("git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!reports")
    return f"{commit}, with changes" if changed else commit or "unknown"


def version_of(tool: str) -> str:
    """The first version number that a tool says."""
    found = re.search(r"\d[\d.]*\d", answer_of(tool, VERSION_OPTIONS.get(tool, "--version")) or "")
    return f"{os.path.basename(tool)} {found[0] if found else 'unknown'}"


def made_by(target: str, v: dict[str, str], *tools: str) -> str:
    """The command, the day, the commit and the versions of tools, as reports begin."""
    return f"`{command_of(target, v)}` on {datetime.date.today()} at commit {commit_of_sources()}; " + ", ".join(
        version_of(tool) for tool in tools
    )


def seal(verdict: str, text: str) -> str:
    """The last line of a report: whether its command passed, and a digest by which a change by hand is noticed."""
    return f"<!-- {verdict}; digest {hashlib.sha256(f'{verdict}{text}'.encode()).hexdigest()[:12]} -->\n"


def write_report(path: str, text: str, passed: bool = True) -> None:
    """Seals it. Ends with one line where it can't be written. :param passed: whether its command ends with success"""
    verdict = "passed" if passed else "failed"
    part = pathlib.Path(f"{path}.part")
    try:
        part.parent.mkdir(exist_ok=True)
        part.write_text(text + seal(verdict, text), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        variables.fail(path, f"can't be written: {error.strerror}")
