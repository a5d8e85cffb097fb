# SPDX-License-Identifier: Apache-2.0
"""The area model of sim/spec/area.json: gates and memory bits of a machine from its geometry, and its fit to
syntheses."""
import itertools
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "sim/spec/area.json"

FUNCTIONS = {
    "floor_div": lambda a, b: a // b,
    "ceil_div": lambda a, b: -(-a // b),
    "log2_ceil": lambda a: (a - 1).bit_length(),
    "max": max,
    "min": min,
}


class AreaModel:
    """`description` is what area.json holds; fit() changes it."""

    def __init__(self, description):
        self.description = description
        self.groups = description["groups"]

    def quantities(self, geometry):
        """Every name that an expression may use. `geometry` holds the integers of a machine file."""
        names = dict(geometry)
        for quantity in self.description["quantities"]:
            names[quantity["name"]] = self._value(quantity["is"], names)
        return names

    def memories(self, geometry):
        """(name, how many, words, bits a word); what is too small for a memory is left out: it is flip-flops."""
        names = self.quantities(geometry)
        rows = [
            (one["name"], *(self._value(one[key], names) for key in ("count", "words", "bits")))
            for one in self.description["memories"]
        ]
        return [row for row in rows if row[2] * row[3] >= self.description["memory_bits"]]

    def memory_bits(self, geometry):
        return sum(count * words * bits for _, count, words, bits in self.memories(geometry))

    def gates(self, geometry):
        """Gates of each group, in the order of the file."""
        names = self.quantities(geometry)
        return {
            group["name"]: sum(term["gates"] * self._value(term["is"], names) for term in group["terms"])
            for group in self.groups
        }

    def group_of(self, unit):
        """The group that a unit of dla_top counts to; the one without a list takes what no other has."""
        rest = next(group["name"] for group in self.groups if group["units"] is None)
        return next((group["name"] for group in self.groups if unit in (group["units"] or ())), rest)

    def group_gates(self, figures):
        """Gates of each group in a synthesis: what scripts/synthesis/report.py's figures() wrote."""
        gates = {group["name"]: 0.0 for group in self.groups}
        for module in figures["modules"]:
            for unit, count in module["units"].items():
                gates[self.group_of(unit)] += count * module["gates"]
        return gates

    def fit(self, syntheses):
        """Chooses each group's gates a term: the smallest sum of squared errors, in parts of the machine's gates, and
        none below 0. `syntheses` hold a machine's geometry each, and its gates by group."""
        for group in self.groups:
            rows = []
            for one in syntheses:
                names, whole = self.quantities(one["machine"]), sum(one["gates"].values())
                rows.append(
                    (
                        [self._value(term["is"], names) / whole for term in group["terms"]],
                        one["gates"][group["name"]] / whole,
                    )
                )
            for term, gates in zip(group["terms"], least_squares(rows)):
                term["gates"] = float(f"{gates:.4g}")

    def machines(self):
        """Those that it is fitted to, then those that it is checked on."""
        return self.description["fitted_to"] + self.description["checked_on"]

    def write(self, path=FILE):
        path.write_text(text_of(self.description) + "\n", encoding="utf-8")

    @staticmethod
    def _value(expression, names):
        return eval(expression, {"__builtins__": {}}, {**FUNCTIONS, **names})  # pylint: disable=eval-used


def text_of(value, indent=0):
    """JSON with an entry a line: what holds no list or object stays on its own."""
    if (
        not isinstance(value, (dict, list))
        or all(not isinstance(part, (dict, list)) for part in (value.values() if isinstance(value, dict) else value))
        and indent
    ):
        return json.dumps(value)
    gap = "\n" + "  " * (indent + 1)
    if isinstance(value, list):
        return "[" + gap + ("," + gap).join(text_of(part, indent + 1) for part in value) + "\n" + "  " * indent + "]"
    return (
        "{"
        + gap
        + ("," + gap).join(f"{json.dumps(key)}: {text_of(part, indent + 1)}" for key, part in value.items())
        + "\n"
        + "  " * indent
        + "}"
    )


def read_model(path=FILE):
    return AreaModel(json.loads(path.read_text(encoding="utf-8")))


def least_squares(rows):
    """Weights of at least 0 for rows (features, wanted): of all choices of features that may be above 0, the best that
    is legal."""
    count = len(rows[0][0])
    best = (float("inf"), [0.0] * count)
    for size in range(1, count + 1):
        for chosen in itertools.combinations(range(count), size):
            weights = _solve(
                [[sum(x[i] * x[j] for x, _ in rows) for j in chosen] for i in chosen],
                [sum(x[i] * y for x, y in rows) for i in chosen],
            )
            if weights is None or min(weights) < 0:
                continue
            whole = [0.0] * count
            for index, weight in zip(chosen, weights):
                whole[index] = weight
            error = sum((sum(w * value for w, value in zip(whole, x)) - y) ** 2 for x, y in rows)
            best = min(best, (error, whole))
    return best[1]


def _solve(matrix, right):
    """Gaussian elimination; None where the rows do not tell the features apart."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    size = len(rows)
    scale = [max(abs(value) for value in row[:size]) or 1.0 for row in rows]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]) / scale[k])
        if abs(rows[pivot][i]) / scale[pivot] < 1e-9:
            return None
        rows[i], rows[pivot], scale[i], scale[pivot] = rows[pivot], rows[i], scale[pivot], scale[i]
        for k in range(size):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]
