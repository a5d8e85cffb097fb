# SPDX-License-Identifier: Apache-2.0
"""Machines: the ones that ship, files of one's own, and ones made of numbers."""
import copy
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Optional, Union

from . import _fovea
from .errors import MachineError, choose
from .table import Table, html_of


def machines() -> list[str]:
    """Names of the machines that ship.

    >>> "eyeriss_6x8" in machines()
    True
    """
    return _fovea.machine_names()


class Machine:
    """A machine: array, spads, GLB, bus, networks, clock (`clock_mhz`), energies and, where they are declared, the
    memory (`dram`) and the CPU beside it (`cpu`), as in a machine file (docs/machine.md says what each number is). It
    never changes; each field is an attribute.

    `Machine(rows=12, cols=14)` is one like `base` but for the fields given. Without a name it gets one of its geometry.

    >>> small = Machine(rows=4, cols=4)
    >>> small.pes, small.bus_bytes
    (16, 4)
    >>> Machine.load("eyeriss_6x8").replace(bus_bytes=8, name="wide").bus_bytes
    8
    >>> Machine(rows=99)
    Traceback (most recent call last):
    ...
    fovea.errors.MachineError: Machine: field "rows" is 99; it must be an integer from 2 to 64
    """

    name: str
    rows: int
    cols: int
    ifmap_spad_bytes: int
    filter_spad_bytes: int
    max_pe_filters: int
    glb_bytes: int
    glb_bank_bytes: int
    bus_bytes: int
    psum_lanes: int
    ifmap_bytes_per_cycle: int
    filter_bytes_per_cycle: int
    max_pass_filters: int
    clock_mhz: float
    energy: dict[str, float]
    cpu: dict[str, Any]
    dram: Union[str, dict[str, Any]]
    energy_pj: dict[str, Any]
    density: dict[str, Any]

    def __init__(
        self,
        base: "Union[Machine, str, os.PathLike[str]]" = "eyeriss_6x8",
        *,
        name: Optional[str] = None,
        **fields: Any,
    ) -> None:
        start = base if isinstance(base, Machine) else Machine.load(base)
        self._set(_changed(start.fields, name, fields), "Machine", None)

    def _set(self, fields: dict[str, Any], place: str, path: Optional[Path]) -> None:
        text = json.dumps(fields, indent=2)
        # Past __setattr__, which refuses.
        self.__dict__.update(_fields=fields, _file=_fovea.MachineFile(text, place), _path=path)

    @classmethod
    def load(cls, name_or_file: "Union[str, os.PathLike[str]]") -> "Machine":
        """One that ships, by its name, or a file. Raises MachineError."""
        path = Path(_fovea.machine_file(str(name_or_file)))
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError):
            raise MachineError(
                f"{name_or_file}: cannot be read; expected a machine file or one of {', '.join(machines())}"
            ) from None
        machine = cls.__new__(cls)
        # The file is checked by those who define it; only then is it known to be an object.
        _fovea.MachineFile(text, str(path))
        machine._set(json.loads(text), str(path), path.resolve())
        return machine

    @classmethod
    def of_fields(cls, fields: dict[str, Any], name: Optional[str] = None, place: str = "Machine") -> "Machine":
        """One of all fields of a machine file; without a name, one of its geometry. Raises MachineError.

        place: what errors call it.
        """
        machine = cls.__new__(cls)
        machine._set({**fields, "name": name} if name is not None else _named(fields), place, None)
        return machine

    def save(self, path: "Union[str, os.PathLike[str]]") -> Path:
        """Writes it as a machine file, for `MACHINE=` and `--machine`."""
        path = Path(path)
        path.write_text(json.dumps(self._fields, indent=2) + "\n")
        return path

    def as_file(self) -> Path:
        """A file of it: its own, or one in Fovea's cache, as a library that is built for it may have to be built
        again."""
        if self._path is not None:
            return Path(self._path)
        text = json.dumps(self._fields, indent=2) + "\n"
        folder = Path(_fovea.cache_folder()) / "machines"
        path = folder / f"{self.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
        if not path.exists() or path.read_text() != text:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o755, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
                file.write(text)
            os.replace(file.name, path)
        return path

    def replace(self, *, name: Optional[str] = None, **fields: Any) -> "Machine":
        """One like this but for the fields given. Raises MachineError."""
        return Machine(self, name=name, **fields)

    @property
    def fields(self) -> dict[str, Any]:
        """A copy of what its file says."""
        return copy.deepcopy(self._fields)

    @property
    def pes(self) -> int:
        """Processing elements: rows times columns."""
        return self.rows * self.cols

    @property
    def memory(self) -> str:
        """What its memory is called in results: a preset's name, or "own-" and a digest of the numbers of `dram`.

        >>> Machine("eyeriss_6x8").memory, Machine(dram="ddr").memory
        ('pipelined', 'ddr')
        >>> Machine(dram={"base": "ddr", "read_latency_cycles": 9}).memory[:4]
        'own-'
        """
        return str(self._file.memory)

    @property
    def mac_pj(self) -> Optional[float]:
        """What a 16-bit MAC takes, in pJ; None where neither `energy_pj` nor `energy` says it."""
        return self._file.mac_pj or None

    @property
    def area_mm2(self) -> Optional[float]:
        """By the area model, at the `density`; None without one."""
        return self._file.area_mm2 or None

    def __getattr__(self, field: str) -> Any:
        try:
            return self.__dict__["_fields"][field]
        except KeyError:
            raise AttributeError(f"a machine has no {field!r}") from None

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"{field}: a machine does not change; use replace()")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and bool(self._fields == other._fields)

    def __hash__(self) -> int:
        return hash(json.dumps(self._fields, sort_keys=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self._fields, self._path)

    def __repr__(self) -> str:
        return f"<Machine {self.name}: {self.rows} x {self.cols} PEs, GLB {self.glb_bytes:,} B, bus {self.bus_bytes} B>"

    def _repr_html_(self) -> str:
        fields = {name: value for name, value in self._fields.items() if name not in ("name", "note")}
        return html_of(self, Table({"field": list(fields), "value": [str(value) for value in fields.values()]}))


def _remade(fields: dict[str, Any], path: Optional[Path]) -> Machine:
    machine = Machine.__new__(Machine)
    machine._set(fields, "Machine", path)
    return machine


def _changed(fields: dict[str, Any], name: Optional[str], changes: dict[str, Any]) -> dict[str, Any]:
    """The fields with the changes, and a name that says what they are."""
    if not changes and name is None:
        return fields
    changed = {**fields, **changes}
    for part in ("energy", "cpu"):
        if part in changes:
            changed[part] = {**fields.get(part, {}), **changes[part]}
    changed.pop("note", None)
    if "note" in changes:
        changed["note"] = changes["note"]
    return {**changed, "name": name} if name is not None else _named(changed)


def _named(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with a name of their geometry."""
    rest = json.dumps({key: value for key, value in fields.items() if key not in ("name", "note")}, sort_keys=True)
    name = f"array_{fields.get('rows')}x{fields.get('cols')}_{hashlib.sha256(rest.encode()).hexdigest()[:8]}"
    return {**fields, "name": name}


def as_machine(machine: "Union[Machine, str, os.PathLike[str]]") -> Machine:
    """A Machine, or the one of that name or file."""
    return machine if isinstance(machine, Machine) else Machine.load(machine)


def memory_name(machine: Optional[Machine], dram: Optional[str]) -> str:
    """A memory by its name: of `fovea.memories`, or the machine's own, which None is too. Raises UsageError."""
    own = machine.memory if machine is not None else _fovea.memories[0]
    return own if dram in (None, own) else choose("dram", dram, _fovea.memories)
