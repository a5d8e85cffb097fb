# SPDX-License-Identifier: Apache-2.0
"""Exploring on a cluster of Dask on this computer: the rows of one process, whatever ends workers or the scheduler."""
import importlib.util
import json
import logging
import signal
import socket
import subprocess
import sys
import time
import unittest
from unittest import mock

import fovea
from evaluations import SPACE, ExplorationTest, kept_in
from programs import BUILD, VGG8

WAIT_SECONDS = 60  #: For what takes a few.
HERE = "127.0.0.1"


def free_port():
    with socket.create_server((HERE, 0)) as server:
        return server.getsockname()[1]


@unittest.skipUnless(importlib.util.find_spec("distributed"), "python3-distributed is not here")
class ClusterTest(ExplorationTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        logging.disable()  # Dask logs tracebacks of a lost scheduler.

    def setUp(self):
        super().setUp()
        self.address = f"tcp://{HERE}:{free_port()}"
        self.start_scheduler()
        self.start_workers()

    def start(self, module, *words):
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *words, "--no-dashboard"],
            env=self.counted.environment,
            cwd=self.folder,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_scheduler(self):
        self.scheduler = self.start("dask_scheduler", "--host", HERE, "--port", self.address.rpartition(":")[2])

    def start_workers(self):
        words = ("--nthreads", "1", "--no-nanny", "--death-timeout", str(WAIT_SECONDS))
        self.workers = [self.start("dask_worker", self.address, *words) for _ in range(2)]

    def explore(self, **options):
        from distributed import Client  # type: ignore[import]

        with Client(self.address, timeout=WAIT_SECONDS) as client:
            client.wait_for_workers(len(self.workers), timeout=WAIT_SECONDS)
            return fovea.explore(SPACE, [VGG8], database=self.database, client=client, **options)

    def check_complete(self, found, kept):
        """In flight is what a worker had at hand, and what it had answered last."""
        self.check(found, kept, 2 * len(self.workers))

    def lose(self, *processes):
        """Explores until 4 designs are done; the processes are killed then. Returns what the database has after the
        one line that says so."""

        def kill(done, _of):
            for process in processes if done == 4 else ():
                process.kill()

        with self.assertRaises(fovea.WorkerError) as caught:
            self.explore(progress=kill)
        (line,) = str(caught.exception).splitlines()
        self.assertRegex(line, f"^{self.address}: .*; designs evaluated so far are kept, and the same call resumes$")
        kept = kept_in(self.database)
        self.assertIn(len(kept), range(4, 12))
        return kept, line

    def test_others_do_what_a_killed_worker_had(self):
        kept = set()

        def kill(done, _of):
            if done == 4:
                kept.update(kept_in(self.database))
                self.workers[0].kill()

        self.check_complete(self.explore(progress=kill), kept)
        self.assertEqual(len(kept), 4)

    def test_goes_on_with_workers_that_replace_lost_ones(self):
        kept = set()

        def replace(done, _of):
            if done == 4:
                kept.update(kept_in(self.database))
                for process in self.workers:
                    process.kill()
                self.start_workers()

        self.check_complete(self.explore(progress=replace), kept)

    def test_resumes_after_all_workers_are_lost(self):
        with mock.patch("fovea.evaluation.WORKERLESS_SECONDS", 2):
            kept, line = self.lose(*self.workers)
        self.assertIn("no worker for 2 s", line)
        self.start_workers()
        self.check_complete(self.explore(), kept)

    def test_resumes_after_the_scheduler_is_lost(self):
        kept, line = self.lose(self.scheduler)
        self.assertIn("the connection to the scheduler was lost", line)
        for process in self.workers:
            process.kill()
        self.start_scheduler()
        self.start_workers()
        self.check_complete(self.explore(), kept)

    def test_a_command_says_in_one_line_what_ended_it(self):
        space = self.folder / "space.json"
        space.write_text(json.dumps(SPACE))
        output = self.folder / "out"
        words = ["explore", space, "--networks", VGG8, "-o", output, "--scheduler", self.address]
        database = output / "explored.sqlite"
        for end, status, line in (
            (lambda running: running.send_signal(signal.SIGINT), 130, "ended; the same command resumes"),
            (
                lambda running: self.scheduler.kill(),
                1,
                f"fovea: {self.address}: the connection to the scheduler was lost; ",
            ),
        ):
            before = len(kept_in(database)) if database.exists() else 0
            with subprocess.Popen(
                [BUILD / "bin/fovea", *map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            ) as running:
                self.addCleanup(running.kill)
                latest = time.monotonic() + WAIT_SECONDS
                while not database.exists() or len(kept_in(database)) < before + 3:
                    self.assertLess(time.monotonic(), latest)
                    time.sleep(0.02)
                end(running)
                said = running.communicate(timeout=WAIT_SECONDS)
            self.assertEqual((running.returncode, said[0]), (status, ""))
            self.assertTrue(said[1].splitlines()[-1].startswith(line), said[1])
            self.assertNotIn("Traceback", said[1])
            self.assertIn(len(kept_in(database)), range(before + 3, 12))


if __name__ == "__main__":
    unittest.main()
