# SPDX-License-Identifier: Apache-2.0
"""Names that sim/spec/dla.json gives: the causes of a cycle, what they mean, and the columns of dla_info.csv."""
import json
import pathlib

_HERE = pathlib.Path(__file__).resolve().parent
ROOT = _HERE.parents[1]
_INSTALLED = _HERE / "dla.json"
_SPEC = json.loads((_INSTALLED if _INSTALLED.exists() else ROOT / "sim/spec/dla.json").read_text())
_DOCS = {register["name"]: register["doc"] for register in _SPEC["registers"]}

COLUMNS = _SPEC["csv"]["lab"] + [column["name"] for column in _SPEC["csv"]["own"]]
# Of one cycle, the first that applies: {"compute": "Cycles in which the array multiplied.", ...}.
CAUSES = {
    name[: -len("_CYCLES")].lower(): _DOCS[f"COUNT_{name}"] for name in _SPEC["counters"] if name.endswith("_CYCLES")
}
