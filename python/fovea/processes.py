# SPDX-License-Identifier: Apache-2.0
"""Work in processes of their own: fresh interpreters, as a fork would share the simulator's state and this
process's threads. They need no `if __name__ == "__main__"`, and end when this process does."""
import os
import pickle
import queue
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import IO, Any, Optional

from .errors import WorkerError
from .machine import Machine
from .run import Run


def run_in_processes(
    folder: Path,
    machine: Optional[Machine],
    inputs: list[Any],
    processes: int,
    options: dict[str, Any],
    progress: Optional[Callable[[int, int], object]],
) -> list[Run]:
    """A Run of each of `inputs`, lists of arrays, in their order, of the network in a folder. Raises what the first of
    them that failed raised."""
    runs: list[Optional[Run]] = [None] * len(inputs)
    jobs = [(str(folder), machine, options, each) for each in inputs]
    for done, (item, run) in enumerate(answers("fovea.worker", jobs, processes), 1):
        runs[item] = run
        if progress is not None:
            progress(done, len(inputs))
    return [run for run in runs if run is not None]


def answers(worker: str, jobs: Sequence[Any], processes: int) -> Iterator[tuple[int, Any]]:
    """What `work()` of the module `worker` answers to each job in fresh interpreters, as it comes: the job's place and
    the answer. Raises what the first that failed raised, WorkerError where a process died; then no other job begins."""
    count = min(processes, len(jobs))
    crew: list[subprocess.Popen[bytes]] = []
    idle: "queue.SimpleQueue[subprocess.Popen[bytes]]" = queue.SimpleQueue()

    def run(item: int) -> tuple[int, Any]:
        process = idle.get()
        try:
            has_failed, answer = _ask(process, jobs[item])
        except (EOFError, OSError, pickle.UnpicklingError):
            raise WorkerError(f"input {item}: {_death_of(process)}", item) from None
        finally:
            idle.put(process)
        if has_failed:
            raise answer
        return item, answer

    pool = ThreadPoolExecutor(max(1, count))
    try:
        for _ in range(count):
            crew.append(_start(worker))
            idle.put(crew[-1])
        all_jobs = [pool.submit(run, item) for item in range(len(jobs))]
        for job in as_completed(all_jobs):
            if job.cancelled():
                continue
            if job.exception():
                for other in all_jobs:
                    other.cancel()
            else:
                yield job.result()
    finally:
        for process in crew:
            process.kill()
        pool.shutdown(cancel_futures=True)
        for process in crew:
            process.communicate()
    for job in all_jobs:
        if not job.cancelled():
            job.result()


def _start(worker: str) -> "subprocess.Popen[bytes]":
    paths = [str(_package_folder()), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-c", f"from {worker} import work; work()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


def _package_folder() -> Path:
    """The folder that `fovea` is imported from: not that of the sources that a build folder links to."""
    return Path(__file__).absolute().parents[1]


def _ask(process: "subprocess.Popen[bytes]", job: tuple[Any, ...]) -> Any:
    """(whether it failed, the Run or what was raised) of a job of work()."""
    assert process.stdin is not None and process.stdout is not None
    send(process.stdin, job)
    return pickle.load(process.stdout)


def send(pipe: IO[bytes], what: Any) -> None:
    """Writes something for the process at the other end."""
    pickle.dump(what, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _death_of(process: "subprocess.Popen[bytes]") -> str:
    status = process.wait()
    how = f"was killed ({signal.strsignal(-status)})" if status < 0 else f"ended with status {status}"
    return f"its process {how}"
