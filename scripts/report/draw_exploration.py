#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws index.html of a folder that fovea explore wrote, with those of other folders beside it."""
import pathlib
import sys

import exploration_page
from report_error import ReportError


def main(folders):
    try:
        if not 1 <= len(folders) <= exploration_page.MOST:
            raise ReportError(f"{len(folders)} explorations; 1 to {exploration_page.MOST} work")
        page = exploration_page.render(list(map(exploration_page.read, folders)))
        pathlib.Path(folders[0], "index.html").write_text(page, encoding="utf-8")
    except (ReportError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
