# SPDX-License-Identifier: Apache-2.0
"""The process that `Network.run_many` starts: it runs a network, input by input."""
import os
import pickle
import signal
from typing import Any

from .errors import WorkerError
from .network import load
from .processes import send


def work() -> None:
    """What a process does: answers jobs, each of the same network."""
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
        send(answers, answer)


def _carried(error: Exception) -> Exception:
    """The exception, if it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:  # pylint: disable=broad-exception-caught
        return WorkerError(f"{type(error).__name__}: {error}")
