# SPDX-License-Identifier: Apache-2.0
"""The process that `Network.run_many` starts: it runs a network, input by input. Other workers serve as it does."""
import os
import pickle
import signal
from collections.abc import Callable
from typing import Any, Optional

from .errors import WorkerError
from .network import Network, load
from .processes import send


def work() -> None:
    """What a process does: answers jobs, each of the same network."""
    network: Optional[Network] = None

    def run(job: Any) -> Any:
        nonlocal network
        folder, machine, options, inputs = job
        network = network or load(folder, machine)
        return network.run({port.name: x for port, x in zip(network.inputs, inputs)}, **options)

    serve(run)


def serve(answer_of: Callable[[Any], Any]) -> None:
    """Answers jobs until the process that started this one has no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The process that started this one ends it.
    source = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What libraries print does not get between the answers.
    while True:
        try:
            job = pickle.load(source)
        except EOFError:
            return
        try:
            answer: tuple[bool, Any] = (False, answer_of(job))
        except Exception as error:  # pylint: disable=broad-exception-caught
            answer = (True, _carried(error))
        send(answers, answer)


def _carried(error: Exception) -> Exception:
    """The exception, if it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:  # pylint: disable=broad-exception-caught
        return WorkerError(f"{type(error).__name__}: {error}")
