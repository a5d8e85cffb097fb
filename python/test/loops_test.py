# SPDX-License-Identifier: Apache-2.0
"""Schedules from Python: the loops of a network, steps, traces that are kept, and the C that follows from them."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import suppress
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

import fovea
from fovea import _fovea, ir, loops
from fovea.loop_cost import CostModel
from programs import BUILD, run_program

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


ROW = """/* nest row(x: input f32[20], w: input f32[20, 16], y: output f32[16], t: register f64) {
  for j in 16 { t = 0.0 for k in 20 { t = (t + (f64(x[k]) * f64(w[k, j]))) } y[j] = max(0.0f, f32(t)) } } */
static void row(const float *x, int32_t x_0, const float *w, int32_t w_0, int32_t w_1, float *y, int32_t y_0) {
  for (int j = 0; j < 16; ++j) {
    double t = 0;
    for (int k = 0; k < 20; ++k) t += (double)x[k * x_0] * w[k * w_0 + j * w_1];
    y[j * y_0] = t > 0 ? (float)t : 0;
  }
}
"""


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
            compiled = Path(network.folder, "model.so").read_bytes()
            self.assertEqual(b"GOMP_parallel" in compiled, schedules is not None)

    def test_the_default_is_steps_that_give_the_same_code(self):
        window = """fn (%x: Tensor[(1, 4, 9, 9), float32] from "x") {
          %y = nn.max_pool2d(%x, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0)
               from "pool"
          return %y
        }"""
        for graph in (self.graph, ir.parse(window, "window")):
            ((layer, nest),) = loops.of(graph).items()
            self.assertNotEqual(nest.default_trace, ())
            by_default, by_trace = (
                Path(fovea.compile(graph, target="cpu", schedules=each).folder, "model.c").read_text()
                for each in (None, {layer: nest.default_trace})
            )
            self.assertEqual(by_trace, by_default)
            self.assertEqual(loops.Schedule(nest, nest.default_trace).nest, nest.by_default)

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

    def test_a_function_of_the_users_does_a_loop(self):
        nest = loops.of(self.graph)["product"]
        plain = nest.interpret(*self.inputs.values())
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "row.c")
            file.write_text(ROW)
            schedule = loops.Schedule(nest).tensorize("i2", file)
            self.assertEqual(schedule.trace, ("tensorize i2 row",))
            self.assertEqual(loops.Schedule(nest, schedule.trace, [file]).nest, schedule.nest)
            with self.assertRaisesRegex(fovea.UsageError, "tensorize i2 by row: no file of C is given"):
                loops.Schedule(nest, schedule.trace)
            self.assertIn("unit row {", str(schedule.nest))
            np.testing.assert_array_equal(schedule.nest.interpret(*self.inputs.values()), plain)
            network = fovea.compile(self.graph, target="cpu", schedules={"product": schedule})
            np.testing.assert_array_equal(answer_of(network, self.inputs), plain)
            model, traces = Path(folder, "product.fovea"), Path(folder, "traces.json")
            model.write_text(PRODUCT)
            loops.save({"product": schedule}, traces)
            words = (model, "--target", "cpu", "--schedules", traces, "-o", Path(folder, "net"))
            run_program("foveac", *words, "--intrinsic", file)
            self.assertIn("row(&x0[", Path(folder, "net/model.c").read_text())
            with self.assertRaisesRegex(fovea.NetworkError, "tensorize i2 by row: no file of C is given"):
                fovea.compile(self.graph, target="cpu", schedules=traces)
            file.write_text(ROW.replace("t > 0", "t > 1e9"))  # A lie that shows: the function is what runs.
            network = fovea.compile(self.graph, target="cpu", schedules={"product": schedule})
            self.assertFalse(answer_of(network, self.inputs).any())
            file.write_text(ROW.replace("for k in 20", "for k in 19"))
            with self.assertRaisesRegex(fovea.UsageError, "by row: k0 has 20 turns, and its k 19"):
                loops.Schedule(nest).tensorize("i2", file)

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

    def test_a_nest_has_its_loops_and_buffers(self):
        nest = loops.Schedule(loops.of(self.graph)["product"], TILED).nest
        kinds = {loop.name: (loop.turns, loop.kind) for loop in nest.loops}
        self.assertEqual((kinds["i0"], kinds["i1"], kinds["i2_in"]), ((2, "parallel"), (3, "serial"), (8, "vector")))
        self.assertEqual([loop.name for loop in nest.loops if loop.is_reduction], ["k0"])
        self.assertEqual(nest.buffers[2], loops.Buffer("y", "output", "float32", (2, 12, 16)))
        self.assertEqual(nest.buffers[3], loops.Buffer("t0", "register", "float64", (4, 8)))
        products = max(nest.stores, key=lambda store: store.operations)
        self.assertEqual((products.runs, products.operations), (2 * 12 * 16 * 20, 2))
        self.assertEqual(products.accesses[2].strides[-1], 1, "along the vector, x1 is dense")


class SearchTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.model, self.records = self.folder / "product.fovea", self.folder / "tuning.json"
        self.model.write_text(PRODUCT)

    def test_finds_the_bits_of_the_nest(self):
        nest = loops.of(self.model)["product"]
        found = loops.search(nest, seconds=2, seed=1)
        self.assertGreater(found.measured, 2)
        self.assertLessEqual(found.milliseconds, found.default_milliseconds)
        self.assertAlmostEqual(found.gain, found.default_milliseconds / found.milliseconds)
        self.assertEqual(found.is_close, found.gain <= 1 / 0.95)
        self.assertEqual(loops.Schedule(nest, found.schedule.trace).nest, found.schedule.nest)
        inputs = [np.random.default_rng(5).standard_normal(each.shape) for each in nest.buffers[:2]]
        np.testing.assert_array_equal(found.schedule.nest.interpret(*inputs), nest.interpret(*inputs))
        with self.assertRaisesRegex(fovea.UsageError, "seconds=0: a search takes some"):
            loops.search(nest, seconds=0)

    def test_ends_with_the_default_where_nothing_beats_it(self):
        nest = loops.of(self.model)["product"]

        def milliseconds(_timer, nests, **_):
            return [1.0 if each == nest.by_default else 1.5 for each in nests]

        with mock.patch("fovea.loop_timer.Timer.milliseconds", milliseconds):
            found = loops.search(nest, seconds=0.5, records=self.records)
        self.assertEqual((found.schedule.trace, found.gain, found.is_close), (nest.default_trace, 1, True))
        model = fovea.compile(self.model, target="cpu", records=self.records)
        self.assertEqual(
            Path(model.folder, "model.c").read_text(),
            Path(fovea.compile(self.model, target="cpu").folder, "model.c").read_text(),
        )

    def test_its_model_ranks_schedules_that_it_has_not_seen(self):
        nest, model, random = loops.of(self.model)["product"], CostModel(), Random(4)
        factors = (2, 4, 8, 16)
        nests = {}
        while len(nests) < 60:
            i1, i2, inner = random.choice(factors), random.choice(factors), random.choice(("i1_in", "i2_in"))
            loop = random.choice(("i0", "i1", "i2", "k0"))
            trace = [f"tile i1 {i1}", f"tile i2 {i2}", f"decompose_reduction k0 {inner}", f"unroll {loop}"]
            schedule = loops.Schedule(nest)
            for step in random.sample(trace, 4) + [f"reorder k0 {inner}", f"vectorize {inner}"]:
                with suppress(fovea.UsageError):
                    schedule.apply([step])
            nests[schedule.nest] = schedule

        def takes(nest):  # A processor of vectors of eight, to which the order of turns is all the same.
            width = {loop.name: min(8, loop.turns) for loop in nest.loops if loop.kind == "vector"}
            return sum(each.runs / max([1, *map(width.get, set(each.loops) & set(width))]) for each in nest.stores)

        known, others = list(nests)[:40], list(nests)[40:]
        for each in known:
            model.learn(each, takes(each))
        ranks = [np.argsort(np.argsort(each)) for each in (model.predict(others), [takes(each) for each in others])]
        self.assertGreater(np.corrcoef(*ranks)[0, 1], 0.7)

    def test_records_what_a_network_with_the_nest_uses(self):
        told = []
        found = loops.search_network(self.model, seconds=1, records=self.records, progress=told.append)
        self.assertEqual((list(found), told), (["product"], ["searching product, nest 1 of 1"]))
        kept = json.loads(self.records.read_text())
        (row,) = kept["schedules"]
        self.assertEqual(tuple(row["trace"]), found["product"].schedule.trace)
        row.update({"trace": TILED, "nanoseconds": row["default_nanoseconds"] / 2})
        self.records.write_text(json.dumps(kept))
        nest = loops.of(self.model)["product"]
        other = self.folder / "other.fovea"
        other.write_text(PRODUCT.replace('"product"', '"mine"'))
        words = ("--target", "cpu", "--print-loops", "--records", self.records)
        self.assertIn(str(loops.Schedule(nest, TILED).nest), run_program("foveac", other, *words))
        network = fovea.compile(other, target="cpu", records=self.records)
        self.assertIn("#pragma omp parallel for", Path(network.folder, "model.c").read_text())

    def test_records_that_are_slower_or_foreign_or_do_not_fit_are_not_used(self):
        nest = loops.of(self.model)["product"]
        words = (BUILD / "bin/foveac", self.model, "--target", "cpu", "--print-loops")
        by_default = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        note = "foveac: tuning.json: 1 schedules of other processors or compilers are ignored\n"
        for nanoseconds, trace, cpu, said in (
            (2000, TILED, "", ""),
            (500, ["unroll no_more"], "", ""),
            (400, TILED, "another", note),
        ):
            _fovea.record_schedule(str(self.records), nest.text, trace, nanoseconds, 1000)
            if cpu:
                self.records.write_text(re.sub('"cpu": ".*"', f'"cpu": "{cpu}"', self.records.read_text()))
            done = subprocess.run((*words, "--records", self.records), check=True, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr), (by_default, said))

    def test_says_what_is_missing_or_foreign(self):
        nest = loops.of(self.model)["product"]
        self.records.write_text('{"records": [], "schedules": [{"nest": "n"}]}')
        with self.assertRaisesRegex(fovea.NetworkError, "tuning.json: schedule 0: key 'cpu' not found; repair it"):
            loops.search(nest, seconds=1, records=self.records)
        with mock.patch.dict(sys.modules, {"sklearn": None, "sklearn.ensemble": None}):
            with self.assertRaisesRegex(fovea.UsageError, "needs scikit-learn, .*; apt-get install python3-sklearn"):
                loops.search(nest, seconds=1)


if __name__ == "__main__":
    unittest.main()
