# SPDX-License-Identifier: Apache-2.0
"""Colours by name, for light and for dark pages: CSS variables."""

# Name: (light, dark). A cause, a tensor or a level has one colour wherever it appears.
COLOURS = {
    "ink": ("#1c2430", "#e8ebf0"),
    "quiet": ("#5a6675", "#a5afbd"),
    "line": ("#d5dae1", "#3a4350"),
    "paper": ("#ffffff", "#171c24"),
    "compute": ("#2f6fb5", "#6aa8ec"),
    "psum": ("#d9722e", "#f09a5e"),
    "filter": ("#8259b5", "#b595e6"),
    "ifmap": ("#b8901b", "#e2c250"),
    "dram": ("#c23b47", "#f27a83"),
    "output": ("#2f8f6d", "#5fc7a0"),
    "residual": ("#b0558f", "#e39ac8"),
    "chip": ("#2f6fb5", "#6aa8ec"),
    "control": ("#858c97", "#969eaa"),
    "mac": ("#2f6fb5", "#6aa8ec"),
    "spad": ("#1f8a99", "#55c3d1"),
    "pe": ("#6c8f2f", "#a6ca66"),
    "glb": ("#a8642a", "#dba26c"),
    "idle": ("#e6e9ee", "#2a313c"),
    "good": ("#1b7f3b", "#63cf86"),
    "bad": ("#b3261e", "#ff8a80"),
}


def css():
    """The variables, for light and dark; print is light."""

    def block(index):
        return " ".join(f"--{name}: {pair[index]};" for name, pair in COLOURS.items())

    return (
        f":root {{ color-scheme: light dark; {block(0)} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{"
        f" {block(1)} }} }}\n"
    )
