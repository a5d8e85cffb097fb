# SPDX-License-Identifier: Apache-2.0
"""The page of explorations: what fovea explore wrote, one beside the other."""
import json
import pathlib
import re

import palette
from report_error import ReportError
from templates import template

HERE = pathlib.Path(__file__).resolve().parent
MOST = 3  # Explorations: as many as have a colour.
_NEEDED = ("command", "axes", "networks", "minimize", "causes", "designs", "layers", "confirmed", "steps")


def read(folder):
    """The exploration of a folder, shorter: what machine files have alike stands once, areas are whole gates."""
    path = pathlib.Path(folder)
    try:
        found = json.loads((path / "exploration.json").read_text(encoding="utf-8"))
        found = {"label": path.resolve().name, **{name: found[name] for name in _NEEDED}}
        first = found["designs"][0]["fields"]
        alike = {
            name: first[name]
            for name in first
            if all(each["fields"].get(name) == first[name] for each in found["designs"])
        }
        found["fields"] = alike
        found["parts"] = sorted({part for each in found["designs"] for part in each["area"]})
        for each in found["designs"]:
            each["fields"] = {name: value for name, value in each["fields"].items() if name not in alike}
            each["area"] = [round(each["area"].get(part, 0)) for part in found["parts"]]
            each["cycles_by_network"] = [each["cycles_by_network"][name] for name in found["networks"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise ReportError(f"{folder}: no whole exploration.json; give a folder that fovea explore wrote") from None
    return found


def render(explorations):
    """The page as text: the first exploration, and others beside it."""
    data = json.dumps(explorations, separators=(",", ":"), ensure_ascii=False)
    return template("exploration.html.j2").render(
        found=explorations[0],
        others=explorations[1:],
        data=re.sub("[<>&]", lambda mark: f"\\u{ord(mark[0]):04x}", data),
        colours=palette.css(),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        script=(HERE / "exploration.js").read_text(encoding="utf-8"),
    )
