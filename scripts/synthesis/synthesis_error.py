# SPDX-License-Identifier: Apache-2.0
"""What ends a synthesis: its text is one line that names the thing and what is wrong with it."""


class SynthesisError(Exception):
    """Printed without a trace; the program then ends with code 1."""
