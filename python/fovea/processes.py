# SPDX-License-Identifier: Apache-2.0
"""Runs a network in processes of their own: fresh interpreters, as a fork would share the simulator's state and this
process's threads. They need no `if __name__ == "__main__"`, and end when this process does."""
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Optional

from .errors import WorkerError
from .run import Run

if TYPE_CHECKING:
    from .network import Network


def run_in_processes(network: "Network", inputs: list[Any], processes: int, options: dict[str, Any],
                     progress: Optional[Callable[[int, int], object]]) -> list[Run]:
    """A Run of each of `inputs`, lists of arrays, in their order. Raises what the first of them that failed raised."""
    results: dict[int, Run] = {}
    crew = _Crew(network, inputs, min(processes, len(inputs)), options)
    try:
        for done, (item, result) in enumerate(crew.results(), 1):
            results[item] = result
            if progress is not None:
                progress(done, len(inputs))
    finally:
        crew.end()
    if crew.failure:
        raise crew.failure[1]
    return [results[item] for item in range(len(inputs))]


class _Crew:
    """Processes, and for each a thread that hands it the next input and takes its answer."""

    def __init__(self, network: "Network", inputs: list[Any], count: int, options: dict[str, Any]) -> None:
        self._inputs = inputs
        self._next = 0
        self._lock = threading.Lock()
        self._answers: "queue.SimpleQueue[Optional[tuple[int, Run]]]" = queue.SimpleQueue()
        self.failure: Optional[tuple[int, BaseException]] = None  #: (item, exception) of the first input in order that failed.
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        try:
            for _ in range(count):
                self._processes.append(_start())
        except BaseException:
            self.end()
            raise
        job = (str(network.folder), network.machine, options)
        for process in self._processes:
            self._threads.append(threading.Thread(target=self._serve, args=(process, job), daemon=True))
            self._threads[-1].start()

    def results(self) -> Iterator[tuple[int, Run]]:
        """(item, Run), as they are ready; ends early where one failed."""
        for _ in self._threads:
            while (answer := self._answers.get()) is not None:
                yield answer

    def _take(self) -> Optional[int]:
        """The next item, or None."""
        with self._lock:
            item = self._next
            if self.failure or item == len(self._inputs):
                return None
            self._next += 1
            return item

    def _fail(self, item: int, error: BaseException) -> None:
        with self._lock:
            if self.failure is None or item < self.failure[0]:
                self.failure = (item, error)

    def _serve(self, process: "subprocess.Popen[bytes]", job: tuple[Any, ...]) -> None:
        assert process.stdin is not None and process.stdout is not None
        item: Optional[int] = None
        try:
            _send(process.stdin, job)
            while (item := self._take()) is not None:
                _send(process.stdin, self._inputs[item])
                has_failed, answer = pickle.load(process.stdout)
                if has_failed:
                    self._fail(item, answer)
                    break
                self._answers.put((item, answer))
        except (EOFError, OSError, pickle.UnpicklingError):
            at = self._next if item is None else item
            self._fail(at, WorkerError(f"input {at}: {_death_of(process)}", at))
        finally:
            self._answers.put(None)

    def end(self) -> None:
        """Ends the processes, whatever they do."""
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.wait()
            assert process.stdin is not None and process.stdout is not None
            process.stdout.close()
            try:
                process.stdin.close()
            except OSError:
                pass  # What it did not read any more.


def _start() -> "subprocess.Popen[bytes]":
    paths = [str(_package_folder()), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen([sys.executable, "-c", "from fovea.processes import work; work()"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})


def _package_folder() -> Path:
    """The folder that `fovea` is imported from: not that of the sources that a build folder links to."""
    return Path(__file__).absolute().parents[1]


def _send(pipe: IO[bytes], what: Any) -> None:
    pickle.dump(what, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _death_of(process: "subprocess.Popen[bytes]") -> str:
    status = process.wait()
    how = f"was killed ({signal.strsignal(-status)})" if status < 0 else f"ended with status {status}"
    return f"its process {how}"


def work() -> None:
    """What a process does: reads a job and its inputs, and answers each."""
    from .network import load
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The process that started this one ends it.
    source = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What libraries print does not get between the answers.
    folder, machine, options = pickle.load(source)
    network = None
    while True:
        try:
            inputs = pickle.load(source)
        except EOFError:
            return
        try:
            network = network or load(folder, machine)
            answer: tuple[bool, Any] = (False, network.run({port.name: x for port, x in zip(network.inputs, inputs)}, **options))
        except Exception as error:
            answer = (True, _carried(error))
        _send(answers, answer)


def _carried(error: Exception) -> Exception:
    """The exception, if it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return WorkerError(f"{type(error).__name__}: {error}")
