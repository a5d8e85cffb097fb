# SPDX-License-Identifier: Apache-2.0
"""Networks that stay open between runs. The SystemC kernel has one device a process, so one device is open at a
time."""
import logging
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Optional, Protocol

from . import _fovea
from .machine import Machine


class Opened(Protocol):
    """What a session is of: a Network."""

    folder: Path
    machine: Optional[Machine]
    summary: dict[str, Any]


_log = logging.getLogger("fovea")
_lock = threading.RLock()
_open: tuple[Any, Optional[_fovea.Session]] = (None, None)
_on_cpu: "weakref.WeakKeyDictionary[Opened, _fovea.Session]" = weakref.WeakKeyDictionary()


def _session(
    network: Opened, backend: str, memory: str, lists: bool, checked: bool, traces: dict[str, Any]
) -> _fovea.Session:
    machine = network.machine
    return _fovea.Session(
        str(network.folder),
        backend=backend,
        machine=machine._file if machine else None,
        machine_file=str(machine.as_file()) if machine else "",
        memory=memory,
        lists=lists,
        checked=checked,
        traces=traces,
        say=_log.info,
    )


@contextmanager
def on_device(network: Opened, backend: str, memory: str, lists: bool, checked: bool) -> Iterator[_fovea.Session]:
    """The session of a network on a device; while it is held no other thread has one. A device whose memory remembers
    is a new one, so that a run takes what it takes whatever ran before."""
    global _open
    key = (str(network.folder), network.summary["model_key"], network.machine, backend, memory, lists, checked)
    with _lock:
        machine = network.machine
        if _open[0] != key or (machine is not None and _fovea.remembers(machine._file, memory)):
            close()
            _open = (key, _session(network, backend, memory, lists, checked, {}))
        session = _open[1]
        assert session is not None
        yield session


@contextmanager
def traced(
    network: Opened, backend: str, memory: str, lists: bool, checked: bool, traces: dict[str, Any]
) -> Iterator[_fovea.Session]:
    """A session on a device of its own, which writes traces of it. They are whole behind this, also where the run
    failed: they show why."""
    with exclusively():
        session = _session(network, backend, memory, lists, checked, traces)
        try:
            yield session
        except BaseException:
            with suppress(Exception):  # What made the run fail is to be said.
                session.finish()
            raise
        session.finish()


@contextmanager
def exclusively() -> Iterator[None]:
    """No device is open here meanwhile: for those who open one on their own."""
    with _lock:
        close()
        yield


def close() -> None:
    """Closes the device that the last run left open."""
    global _open
    with _lock:
        _open = (None, None)


def on_cpu(network: Opened) -> _fovea.Session:
    """The session of a network in this process's memory."""
    with _lock:
        if network not in _on_cpu:
            _on_cpu[network] = _fovea.Session(
                str(network.folder),
                backend="cpu",
                machine=None,
                machine_file="",
                memory="pipelined",
                say=None,
                lists=False,
                checked=False,
                traces={},
            )
        return _on_cpu[network]
