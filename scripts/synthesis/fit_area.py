# SPDX-License-Identifier: Apache-2.0
"""Fits the area model and compares it with syntheses, for scripts/fit_area."""
import json

import area_model
import report

WORST_PERCENT = 10
SYNTHESES = area_model.ROOT / "reports/area.json"


def read_syntheses(folder, names, model):
    """What the report and its tests need of each machine's synthesis."""
    syntheses = []
    for name in names:
        figures = json.loads((folder / name / "figures.json").read_text(encoding="utf-8"))
        bits = sum(memory["words"] * memory["bits"] * memory["instances"] for memory in figures["memories"])
        gates = {group: round(number) for group, number in model.group_gates(figures).items()}
        syntheses.append({"machine": figures["machine"], "gates": gates, "memory_bits": bits})
    return syntheses


def percent_off(model, synthesis):
    """(gates, memory bits): how much more the model has, in percent of the synthesis."""
    geometry = synthesis["machine"]
    gates, wanted = sum(model.gates(geometry).values()), sum(synthesis["gates"].values())
    return 100 * (gates / wanted - 1), 100 * (model.memory_bits(geometry) / synthesis["memory_bits"] - 1)


def worst_percent(model, syntheses):
    """The largest error on the machines that the model was not fitted to."""
    checked = model.description["checked_on"]
    return max(abs(off) for one in syntheses if one["machine"]["name"] in checked for off in percent_off(model, one))


def totals_table(model, syntheses):
    rows = []
    for one in syntheses:
        geometry = one["machine"]
        gates_off, bits_off = percent_off(model, one)
        rows.append(
            (
                geometry["name"],
                "fitted to" if geometry["name"] in model.description["fitted_to"] else "checked on",
                f"{sum(one['gates'].values()):,}",
                f"{sum(model.gates(geometry).values()):,.0f}",
                f"{gates_off:+.1f} %",
                f"{one['memory_bits']:,}",
                f"{model.memory_bits(geometry):,}",
                f"{bits_off:+.1f} %",
            )
        )
    return report.markdown_table(
        ("machine", "the model is", "gates", "by the model", "off", "memory bits", "by the model", "off"), rows
    )


def groups_table(model, syntheses):
    rows = [
        (
            one["machine"]["name"],
            *(
                f"{gates / 1000:,.1f} {(model.gates(one['machine'])[group] - gates) / 1000:+,.1f}"
                for group, gates in one["gates"].items()
            ),
        )
        for one in syntheses
    ]
    return report.markdown_table(("machine", *(group["name"] for group in model.groups)), rows)


def terms_table(model):
    rows = [
        (group["name"] if i == 0 else "", term["name"], f"`{term['is']}`", f"{term['gates']:,}")
        for group in model.groups
        for i, term in enumerate(group["terms"])
    ]
    return report.markdown_table(("part", "for", "times", "gates each"), rows)


def report_text(model, syntheses, made):
    """reports/area.md."""
    checked, fitted = model.description["checked_on"], model.description["fitted_to"]
    machines = report.markdown_table(
        ("machine", *(field for field in syntheses[0]["machine"] if field != "name")),
        [list(one["machine"].values()) for one in syntheses],
    )
    return (
        "\n\n".join(
            [
                "# The area model",
                f"{made} What it is: [docs/synthesis.md](../docs/synthesis.md#the-area-model).",
                (
                    f"Fitted to {len(fitted)} machines, it is at most {model.description['worst_percent']} % off on the"
                    f" {len(checked)} machines that it was not fitted to. The Eyeriss chip, 12 x 14 PEs of 16 bits:"
                    f" {report.CHIP_GATES / 1000:,.0f} k gates and {report.CHIP_SRAM_KB} KB of memories."
                ),
                totals_table(model, syntheses),
                "By part, in thousands of gates: synthesized, and what the model has more.",
                groups_table(model, syntheses),
                "## Its terms",
                "A part's gates are the sum of its terms; letters are quantities of `sim/spec/area.json`.",
                terms_table(model),
                "## The machines",
                machines,
            ]
        )
        + "\n"
    )


def fit(folder):
    """The model fitted, which it writes with the syntheses; and these."""
    model = area_model.read_model()
    syntheses = read_syntheses(folder, model.machines(), model)
    model.fit([one for one in syntheses if one["machine"]["name"] in model.description["fitted_to"]])
    model.description["worst_percent"] = round(worst_percent(model, syntheses), 1)
    model.write()
    SYNTHESES.write_text(json.dumps(syntheses, indent=1) + "\n", encoding="utf-8")
    return model, syntheses
