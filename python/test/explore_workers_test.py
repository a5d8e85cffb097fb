# SPDX-License-Identifier: Apache-2.0
"""Exploring with worker processes: the rows of one process, whatever ends a worker or the program."""
import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import fovea
from evaluations import SPACE, ExplorationTest, kept_in, rows_of
from processes_test import children
from programs import VGG8

WAIT_SECONDS = 120  #: For what takes a few.


class WorkersTest(ExplorationTest):
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, self.counted.environment))

    def explore(self, processes, **options):
        return fovea.explore(SPACE, [VGG8], database=self.database, processes=processes, **options)

    def check_resumes(self, kept, processes):
        """Explores the rest: nothing kept is evaluated again, and of the others only what was in flight."""
        told = []
        found = self.explore(processes, progress=lambda *done: told.append(done))
        self.assertEqual(told, [(done, 12) for done in range(len(kept) + 1, 13)])
        self.check(found, kept, processes)

    def test_processes_give_the_rows_of_one(self):
        for processes in (2, 4):
            self.database = self.folder / f"{processes}.sqlite"
            self.assertEqual(rows_of(self.explore(processes), self.folder), self.expected)
        self.assertEqual(self.counted.names, dict.fromkeys(self.designs, 2))

    def test_a_killed_process_ends_it_in_one_line_and_it_resumes(self):
        def kill(done, _of):
            if done == 4:
                os.kill(int(children()[0]), signal.SIGKILL)

        with self.assertRaises(fovea.WorkerError) as caught:
            self.explore(2, progress=kill)
        self.assertRegex(
            str(caught.exception),
            r"^array_\w+: its process was killed \(Killed\); designs evaluated so far are kept, .* resumes$",
        )
        self.assertEqual(children(), [])
        kept = kept_in(self.database)
        self.assertIn(len(kept), range(4, 12))
        self.check_resumes(kept, 2)

    def test_an_interrupted_program_resumes(self):
        program = f"import fovea; fovea.explore({SPACE}, [{str(VGG8)!r}], database={str(self.database)!r}, processes=2)"
        with subprocess.Popen(
            [sys.executable, "-c", program], stderr=subprocess.PIPE, start_new_session=True
        ) as running:
            self.addCleanup(running.kill)
            end = time.monotonic() + WAIT_SECONDS
            while not self.database.exists() or len(kept_in(self.database)) < 4:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            os.killpg(running.pid, signal.SIGINT)  # As a terminal does: of the workers too.
            said = running.communicate(timeout=WAIT_SECONDS)[1]
        self.assertEqual(said.splitlines()[-1], b"KeyboardInterrupt")
        kept = kept_in(self.database)
        self.assertIn(len(kept), range(4, 12))
        self.check_resumes(kept, 2)


if __name__ == "__main__":
    unittest.main()
