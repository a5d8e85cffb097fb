# SPDX-License-Identifier: Apache-2.0
"""Several runs at once: the same answers in the same order, errors carried, and nothing left behind."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import fovea
from programs import ROOT, VGG8

PICTURES = sorted((ROOT / "models/samples").glob("*.png"))[::25]


def children():
    """Processes that this one has started and that are not gone."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


class ProcessesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = fovea.compile(VGG8)
        cls.xs = np.stack([cls.net.read_picture(path) for path in PICTURES])

    def tearDown(self):
        self.assertEqual(children(), [])

    def test_gives_what_single_runs_give(self):
        for options in ({"dram": "random"}, {"backend": "cpu"}, {"lists": True}):
            expected = [self.net.run(x, **options) for x in self.xs]
            for processes in (1, 3):
                done = []
                runs = self.net.run_many(self.xs, processes, progress=lambda *n: done.append(n), **options)
                self.assertEqual(done, [(i + 1, len(self.xs)) for i in range(len(self.xs))])
                for mine, other in zip(runs, expected, strict=True):
                    np.testing.assert_array_equal(mine.output, other.output)
                    self.assertTrue(mine.layers.equals(other.layers))
                    self.assertEqual(mine.cycles, other.cycles)
                    self.assertEqual(mine.lists.tolist(), other.lists.tolist())

    def test_runs_none(self):
        self.assertEqual(self.net.run_many([]), [])

    def test_refuses_an_input_before_a_process_starts(self):
        with self.assertRaisesRegex(fovea.UsageError, "the network takes"):
            self.net.run_many([self.xs[0], self.xs[0][:, :8]])
        with self.assertRaisesRegex(fovea.UsageError, "processes=0: too small"):
            self.net.run_many(self.xs, processes=0)

    def test_carries_errors(self):
        net = fovea.compile(VGG8, folder=self.enterContext(tempfile.TemporaryDirectory()))
        weights = net.folder / "weight.bin"
        weights.write_bytes(weights.read_bytes()[:-1])
        with self.assertRaisesRegex(fovea.NetworkError, "weight.bin: .*compile the network again"):
            net.run_many(self.xs)

    def test_says_which_input_a_process_died_at(self):
        def kill(done, _of):
            if done == 1:
                for child in children():
                    os.kill(int(child), signal.SIGKILL)

        with self.assertRaisesRegex(fovea.WorkerError, r"input \d+: its process was killed \(Killed\)") as caught:
            self.net.run_many(np.repeat(self.xs, 10, axis=0), progress=kill)
        self.assertLess(caught.exception.item, 10 * len(self.xs))

    def test_ends_all_processes_with_ctrl_c(self):
        def interrupt(done, _of):
            if done == 2:
                threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

        with self.assertRaises(KeyboardInterrupt):
            self.net.run_many(np.repeat(self.xs, 100, axis=0), progress=interrupt)
        self.assertEqual(children(), [])
        self.assertEqual(len(self.net.run_many(self.xs[:2])), 2)

    def test_works_from_a_script_without_a_main_guard(self):
        script = (
            "import fovea, numpy\n"
            f"net = fovea.compile({str(VGG8)!r})\n"
            "print([run.cycles for run in net.run_many(numpy.zeros((3, 3, 32, 32)), processes=2)])\n"
        )
        done = subprocess.run([sys.executable, "-B", "-"], input=script, text=True, capture_output=True, check=True)
        self.assertEqual(done.stdout, f"{[self.net.run(self.xs[0]).cycles] * 3}\n")


if __name__ == "__main__":
    unittest.main()
