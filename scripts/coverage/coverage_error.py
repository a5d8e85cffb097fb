# SPDX-License-Identifier: Apache-2.0
"""What ends a summary of coverage: its text is one line that names the file or module and what is wrong with it."""


class CoverageError(Exception):
    """Printed without a trace; the program then ends with code 1."""
