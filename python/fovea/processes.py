# SPDX-License-Identifier: Apache-2.0
"""Runs a network in processes of their own: fresh interpreters, as a fork would share the simulator's state and this
process's threads. They need no `if __name__ == "__main__"`, and end when this process does."""
import os
import pickle
import queue
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Optional

from .errors import WorkerError
from .run import Run

if TYPE_CHECKING:
    from .network import Network


def run_in_processes(
    network: "Network",
    inputs: list[Any],
    processes: int,
    options: dict[str, Any],
    progress: Optional[Callable[[int, int], object]],
) -> list[Run]:
    """A Run of each of `inputs`, lists of arrays, in their order. Raises what the first of them that failed raised."""
    count = min(processes, len(inputs))
    crew: list[subprocess.Popen[bytes]] = []
    idle: "queue.SimpleQueue[subprocess.Popen[bytes]]" = queue.SimpleQueue()

    def run(item: int) -> Any:
        process = idle.get()
        try:
            has_failed, answer = _ask(process, (str(network.folder), network.machine, options, inputs[item]))
        except (EOFError, OSError, pickle.UnpicklingError):
            raise WorkerError(f"input {item}: {_death_of(process)}", item) from None
        finally:
            idle.put(process)
        if has_failed:
            raise answer
        return answer

    pool = ThreadPoolExecutor(max(1, count))
    try:
        for _ in range(count):
            crew.append(_start())
            idle.put(crew[-1])
        jobs = [pool.submit(run, item) for item in range(len(inputs))]
        for done, job in enumerate(as_completed(jobs), 1):
            if not job.cancelled() and job.exception():
                for other in jobs:
                    other.cancel()
            elif not job.cancelled() and progress is not None:
                progress(done, len(inputs))
    finally:
        for process in crew:
            process.kill()
        pool.shutdown(cancel_futures=True)
        for process in crew:
            process.communicate()
    return [job.result() for job in jobs]


def _start() -> "subprocess.Popen[bytes]":
    paths = [str(_package_folder()), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-c", "from fovea.processes import work; work()"],
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
    _send(process.stdin, job)
    return pickle.load(process.stdout)


def _send(pipe: IO[bytes], what: Any) -> None:
    pickle.dump(what, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _death_of(process: "subprocess.Popen[bytes]") -> str:
    status = process.wait()
    how = f"was killed ({signal.strsignal(-status)})" if status < 0 else f"ended with status {status}"
    return f"its process {how}"


def work() -> None:
    """What a process does: answers jobs, each of the same network."""
    from .network import load

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The process that started this one ends it.
    source = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What libraries print does not get between the answers.
    network = None
    while True:
        try:
            folder, machine, options, inputs = pickle.load(source)
        except EOFError:
            return
        try:
            network = network or load(folder, machine)
            answer: tuple[bool, Any] = (
                False,
                network.run({port.name: x for port, x in zip(network.inputs, inputs)}, **options),
            )
        except Exception as error:  # pylint: disable=broad-exception-caught
            answer = (True, _carried(error))
        _send(answers, answer)


def _carried(error: Exception) -> Exception:
    """The exception, if it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:  # pylint: disable=broad-exception-caught
        return WorkerError(f"{type(error).__name__}: {error}")
