# SPDX-License-Identifier: Apache-2.0
"""Predicted against simulated cycles: the error of the compiler's model, layer by layer."""
import figures
import formats
import palette
from charts import bars


def draw(run):
    """The chart, or None where the compiler predicted nothing."""
    layers = [(layer, error) for layer in run.layers if (error := figures.prediction_error(layer)) is not None]
    if not layers:
        return None
    chart = bars.layered_chart("prediction", "Error of the predicted cycles, layer by layer", [layer.name for layer, _ in layers])
    axes = chart.axes[0]
    axes.set_title("Predicted cycles, against simulated")
    reach = max(max(abs(100 * error) for _, error in layers) * 1.1, 0.1)
    for row, (layer, error) in enumerate(layers):
        predicted, cycles = layer.counters["predicted_cycles"], layer.counters["Cycles"]
        bar = axes.barh([row], [100 * error], height=0.5, color=palette.stand_in("compute"))[0]
        chart.mark(bar, f"{layer.name}: predicted {formats.count(predicted)}, simulated {formats.count(cycles)} cycles: {formats.signed_percent(error, 2)}")
        bars.label(axes, row, reach, f"{formats.count(predicted)} for {formats.count(cycles)}  {formats.signed_percent(error, 2)}")
    axes.axvline(0, color=palette.stand_in("ink"), linewidth=1)
    axes.set_xlim(-reach, reach * 3.2)
    axes.set_xticks([-reach, 0, reach], [f"{-reach:.2g}".replace("-", "−"), "0", f"+{reach:.2g}"])
    axes.set_xlabel("error, %", loc="left")
    return chart.svg()
