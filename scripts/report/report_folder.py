# SPDX-License-Identifier: Apache-2.0
"""Puts a finished report in its place, all files together: what was there before is replaced only then."""
import gzip
import json
import os
import pathlib
import shutil
import tempfile

from report_error import ReportError

MARK = "run.json"  # What makes a folder a report.
TRACE = "trace.json.gz"
FILES = {MARK, TRACE, "dla_info.csv", "index.html", "report.md", "sensitivity.html", "sensitivity.json"}


def _check_target(folder):
    """Refuses to replace a folder that holds something else."""
    if folder.exists() and not folder.is_dir():
        raise ReportError(f"{folder}: a file is in the way; choose another folder")
    if folder.is_dir() and folder.samefile("."):
        raise ReportError(f"{folder}: is the folder that this runs in, which can't be replaced; choose another folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise ReportError(f"{folder}: holds something that is no report; choose another folder")


class ReportFolder:
    """`with ReportFolder(folder) as files: files.write(...)`: nothing of it is left behind unless all of it was
    written.

    With `keep` false nothing is left behind at all: it is only seen whether the folder can be written.
    """

    def __init__(self, folder, keep=True):
        self.folder, self.keep, self.temporary = pathlib.Path(folder), keep, None

    def __enter__(self):
        _check_target(self.folder)
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.temporary = pathlib.Path(tempfile.mkdtemp(prefix=f".{self.folder.name}.", dir=self.folder.parent))
            (self.temporary / "new").mkdir()
        except OSError as error:
            raise ReportError(f"{self.folder}: can't be written ({error.strerror}); choose another folder") from None
        return self

    def write(self, name, text):
        self._make(name, lambda path: path.write_text(text, encoding="utf-8", newline=""))

    def write_trace(self, trace, more=()):
        """A timeline, compressed. :param more: events that stand behind its own there"""
        events = "".join("," + json.dumps(event, separators=(",", ":")) + "\n" for event in more)

        def compress(path):
            with open(trace, "rb") as whole, open(path, "wb") as file:
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as made:
                    for line in whole:
                        made.write(events.encode() + line if line.startswith(b"]") else line)

        self._make(TRACE, compress)

    def _make(self, name, how):
        try:
            assert name in FILES
            how(self.temporary / "new" / name)
        except OSError as error:
            raise ReportError(
                f"{self.folder / name}: can't be written ({error.strerror}); nothing was kept of the report"
            ) from None

    def __exit__(self, kind, error, trace):
        try:
            if kind is None and self.keep:
                self._commit()
        finally:
            shutil.rmtree(self.temporary, ignore_errors=True)

    def _commit(self):
        """Renames. An older report is moved into the temporary folder and goes with it; what else was in its folder
        stays."""
        if self.folder.exists():
            os.rename(self.folder, self.temporary / "old")
            for path in (self.temporary / "old").iterdir():
                if path.name not in FILES:
                    os.rename(path, self.temporary / "new" / path.name)
        os.rename(self.temporary / "new", self.folder)
