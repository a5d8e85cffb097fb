# SPDX-License-Identifier: Apache-2.0
"""What the reports in reports/ say of themselves, whether they are fresh, and reports/README.md, which lists them."""
import dataclasses
import pathlib
import re

from markdown_table import markdown_table
from provenance import SEAL, answer_of, seal

ROWS = pathlib.Path("scripts/evidence.txt")
REPORTS = pathlib.Path("reports")
TABLE = REPORTS / "README.md"
HEAD = re.compile(
    r"`(make [^`]+)`(?: on (\d{4}-\d\d-\d\d))? at commit ([0-9a-f]{7,40}|unknown)(, with changes)?; \S+"
    r" (?:\d[\d.]*\d|unknown)\b"
)
FAILURE = re.compile(r"\b[1-9][\d,]* (?:failed|not caught|uncaught)\b|\| failed \|")
COLUMNS = ("report", "what it measures", "command", "commit", "date", "result", "it took", "state")
TOOK = COLUMNS.index("it took")


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of scripts/evidence.txt: `files` of reports/ that the last of some commands writes, the git pathspecs of
    what they measure."""

    name: str
    files: list[str]
    commands: list[str]
    measures: str
    paths: list[str]

    def reports(self) -> list[str]:
        return [file for file in self.files if file.endswith(".md")]


@dataclasses.dataclass(frozen=True)
class Report:
    """What a report says. `result` is passed, failed, with changes, mended by hand, or missing."""

    command: str = ""
    date: str = ""
    commit: str = ""
    result: str = "missing"
    is_sealed: bool = False


def read_rows() -> list[Row]:
    """In the order in which they are renewed."""
    lines = [line for line in ROWS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    fields = [[field.strip() for field in line.split("|")] for line in lines]
    return [
        Row(name, files.split(), [f"make {words.strip()}" for words in commands.split(";")], measures, paths.split())
        for name, files, commands, measures, paths in fields
    ]


def read_report(text: str) -> Report:
    """A report that does not begin as made_by() has it, or is not what its seal was made for, was mended by hand."""
    head = HEAD.match("\n".join(text.split("\n")[2:3]))
    if not head:
        return Report(result="mended by hand")
    command, date, commit, changes = head.groups()
    sealed = SEAL.search(text)
    if sealed and sealed[0] != seal(sealed[1], text[: sealed.start()]):
        result = "mended by hand"
    elif changes:
        result = "with changes"
    else:
        result = "failed" if FAILURE.search(text) or (sealed and sealed[1] == "failed") else "passed"
    return Report(command, date or "", commit, result, bool(sealed))


def report_in(file: str) -> Report:
    path = REPORTS / file
    return read_report(path.read_text(encoding="utf-8")) if path.exists() else Report()


def state_of(row: Row, report: Report, at: str = "HEAD") -> str:
    """Fresh, or why it is stale, as of a commit."""
    if not report.commit:
        return "stale"
    if not report.is_sealed:
        return "stale: no seal"
    if report.command != row.commands[-1]:
        return "stale: another command"
    if answer_of("git", "merge-base", "--is-ancestor", report.commit, at) is None:
        return "stale: unknown commit"
    commits = (
        answer_of("git", "log", "--format=%h", f"{report.commit}..{at}", "--", *row.paths, ":!*.md") or ""
    ).split()
    return f"stale: {len(commits)} commit{'s' * (len(commits) > 1)} since" if commits else "fresh"


def is_good(row: Row) -> bool:
    """Whether all of its reports passed and are fresh."""
    return all(
        (report.result, state_of(row, report)) == ("passed", "fresh") for report in map(report_in, row.reports())
    )


def is_of_these_sources(row: Row) -> bool:
    """Whether all of its reports passed on the sources as they are, reports aside."""
    return is_good(row) and all(
        answer_of("git", "diff", "--quiet", report_in(file).commit, "HEAD", "--", ".", ":!reports") is not None
        for file in row.reports()
    )


def cells(row: Row, file: str, took: str, at: str) -> list[str]:
    """A row of the table. :param at: the commit as of which it is fresh or stale"""
    report = report_in(file)
    command = f"`{report.command or row.commands[-1]}`"
    link = file if report.result == "missing" else f"[{file}]({file})"
    return [link, row.measures, command, report.commit, report.date, report.result, took, state_of(row, report, at)]


def table_text(rows: list[Row], took: dict[str, str], at: str) -> str:
    """reports/README.md. :param took: what the table is to say of a report's time"""
    lines = [cells(row, file, took.get(file, ""), at) for row in rows for file in row.reports()]
    return f"""\
# What was measured, and when

`make evidence` renews the reports that are stale or did not pass, one after another, and this table. Interrupted, it
resumes. A report is fresh if no commit since its own touches what it measures; the paths are in
[evidence.txt](../scripts/evidence.txt). The last column is as of commit {at}; `make evidence ONLY=none` prints today's.

{markdown_table(COLUMNS, lines)}
"""


def read_table(text: str) -> tuple[str, dict[str, str], list[list[str]]]:
    """What table_text() was given, the commit and the times, and the cells of its rows."""
    found = re.search(r"as of commit (\w+)", text)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")][
        2:
    ]
    return found[1] if found else "", {re.sub(r"\[(.*)\].*", r"\1", line[0]): line[TOOK] for line in lines}, lines
