# SPDX-License-Identifier: Apache-2.0
"""Tables of reports."""
from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """In Markdown, without a newline at its end."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [head, ["---"] * len(head), *rows])
