# SPDX-License-Identifier: Apache-2.0
"""Predicted against simulated cycles: by how much the compiler's model is off, layer by layer and cause by cause."""
import figures
import formats
import palette
import rows
import spec
from charts import bars

LEGEND = {cause: cause for cause in spec.CAUSES}  # Colour: words.


def _stack(chart, axes, row, layer, sign):
    """Draws the causes that the model has too high (sign 1) or too low (-1), away from zero. Returns how far they
    reach."""
    simulated, predicted, reach = figures.causes(layer), figures.predicted_causes(layer), 0
    for cause, error in figures.prediction_errors(layer).items():
        if error * sign <= 0:
            continue
        bar = axes.barh([row], [100 * error], left=reach, height=0.55, color=palette.stand_in(cause))[0]
        chart.mark(
            bar,
            (
                f"{layer.name}: {formats.count(predicted[cause])} cycles {cause} predicted,"
                f" {formats.count(simulated[cause])} simulated: {formats.signed_percent(error, 2)} of all"
            ),
        )
        reach += 100 * error
    return reach


def draw(run):
    """The chart, or None where the compiler predicted nothing."""
    layers = [
        row for row in rows.chart_rows(run) if all(figures.prediction_error(layer) is not None for layer in row.layers)
    ]
    if not layers:
        return None
    chart = bars.layered_chart(
        "prediction", "Error of the predicted cycles of each layer, by cause", [layer.name for layer in layers]
    )
    axes = chart.axes[0]
    axes.set_title("Predicted less simulated cycles")
    reach = max(
        [0.1] + [abs(_stack(chart, axes, row, layer, sign)) for row, layer in enumerate(layers) for sign in (1, -1)]
    )
    for row, layer in enumerate(layers):
        predicted, cycles = layer.counters["predicted_cycles"], layer.counters["Cycles"]
        bars.label(
            axes,
            row,
            reach * 1.1,
            (
                f"{formats.count(predicted)} for {formats.count(cycles)} "
                f" {formats.signed_percent(figures.prediction_error(layer), 2)}"
            ),
        )
    axes.axvline(0, color=palette.stand_in("ink"), linewidth=1)
    axes.set_xlim(-1.1 * reach, reach * 3.8)
    axes.set_xticks([-reach, 0, reach], [f"{-reach:.2g}".replace("-", "−"), "0", f"+{reach:.2g}"])
    axes.set_xlabel("% of the layer's cycles", loc="left")
    return chart.svg()
