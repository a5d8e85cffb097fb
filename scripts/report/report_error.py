# SPDX-License-Identifier: Apache-2.0
"""What a user can put right: ends the program with one line."""


class ReportError(Exception):
    """Its text names the thing, the place and what would work."""
