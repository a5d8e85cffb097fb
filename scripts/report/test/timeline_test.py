# SPDX-License-Identifier: Apache-2.0
"""How busy each unit is, out of a trace that can be added up in the head."""
import base64
import json
import pathlib
import tempfile
import unittest

import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
import timeline

ARRAY, READ = 7, 3


def span(tid, begin, cycles, name="compute"):
    return {"ph": "X", "pid": 1, "tid": tid, "ts": begin, "dur": cycles, "name": name}


def layer(name, begin, end):
    return [
        {"ph": "B", "pid": 1, "tid": 2, "ts": begin, "name": name},
        {"ph": "E", "pid": 1, "tid": 2, "ts": end, "args": {"cycles": end - begin}},
    ]


class TimelineTest(unittest.TestCase):
    def read(self, *events):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.json")
            lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
            path.write_text('{"traceEvents":[\n' + lines + "\n]}\n")
            return timeline.read(path)

    def busy(self, found, name):
        return base64.b64decode(next(unit["busy"] for unit in found["units"] if unit["name"] == name))

    def test_shares_of_bins(self):
        """Bins of four cycles: half a bin, a whole one and a quarter; a wait is no work, and two bursts fill a bin
        once."""
        end = 4 * timeline.BINS
        begin, done = layer('"conv"', 8, end)
        found = self.read(
            begin,
            span(ARRAY, 2, 7),
            span(ARRAY, 12, 4, "wait filter"),
            span(READ, 16, 4, "burst"),
            span(READ, 17, 4, "burst"),
            done,
        )
        self.assertEqual((found["end"], found["width"], found["layers"]), (end, 4, [['"conv"', 8, end]]))
        self.assertEqual(self.busy(found, "array")[:5], bytes((128, 255, 64, 0, 0)))
        self.assertEqual(self.busy(found, "DMA read")[3:7], bytes((0, 255, 64, 0)))
        for unit in found["units"]:
            self.assertEqual(len(self.busy(found, unit["name"])), timeline.BINS)

    def test_what_is_between_layers_counts_too(self):
        found = self.read(*layer("a", 0, 10), *layer("b", 20, timeline.BINS))
        self.assertEqual(found["layers"], [["a", 0, 10], ["b", 20, timeline.BINS]])

    def test_a_trace_without_layers_has_no_timeline(self):
        self.assertIsNone(self.read(span(ARRAY, 0, 4)))


if __name__ == "__main__":
    unittest.main()
