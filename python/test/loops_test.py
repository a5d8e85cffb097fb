# SPDX-License-Identifier: Apache-2.0
"""Schedules from Python: the loops of a network, steps, traces that are kept, and the C that follows from them."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fovea
from fovea import ir, loops
from fovea.loop_search import search
from programs import run_program

PRODUCT = """fn (%x: Tensor[(2, 12, 20), float32] from "x", %w: Tensor[(2, 20, 16), float32] from "w") {
  %p = matmul(%x, %w)
  %y = nn.relu(%p) from "product"
  return %y
}"""
TILED = (
    "tile i1 4",
    "split i2 8",
    "reorder i1 i2_out i1_in i2_in",
    "decompose_reduction k0 i1_in",
    "reorder k0 i1_in i2_in",
    "vectorize i2_in",
    "parallel i0",
)


def answer_of(network, inputs):
    return network.run(inputs, backend="cpu").output


class LoopsTest(unittest.TestCase):
    def setUp(self):
        self.graph = ir.parse(PRODUCT, "product")
        random = np.random.default_rng(5)
        self.inputs = {
            "x": random.standard_normal((2, 12, 20), dtype=np.float32),
            "w": random.standard_normal((2, 20, 16), dtype=np.float32),
        }

    def test_the_interpreter_and_the_code_have_the_bits_of_the_default(self):
        nests = loops.of(self.graph)
        self.assertEqual(list(nests), ["product"])
        nest = nests["product"]
        schedule = loops.Schedule(nest).apply(TILED)
        self.assertEqual(schedule.trace, TILED)
        plain = nest.interpret(*self.inputs.values())
        np.testing.assert_allclose(plain, np.maximum(0, self.inputs["x"] @ self.inputs["w"]), rtol=1e-5, atol=1e-5)
        for each in (nest.by_default, schedule.nest):
            np.testing.assert_array_equal(each.interpret(*self.inputs.values()), plain)
        for schedules in (None, {"product": schedule}, {"product": list(TILED)}):
            network = fovea.compile(self.graph, target="cpu", schedules=schedules)
            np.testing.assert_array_equal(answer_of(network, self.inputs), plain)
            code = Path(network.folder, "model.c").read_text()
            self.assertEqual("#pragma omp parallel for" in code, schedules is not None)

    def test_a_file_keeps_traces_for_foveac(self):
        with tempfile.TemporaryDirectory() as folder:
            model, file = Path(folder, "product.fovea"), Path(folder, "schedules.json")
            model.write_text(PRODUCT)
            loops.save({"product": TILED}, file)
            self.assertEqual(loops.load(file), {"product": TILED})
            words = ("foveac", str(model), "--target", "cpu", "--print-loops", "--schedules", str(file))
            nest = loops.Schedule(loops.of(model)["product"], TILED).nest
            self.assertIn(str(nest), run_program(*words))
            for text, problem in (
                ('{"produkt": []}', 'no loops on the CPU are called "produkt"; there are product'),
                ("[1]", "no file of schedules"),
                (
                    '{"product": ["tile i9 2"]}',
                    "schedule of the layer product: nest matmul.nn.relu: tile i9 by 2: there is no loop i9",
                ),
            ):
                file.write_text(text)
                with self.assertRaisesRegex(fovea.NetworkError, problem):
                    fovea.compile(model, target="cpu", schedules=file)

    def test_refusals_change_nothing(self):
        schedule = loops.Schedule(loops.of(self.graph)["product"])
        before = schedule.nest
        for step, problem in (
            (lambda: schedule.vectorize("k0"), "vectorize k0: t0 goes on from turn to turn"),
            (lambda: schedule.apply(["tile i1 4", "unroll q"]), r"unroll q: there is no loop q \(step 2: unroll q\)"),
            (lambda: schedule.split("i1"), "split i1: give its size or parts"),
            (lambda: before.interpret(1), "interpret: x0 has 480 elements, not 1"),
            (lambda: loops.parse("nest n() { q = 1 }"), "nothing is called q here"),
        ):
            with self.assertRaisesRegex(fovea.UsageError, problem):
                step()
        self.assertEqual((schedule.nest, schedule.trace), (before, ()))

    def test_a_search_beats_no_schedule(self):
        nest = loops.of(self.graph)["product"]
        found = search(nest, seconds=4, seed=1)
        self.assertGreater(found.measured, 2)
        self.assertGreater(found.default_milliseconds, 0)
        self.assertEqual(loops.Schedule(nest, found.schedule.trace).nest, found.schedule.nest)
        np.testing.assert_array_equal(
            found.schedule.nest.interpret(*self.inputs.values()), nest.interpret(*self.inputs.values())
        )
        with self.assertRaisesRegex(fovea.UsageError, "seconds=0: a search takes some"):
            search(nest, seconds=0)


if __name__ == "__main__":
    unittest.main()
