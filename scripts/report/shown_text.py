# SPDX-License-Identifier: Apache-2.0
"""Text of files as people may see it, as sim/spec/shown_text.h has it: nothing in it moves a terminal's cursor or turns
what stands beside it around."""
import re

# Controls; marks of direction and separators of lines; bytes that are no UTF-8.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def shown_text(text):
    """One line, with what is hidden as "\\x1b" and "\\u202e"."""
    return _HIDDEN.sub(
        lambda hidden: f"\\x{ord(hidden[0]):02x}" if hidden[0] < "\u0100" else f"\\u{ord(hidden[0]):04x}", text
    )


def shown_values(value):
    """What a JSON file holds, with its texts and keys shown."""
    if isinstance(value, str):
        return shown_text(value)
    if isinstance(value, list):
        return [shown_values(one) for one in value]
    return {shown_text(key): shown_values(one) for key, one in value.items()} if isinstance(value, dict) else value
