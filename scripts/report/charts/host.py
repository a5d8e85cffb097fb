# SPDX-License-Identifier: Apache-2.0
"""End to end: layers one after another, on the accelerator and on the CPU."""
import formats
import host
import palette
from svg_chart import SvgChart

LEGEND = {"compute": "accelerator", "psum": "CPU"}  # Colour: words.


def draw(run):
    """A bar of all layers in the order in which they run, or None where the CPU runs none."""
    if not run.cpu_layers:
        return None
    chart = SvgChart("end-to-end", "Time of all layers, one after another", 1000, 110)
    axes = chart.axes[0]
    whole, begin = host.end_to_end(run), 0
    cpu = {layer["name"]: layer for layer in run.summary["layers"]}
    for step in host.steps(run):
        bar = axes.barh(
            [0],
            [step.milliseconds],
            left=begin,
            height=0.6,
            color=palette.stand_in("psum" if step.on_cpu else "compute"),
            edgecolor=palette.stand_in("paper"),
            linewidth=0.4,
        )[0]
        place = f"on the CPU, {cpu[step.name]['reason']}" if step.on_cpu else "on the accelerator"
        chart.mark(
            bar,
            (
                f"{step.name}: {formats.milliseconds(step.milliseconds)} {place};"
                f" {formats.percent(step.milliseconds / whole, 2)} of all"
            ),
            f"#layer-{step.name}",
        )
        begin += step.milliseconds
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, whole)
    axes.set_title(f"End to end: {formats.milliseconds(whole)}")
    axes.set_xlabel("ms")
    return chart.svg()
