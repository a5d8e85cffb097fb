# SPDX-License-Identifier: Apache-2.0
"""Names that sim/spec/dla.json gives: the causes of a cycle, what they mean, and the columns of dla_info.csv."""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
_SPEC = json.loads((ROOT / "sim/spec/dla.json").read_text())
_DOCS = {register["name"]: register["doc"] for register in _SPEC["registers"]}

COLUMNS = _SPEC["csv"]["lab"] + [column["name"] for column in _SPEC["csv"]["own"]]
# Of one cycle, the first that applies: {"compute": "Cycles in which the array multiplied.", ...}.
CAUSES = {name[:-len("_CYCLES")].lower(): _DOCS[f"COUNT_{name}"] for name in _SPEC["counters"] if name.endswith("_CYCLES")}
