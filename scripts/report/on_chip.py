# SPDX-License-Identifier: Apache-2.0
"""What stays on chip between layers, as the compiler planned it: the steps that a run's layers took, and where each
tensor lay from when to when."""
import dataclasses

import rows


@dataclasses.dataclass(frozen=True)
class Step:
    """A layer, or several that ran depth first."""

    row: rows.Row
    slices: int  # 0 of a layer that ran whole.
    kept_bytes: int  # Of the GLB, by tensors that stayed.
    bytes_alone: int  # Of DRAM where all tensors are there, predicted.

    @property
    def name(self):
        """first to last, or the layer's own."""
        layers = self.row.layers
        return layers[0].name if len(layers) == 1 else f"{layers[0].name} to {layers[-1].name}"

    @property
    def dram_bytes(self):
        return self.row.counters["Memory read"] + self.row.counters["Memory write"]


def _plan(run):
    """{"steps": [...], "tensors": [...]}; {} where all is in DRAM."""
    return run.summary.get("on_chip", {})


def steps(run):
    """In the order in which they ran; none without a plan."""
    of = {layer.name: layer for layer in run.layers}
    found = []
    for step in _plan(run).get("steps", []):
        layers = tuple(of[name] for name in step["layers"])
        row = rows.Row(step["layers"][0], layers)
        found.append(Step(row, step["slices"], step["on_chip_bytes"], step["dram_bytes_alone"]))
    return found


def tensors(run):
    """The plan's tensors: {"name", "first", "last", "rows", "plane_rows", "begin", "end", "readers", "bytes",
    "saved"}."""
    return _plan(run).get("tensors", [])


def saved_bytes(run):
    """Of DRAM, where each tensor on chip would be written once, and read once by each of its readers."""
    return sum(tensor["saved"] for tensor in tensors(run))


def times(run):
    """{layer: (its first cycle, the cycle behind its last)}, one layer behind another."""
    found, begin = {}, 0
    for layer in run.layers:
        found[layer.name] = (begin, begin + layer.counters["Cycles"])
        begin = found[layer.name][1]
    return found


def _times_of(layers):
    """{name: (first cycle, cycle behind the last)} of a trace's layers, whose slices follow each other's."""
    found = {}
    for name, begin, end in layers:
        found[name] = (found.get(name, (begin, end))[0], end)
    return found


def depth_first_spans(run, layers):
    """[name, begin, end] of layers that ran depth first. :param layers: of a trace, [name, begin, end] each"""
    at = _times_of(layers)
    spans = []
    for step in steps(run):
        members = [at[layer.name] for layer in step.row.layers if layer.name in at]
        if step.slices and members:
            spans.append([step.name, min(begin for begin, _ in members), max(end for _, end in members)])
    return spans


FIRST_TRACK = 20  # Behind those of the simulators.


def trace_events(run, layers):
    """What a trace may have of the plan: a track of what ran depth first, a counter of the GLB that is kept, and of
    each tensor on chip a span, on as many tracks as tensors lie side by side."""
    at = _times_of(layers)

    def span(track, name, begin, end, args=None):
        return {"ph": "X", "pid": 1, "tid": track, "ts": begin, "dur": end - begin, "name": name, "args": args or {}}

    def track(number, name):
        return [
            {"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": name}},
            {"ph": "M", "pid": 1, "tid": number, "name": "thread_sort_index", "args": {"sort_index": number}},
        ]

    events, free_from = [], []
    chains = depth_first_spans(run, layers)
    if chains:
        events += track(FIRST_TRACK, "depth first") + [span(FIRST_TRACK, *chain) for chain in chains]
    for step in steps(run):
        begin = min((at[layer.name][0] for layer in step.row.layers if layer.name in at), default=None)
        if begin is not None:
            args = {"bytes": step.kept_bytes}
            events.append({"ph": "C", "pid": 1, "tid": 0, "ts": begin, "name": "GLB kept", "args": args})
    for tensor in tensors(run):
        if tensor["first"] in at and tensor["last"] in at:
            begin, end = at[tensor["first"]][0], at[tensor["last"]][1]
            beside = next((number for number, free in enumerate(free_from) if free <= begin), len(free_from))
            if beside == len(free_from):
                free_from.append(0)
                events += track(FIRST_TRACK + 1 + beside, f"on chip {beside + 1}")
            free_from[beside] = end
            place = {name: tensor[name] for name in ("begin", "end", "bytes", "saved")}
            events.append(span(FIRST_TRACK + 1 + beside, tensor["name"], begin, end, place))
    return events
