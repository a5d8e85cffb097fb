# SPDX-License-Identifier: Apache-2.0
"""Networks that stay open between runs. The SystemC kernel has one device a process, so one device is open at a time."""
import threading
import weakref
from contextlib import contextmanager

from . import _fovea

_lock = threading.RLock()
_open = (None, None)
_remembering = {memory for memory in _fovea.memories if _fovea.remembers(memory)}
_on_cpu = weakref.WeakKeyDictionary()


@contextmanager
def on_device(network, backend, memory, lists, checked):
    """The session of a network on a device; while it is held no other thread has one. A device whose memory remembers is a
    new one, so that a run takes what it takes whatever ran before."""
    global _open
    key = (str(network.folder), network.summary["model_key"], network.machine, backend, memory, lists, checked)
    with _lock:
        if _open[0] != key or memory in _remembering:
            close()
            _open = (key, _fovea.Session(str(network.folder), backend=backend, machine=network.machine._file,
                                         memory=memory, lists=lists, checked=checked))
        yield _open[1]


def close():
    """Closes the device, for those who open one on their own."""
    global _open
    with _lock:
        _open = (None, None)


def on_cpu(network):
    """The session of a network in this process's memory."""
    with _lock:
        if network not in _on_cpu:
            _on_cpu[network] = _fovea.Session(str(network.folder), backend="cpu", machine=None, memory="pipelined",
                                              lists=False, checked=False)
        return _on_cpu[network]
