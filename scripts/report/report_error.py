# SPDX-License-Identifier: Apache-2.0
"""What a user can put right: ends the program with one line."""
from shown_text import shown_text


class ReportError(Exception):
    """Its text names the thing, the place and what would work."""

    def __init__(self, text):
        super().__init__(shown_text(text))
