# SPDX-License-Identifier: Apache-2.0
"""What a report says of how it was made, and writing it whole or not at all."""
import datetime
import hashlib
import pathlib
import re
import shlex
import sys

import variables

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "report"))
from versions import answer_of, commit_of_sources, version_of  # pylint: disable=unused-import

SEAL = re.compile(r"<!-- (passed|failed); digest ([0-9a-f]{12}) -->\n\Z")


def command_of(target: str, v: dict[str, str]) -> str:
    """The command that makes it again: the variables that are not at their defaults."""
    rows = [row for row in variables.read_rows() if row.name not in ("INSTALL", "BUILD") and v[row.name] != row.default]
    return " ".join(["make", target, *(f"{row.name}={shlex.quote(v[row.name])}" for row in rows)])


def made_by(target: str, v: dict[str, str], *tools: str) -> str:
    """The command, the day, the commit and the versions of tools, as reports begin."""
    return f"`{command_of(target, v)}` on {datetime.date.today()} at commit {commit_of_sources()}; " + ", ".join(
        version_of(tool) or f"{tool} unknown" for tool in tools
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
