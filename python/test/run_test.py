# SPDX-License-Identifier: Apache-2.0
"""Runs give what test_dla and test_cpu give: answers and every figure of dla_info.csv."""
import contextlib
import csv
import gc
import io
import os
import pickle
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import fovea
from programs import DEER, EYERISS, VGG8, run_program

PORTS = """\
fn (%x: Tensor[(1, 8, 4, 4), float32] from "left", %u: Tensor[(1, 8, 4, 4), float32] from "right") {
  %q = qnn.quantize(%x, 0.5f, 128u8, axis=1) from "q"
  %d = qnn.dequantize(%q, 0.5f, 128u8, axis=1)
  %p = qnn.quantize(%u, 0.5f, 128u8, axis=1) from "p"
  %e = qnn.dequantize(%p, 0.5f, 128u8, axis=1)
  %s = add(%d, %e) from "sum"
  %t = qnn.quantize(%s, 1f, 128u8, axis=1)
  %y = qnn.dequantize(%t, 1f, 128u8, axis=1) from "total"
  return %y, %d
}
"""

#: How Python calls what the lab's columns say.
IN_PYTHON = {
    "Operation": "operation",
    "Cycles": "cycles",
    "Time(ns)": "time_ns",
    "Memory read": "dram_read_bytes",
    "Memory write": "dram_write_bytes",
}


def changes_of(path):
    """The lines of a VCD behind its head, times from 0 on: in one process SystemC's time goes on from device to
    device."""
    lines = path.read_text().partition("$dumpvars")[2].splitlines()
    times = [int(line[1:]) for line in lines if line.startswith("#")]
    return [f"#{int(line[1:]) - times[0]}" if line.startswith("#") else line for line in lines]


class RunTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = fovea.compile(VGG8)
        cls.deer = cls.net.read_picture(DEER)

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ask_test_dla(self, *words):
        """What the program says of the deer: its output, and the rows of its CSV."""
        self.deer.tofile(self.folder / "x.f32")
        run_program(
            "test_dla",
            "--net",
            self.net.folder,
            "--machine",
            EYERISS,
            "--input-raw",
            self.folder / "x.f32",
            "--output-raw",
            self.folder / "y.f32",
            "--info",
            self.folder / "dla_info.csv",
            *words,
        )
        with open(self.folder / "dla_info.csv", newline="") as file:
            rows = list(csv.reader(file))
        return np.fromfile(self.folder / "y.f32", np.float32), rows[0], rows[1:]

    def check_equal(self, run, program):
        output, names, rows = program
        np.testing.assert_array_equal(run.output, output)
        self.assertEqual(list(run.layers.columns), [IN_PYTHON.get(name, name) for name in names] + ["energy_macs"])
        self.assertEqual(len(run.layers), len(rows))
        for i, name in enumerate(names):
            for mine, cell in zip(run.layers[IN_PYTHON.get(name, name)], (row[i] for row in rows)):
                self.assertTrue(str(mine) == cell or float(mine) == float(cell), (name, mine, cell))
        self.assertEqual(run.cycles, sum(int(row[names.index("Cycles")]) for row in rows))

    def test_tensors_that_stay_on_chip_move_fewer_bytes_and_change_no_answer(self):
        model = fovea.model("resnet8_cifar10.onnx")
        picture = fovea.compile(model).read_picture(DEER)
        runs = {
            (residency, backend): fovea.compile(model, residency=residency).run(picture, backend=backend)
            for residency in ("none", "chip")
            for backend in ("systemc", "rtl")
        }
        none, chip = runs["none", "systemc"], runs["chip", "systemc"]
        np.testing.assert_array_equal(chip.output, none.output)
        self.assertLess(chip.cycles, none.cycles)
        self.assertLess(
            chip.dram_read_bytes + chip.dram_write_bytes, 0.5 * (none.dram_read_bytes + none.dram_write_bytes)
        )
        self.assertEqual(runs["chip", "rtl"].cycles, chip.cycles)
        np.testing.assert_array_equal(runs["chip", "rtl"].output, chip.output)

    def test_gives_what_test_dla_gives(self):
        for memory in ("pipelined", "lab"):
            run = self.net.run(self.deer, dram=memory)
            self.check_equal(run, self.ask_test_dla("--backend", "systemc", "--dram", memory))

    def test_gives_the_same_again(self):
        first = self.net.run(self.deer)
        self.net.run(np.zeros((3, 32, 32)))
        again = self.net.run(self.deer)
        self.assertTrue(again.layers.equals(first.layers))
        np.testing.assert_array_equal(again.output, first.output)
        for memory in fovea.memories:
            runs = [self.net.run(self.deer, dram=memory) for _ in range(2)]
            self.assertTrue(runs[0].layers.equals(runs[1].layers), memory)

    def test_writes_the_traces_that_test_dla_writes(self):
        mine, theirs = self.folder / "mine", self.folder / "theirs"
        mine.mkdir()
        theirs.mkdir()
        run = self.net.run(
            self.deer,
            trace=mine / "trace.json",
            transactions=mine / "fc6.txt",
            transactions_layer="fc6",
            waves=fovea.Waves(mine / "waves.vcd", layer="fc6", first_cycle=100, cycles=500),
        )
        self.ask_test_dla(
            "--backend",
            "systemc",
            "--trace",
            theirs / "trace.json",
            "--transactions",
            theirs / "fc6.txt",
            "--transactions-layer",
            "fc6",
            "--vcd",
            theirs / "waves.vcd",
            "--vcd-layer",
            "fc6",
            "--vcd-from",
            "100",
            "--vcd-cycles",
            "500",
        )
        for name in ("trace.json", "fc6.txt", "waves.vcd"):
            self.assertGreater((mine / name).stat().st_size, 100, name)
        self.assertEqual((mine / "trace.json").read_bytes(), (theirs / "trace.json").read_bytes())
        self.assertEqual((mine / "fc6.txt").read_bytes(), (theirs / "fc6.txt").read_bytes())
        self.assertGreater(len(changes_of(mine / "waves.vcd")), 100)
        self.assertEqual(changes_of(mine / "waves.vcd"), changes_of(theirs / "waves.vcd"))
        self.assertTrue(run.layers.equals(self.net.run(self.deer).layers), "traced or not")

    def test_refuses_traces_that_it_cannot_write(self):
        with self.assertRaisesRegex(fovea.UsageError, "trace: only the accelerator is traced"):
            self.net.run(self.deer, backend="cpu", trace=self.folder / "t.json")
        with self.assertRaisesRegex(fovea.UsageError, "give transactions too"):
            self.net.run(self.deer, transactions_layer="fc6")
        with self.assertRaisesRegex(
            fovea.BackendError, "no_such: no layer of that name runs on the device; choose conv1"
        ):
            self.net.run(self.deer, transactions=self.folder / "t.txt", transactions_layer="no_such")
        with self.assertRaisesRegex(fovea.BackendError, "waves.txt"):
            self.net.run(self.deer, waves=self.folder / "waves.txt")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_runs_in_lists(self):
        run = self.net.run(self.deer, lists=True)
        self.assertEqual(run.lists.tolist(), [1] * 8)
        self.assertLess(run.cycles, self.net.run(self.deer).cycles + 1)
        self.assertEqual(self.net.run(self.deer).lists.tolist(), [0] * 8)
        self.check_equal(run, self.ask_test_dla("--backend", "systemc", "--lists"))

    def test_runs_on_the_cpu(self):
        run = self.net.run(self.deer, backend="cpu")
        np.testing.assert_array_equal(run.output, self.net.run(self.deer).output)
        self.assertEqual((len(run.layers), run.cycles), (0, 0))
        floor = fovea.compile(VGG8, target="cpu", rounding="floor")
        self.assertEqual(floor.classify(self.deer)[0][0], "deer")

    def test_says_what_test_cpu_says(self):
        cpu = fovea.compile(VGG8, target="cpu", folder=self.folder / "net")
        text = run_program("test_cpu", "--net", cpu.folder, "--model", VGG8, "--image", DEER)
        mine = "".join(f"[{label:>12}]{100 * share:8.3f}%\n" for label, share in cpu.classify(DEER))
        self.assertIn(mine, text)

    def test_keeps_outputs_when_all_else_is_gone(self):
        net = fovea.compile(VGG8, target="cpu")
        output = net.run(self.deer).output
        expected = output.copy()
        net.run(-self.deer)
        del net
        gc.collect()
        np.testing.assert_array_equal(output, expected)

    def test_names_a_backend_and_a_memory_that_are_none(self):
        for options, words in [({"backend": "fpga"}, "systemc, rtl or cpu work"), ({"dram": "fast"}, "pipelined")]:
            with self.assertRaisesRegex(ValueError, words):
                self.net.run(self.deer, **options)
        with self.assertRaises(TypeError):
            self.net.run(self.deer, backend=3)

    def test_runs_with_the_memory_of_its_machine(self):
        own = fovea.Machine("eyeriss_6x8", name="slow", dram={"base": "lab", "pace_cycles": 9})
        net = fovea.compile(VGG8, machine=own)
        slow, lab = net.run(self.deer), net.run(self.deer, dram="lab")
        self.assertEqual(set(slow.layers["dram"]), {own.memory})
        self.assertEqual(set(lab.layers["dram"]), {"lab"})
        self.assertGreater(slow.cycles, lab.cycles)
        self.assertEqual(net.run(self.deer, dram=own.memory).cycles, slow.cycles)
        self.assertLess(abs(net.predicted_cycles / slow.cycles - 1), 0.05)
        np.testing.assert_array_equal(slow.output, lab.output)
        named = fovea.compile(VGG8, machine=fovea.Machine("eyeriss_6x8", name="with_lab", dram="lab"))
        self.assertEqual(named.run(self.deer).cycles, named.run(self.deer, dram="lab").cycles)

    def test_has_picojoules_where_the_machine_says_what_a_mac_takes(self):
        priced = fovea.Machine("eyeriss_6x8", name="priced", energy={"mac_pj": 2.5, "source": "a paper"})
        plain, run = (net.run(self.deer) for net in (self.net, fovea.compile(VGG8, machine=priced)))
        run = pickle.loads(pickle.dumps(run))
        self.assertEqual(run.energy_macs, plain.energy_macs)
        self.assertAlmostEqual(run.energy_pj / (2.5 * plain.energy_macs), 1, 12)
        self.assertEqual(run.layers["energy_pj"].sum(), run.energy_pj)
        self.assertIn("<th>energy_pj</th>", run._repr_html_())
        self.assertNotIn("energy_pj", plain.layers.columns)

    def test_has_totals(self):
        run = self.net.run(self.deer)
        by_hand = 0.0
        for layer in self.net.layers:
            if layer.mapping:  # What the search predicts: DRAM and GLB, which the device counts, are exact here.
                by_hand += self.net.map(layer).best(1)["energy_macs"][0]
        self.assertAlmostEqual(run.energy_macs / by_hand, 1, 12)
        self.assertIsNone(run.energy_pj)
        self.assertEqual(run.macs, sum(layer.macs for layer in self.net.layers))
        self.assertEqual(run.seconds, run.cycles / 200e6)
        self.assertEqual(
            run.dram_read_bytes + run.dram_write_bytes, sum(layer.predicted_dram_bytes for layer in self.net.layers)
        )

    def test_is_shown_in_a_notebook(self):
        for thing, words in [
            (self.net, ["<p>Network vgg8_cifar10_power2: 11 layers, 8 on eyeriss_6x8</p>", "<td>conv1</td>", "66,748"]),
            (self.net.machine, ["<p>Machine eyeriss_6x8: 6 x 8 PEs", "<td>glb_bytes</td><td>65536</td>"]),
            (self.net.run(self.deer), ["3,783,673 cycles in 8 layers", "<th>dram_read_bytes</th>", "<td>5,056</td>"]),
            (self.net.run(self.deer, backend="cpu"), ["0 cycles in 0 layers"]),
        ]:
            page = thing._repr_html_()
            for word in words:
                self.assertIn(word, page)

    def test_runs_a_graph_of_several_inputs_and_outputs(self):
        (self.folder / "ports.txt").write_text(PORTS)
        net = fovea.compile(self.folder / "ports.txt")
        self.assertEqual([port.name for port in net.inputs], ["left", "right"])
        left, right = np.full((8, 4, 4), 1.5), np.full((8, 4, 4), 0.5)
        for backend in (None, "cpu"):
            run = net.run({"left": left, "right": right}, backend=backend)
            self.assertEqual(list(run.outputs), [port.name for port in net.outputs])
            total, same = run.outputs.values()
            np.testing.assert_array_equal(total, left + right)
            np.testing.assert_array_equal(same, left)
        with self.assertRaisesRegex(fovea.UsageError, "the network takes left, right, a dict by name"):
            net.run(left)
        with self.assertRaisesRegex(ValueError, "2 outputs"):
            run.output

    def test_takes_turns_between_networks_and_threads(self):
        other = fovea.compile(VGG8, machine="fovea_16x16")
        expected = {net: net.run(self.deer).cycles for net in (self.net, other)}
        wrong = []

        def work(net):
            for _ in range(3):
                cycles = net.run(self.deer).cycles
                if cycles != expected[net]:
                    wrong.append(cycles)

        threads = [threading.Thread(target=work, args=(net,)) for net in (self.net, other, self.net)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertNotEqual(expected[self.net], expected[other])

    def small(self):
        """A network and a memory that take their time."""
        return fovea.compile(VGG8, fovea.Machine(rows=3, cols=2)), {"dram": "random"}

    def test_says_how_far_it_is(self):
        net, slow = self.small()
        seen = []
        run = net.run(self.deer, progress=seen.append, **slow)
        self.assertGreater(len(seen), 0)
        self.assertEqual(seen, sorted(set(seen)))
        self.assertLess(seen[-1], 2 * run.cycles)
        np.testing.assert_array_equal(run.output, self.net.run(self.deer).output)

    def test_shows_how_far_it_is(self):
        net, slow = self.small()
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            net.run(np.stack([self.deer] * 2), progress=True, **slow)
        lines = [line.strip() for line in shown.getvalue().split("\r")[1:]]
        self.assertRegex(lines[0], r"^[\d,]+ of [\d,]+ cycles \(\d+ %\)$")
        done = [int(line.split()[0].replace(",", "")) for line in lines]
        self.assertEqual(done, sorted(done))
        self.assertTrue(shown.getvalue().endswith("\n"))
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            self.net.run_many([self.deer], progress=True)
        self.assertIn("\r1 of 1 runs (100 %)", shown.getvalue())

    def test_hands_on_what_progress_raises_and_runs_again(self):
        net, slow = self.small()

        def refuse(cycles):
            raise LookupError("enough")

        before = net.run(self.deer, **slow)
        with self.assertRaisesRegex(LookupError, "enough"):
            net.run(self.deer, progress=refuse, **slow)
        self.assertTrue(net.run(self.deer, **slow).layers.equals(before.layers))

    def test_ends_with_ctrl_c(self):
        self.net.run(self.deer)
        begin = []

        def interrupt():
            begin.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(0.3, interrupt).start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(20):
                self.net.run(self.deer, backend="rtl")
        self.assertLess(time.monotonic() - begin[0], 2)
        self.assertEqual(self.net.classify(self.deer)[0][0], "deer")


if __name__ == "__main__":
    unittest.main()
