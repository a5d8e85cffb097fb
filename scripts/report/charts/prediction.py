# SPDX-License-Identifier: Apache-2.0
"""Predicted against simulated cycles: by how much the compiler's model is off, layer by layer and cause by cause."""
import figures
import formats
import rows
import spec
from charts import bars

LEGEND = {cause: cause for cause in spec.CAUSES}  # Colour: words.


def draw(run):
    """The chart, or None where the compiler predicted nothing. What the model has too high stands to the right of
    zero."""
    shown = [
        row for row in rows.chart_rows(run) if all(figures.prediction_error(layer) is not None for layer in row.layers)
    ]
    if not shown:
        return None
    parts, ends = [], []
    for at, row in enumerate(shown):
        simulated, predicted = figures.causes(row), figures.predicted_causes(row)

        def words(cause, percent):
            return (
                f"{row.name}: {formats.count(predicted[cause])} cycles {cause} predicted,"
                f" {formats.count(simulated[cause])} simulated: {formats.signed_percent(percent / 100, 2)} of all"
            )

        parts += bars.stack(at, {c: 100 * error for c, error in figures.prediction_errors(row).items()}, words)
        error = formats.signed_percent(figures.prediction_error(row), 2)
        ends.append(f"{formats.count(row.counters['predicted_cycles'])}  {error}")
    title, axis = "Predicted less simulated cycles", "% of the layer's cycles"
    return bars.layered_chart(title, [row.name for row in shown], parts, LEGEND, ends, axis)
