# SPDX-License-Identifier: Apache-2.0
"""What becomes of an ONNX file, and tables of many."""
import collections
import dataclasses
import difflib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import numpy_helper
from oracle import MODULES, Question, ask_onnxruntime

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from markdown_table import markdown_table

NEAR = 1e-5  # Of the largest value of an output: what float32 sums in another order may differ by.
MOST_NAMED = 4  # Of what is in a group.


class Failed(Exception):
    """A program did not do what it was asked for; says why."""


@dataclasses.dataclass
class Programs:
    """What is run for each file, and its limits."""

    root: pathlib.Path
    seconds: int
    most_bytes: int

    @property
    def folder(self):
        return self.root / (os.environ.get("BUILD") or "build/release") / "bin"

    @property
    def foveac(self):
        return self.folder / "foveac"

    @property
    def fovea(self):
        return self.folder / "fovea"

    def run(self, *words):
        """Returns (exit status, what it printed, its errors). Failed where it went beyond a limit or crashed."""
        with subprocess.Popen(
            ["prlimit", f"--as={self.most_bytes}", *map(str, words)],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as program:
            try:
                said, errors = program.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired as late:
                os.killpg(program.pid, signal.SIGKILL)
                raise Failed("takes too long") from late
        if program.returncode < 0:
            raise Failed(f"crash by {signal.Signals(-program.returncode).name}")
        return program.returncode, said, errors


@dataclasses.dataclass
class Entry:
    """A file. `outcome` is compiles, refused, or failed, which is our fault. `answer` is equal (bit for bit), near,
    differs, or why it was not compared. `reasons` are grouped(), with the operator or element that each is about."""

    folder: str
    path: str
    exporter: str = ""
    outcome: str = "failed"
    answer: str = ""
    reasons: list = dataclasses.field(default_factory=list)
    macs: int = 0
    accelerated_macs: int = 0

    def to_json(self):
        return dataclasses.asdict(self)


def grouped(message, node):
    """(the reason, what it is about) of a line "<node>: <what>; <what would work>": names of files and nodes, and
    numbers, don't make a reason of its own."""
    what = message.removeprefix(f"{node}: ").split(";")[0].strip()
    what = re.sub(r"^\S+: ", "", what)  # A part of the node, or its file.
    about = re.match(r"operator (\S+)", what)
    what = re.sub(r"^operator \S+", "operator NAME", what)
    what = re.sub(r"\[[^\]]*\]|\([\d, ]+\)", "SHAPE", what)
    what = re.sub(r"(?<![\w.-])-?\d[\d.]*(e-?\d+)?(?![\w-])", "N", what)
    what = re.sub(r"\b(?!b?float\d|u?int\d)[A-Za-z]+\d+\b", "NAME", what)
    what = re.sub(r"\S*[/._]\S*\w", lambda word: word[0] if "=" in word[0] else "NAME", what)
    return what, about[1] if about else ""


def read_exporter(path):
    """What the file says of what wrote it; "" where it says nothing or is no ONNX file."""
    try:
        model = onnx.load(path, load_external_data=False)
    except DecodeError:
        return ""
    return " ".join(word for word in (model.producer_name, model.producer_version) if word)


def check(programs, path, entry):
    """Fills in what foveac check says."""
    status, said, errors = programs.run(programs.foveac, "check", path.resolve(), "--json")
    try:
        checked = json.loads(said)
    except ValueError:
        last = (errors.strip().splitlines() or ["says nothing"])[-1]
        entry.outcome = "failed" if "internal error" in last or status not in (0, 1) else "refused"
        last = re.sub(r"^(foveac: )?(internal error: )?", r"\2", last)
        entry.reasons = [grouped(last, last.split(": ")[0] if "internal error" not in last else "")]
        return
    entry.outcome = "compiles" if checked["compiles"] else "refused"
    entry.macs, entry.accelerated_macs = checked["macs"], checked["accelerated_macs"]
    entry.reasons = list(dict.fromkeys(grouped(refusal["message"], refusal["node"]) for refusal in checked["refusals"]))


def read_data(folder, start):
    """Arrays of test_data_set_0, in order."""
    arrays = []
    while (file := folder / f"{start}_{len(arrays)}.pb").is_file():
        tensor = onnx.TensorProto()
        tensor.ParseFromString(file.read_bytes())
        arrays.append(numpy_helper.to_array(tensor))
    return arrays


def draw(port, random):
    """An array for an input of the network; dimensions that the file leaves open are 1."""
    tensor = port.type.tensor_type
    dtype = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[tensor.elem_type]
    shape = [max(1, dim.dim_value) for dim in tensor.shape.dim]
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(0, 2 if dtype.kind == "b" or dtype.itemsize > 1 else 100, shape).astype(dtype)


def port_files(names, files):
    """As fovea's options take them."""
    return str(files[0]) if len(files) == 1 else ",".join(f"{name}={file}" for name, file in zip(names, files))


def run_fovea(programs, path, feeds, outputs, folder):
    """Its outputs in a row, each as float32."""
    given, made = ([folder / f"{start}{i}.f32" for i in range(len(of))] for start, of in (("x", feeds), ("y", outputs)))
    for file, array in zip(given, feeds.values()):
        array.astype(np.float32).tofile(file)
    words = ["--input-raw", port_files(list(feeds), given)] if feeds else []
    words += ["--output-raw", port_files(outputs, made)]
    status, _, errors = programs.run(programs.fovea, "run", path.resolve(), "--backend", "cpu", "--quiet", *words)
    if status:
        raise Failed("does not run: " + (errors.strip().splitlines() or [""])[-1])
    return [np.fromfile(file, np.float32) for file in made]


def compared(ours, theirs):
    """equal, near or differs, of all outputs together."""
    words = {"equal"}
    for actual, expected in zip(ours, theirs, strict=True):
        expected = expected.astype(np.float32).reshape(-1)
        if actual.size != expected.size:
            return "differs"
        if not np.array_equal(actual, expected, equal_nan=True):
            with np.errstate(invalid="ignore"):
                apart = np.where(actual == expected, 0, np.abs(actual - expected))
            largest = np.max(np.abs(expected[np.isfinite(expected)]), initial=1e-30)
            words.add("near" if np.max(apart) <= NEAR * largest else "differs")
    return next(word for word in ("differs", "near", "equal") if word in words)


def answer(programs, path):
    """What Entry.answer says of a file that compiles."""
    graph = onnx.load(path).graph
    constants = {tensor.name for tensor in graph.initializer}
    ports = [port for port in graph.input if port.name not in constants]
    outputs = [port.name for port in graph.output]
    if not all(isinstance(name, str) for name in [*outputs, *(port.name for port in ports)]):
        raise Failed("a name that is no UTF-8")
    data = path.parent / "test_data_set_0"
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if data.is_dir():
            feeds = dict(zip((port.name for port in ports), read_data(data, "input")))
            expected = read_data(data, "output")
        elif MODULES.exists():
            random = np.random.default_rng(zlib.crc32(path.name.encode()))
            feeds = {port.name: draw(port, random) for port in ports}
            link = folder / "net.onnx"  # its files are left in the folder
            link.symlink_to(path.resolve())
            try:
                asked = ask_onnxruntime([Question(link, feeds)], folder, programs.seconds)[0]
            except subprocess.TimeoutExpired:
                return "ONNX Runtime takes too long"
            if asked.error:
                return "ONNX Runtime refuses it"
            expected = list(asked.outputs.values())
        else:
            return "nothing to compare with"
        return compared(run_fovea(programs, path, feeds, outputs, folder), expected)


def examine(programs, folder, path):
    entry = Entry(folder, str(path.relative_to(folder)), read_exporter(path))
    try:
        check(programs, path, entry)
        if entry.outcome == "compiles":
            entry.answer = answer(programs, path)
    except Failed as failed:
        if entry.outcome == "compiles":
            entry.answer = str(failed)
        else:
            entry.reasons = [(str(failed), "")]
    return entry


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def summary_table(title, groups):
    """A row for each group of files: {name: entries}."""
    rows = []
    for name, entries in groups.items():
        compiled = [entry for entry in entries if entry.outcome == "compiles"]
        answers = collections.Counter(entry.answer for entry in compiled)
        known = [answers.pop(word, 0) for word in ("equal", "near", "differs")]
        macs = sum(entry.macs for entry in compiled)
        share = percent(sum(entry.accelerated_macs for entry in compiled), macs)
        others = sum(entry.outcome != "compiles" for entry in entries)
        rows.append([name, len(entries), len(compiled), *known, sum(answers.values()), others, share])
    head = [
        title,
        "files",
        "compile",
        "equal",
        "within 1e-5",
        "differ",
        "not compared",
        "refused",
        "MACs on the device",
    ]
    return markdown_table(head, rows)


def by(entries, key):
    groups = collections.defaultdict(list)
    for entry in entries:
        groups[key(entry)].append(entry)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def examples(entries, reason):
    """What a reason is about, with counts; or its first files."""
    about = collections.Counter(word for entry in entries for what, word in entry.reasons if what == reason and word)
    if about:
        return ", ".join(f"{word} {count}" for word, count in sorted(about.items(), key=lambda row: (-row[1], row[0])))
    names = [
        str(pathlib.PurePath(entry.path).parent if entry.path.endswith("model.onnx") else entry.path)
        for entry in entries
    ]
    return ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")


def reasons_table(entries):
    """A row for each reason, and how many files have no other one."""
    groups = collections.defaultdict(list)
    for entry in entries:
        for reason in dict.fromkeys(reason for reason, _ in entry.reasons):
            groups[reason].append(entry)
    rows = []
    for reason, those in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        alone = sum(len({what for what, _ in entry.reasons}) == 1 for entry in those)
        rows.append([reason.replace("|", "\\|"), len(those), alone, examples(those, reason)])
    return markdown_table(["reason", "files", "no other reason", "operators, or the first files"], rows)


def tables(entries):
    """All that is known of the files, in Markdown."""
    parts = [summary_table("folder", by(entries, lambda entry: entry.folder))]
    exporters = by(entries, lambda entry: entry.exporter or "not said")
    parts.append(summary_table("exporter", exporters))
    if any(entry.reasons for entry in entries):
        parts.append(reasons_table(entries))
    wrong = [entry for entry in entries if entry.answer not in ("", "equal", "near")]
    if wrong:
        groups = by(wrong, lambda entry: entry.answer)
        parts.append(
            markdown_table(
                ["answer", "files", "the first"],
                [[word, len(those), examples(those, word)] for word, those in groups.items()],
            )
        )
    return "\n\n".join(parts)


def hold_page(path, census_of):
    """Compares the tables of a page with census_of(folder), or writes them where FOVEA_REBASE is set: those between
    "<!-- census FOLDER -->" and "<!-- end -->". What the page has of a folder that is not there stays. Returns the exit
    status."""

    def made(section):
        folder = section[1]
        if not pathlib.Path(folder).is_dir():
            print(f"{path}: {folder} is not there")
            return section[0]
        return f"<!-- census {folder} -->\n\n{census_of(folder)}\n\n<!-- end -->"

    page = path.read_text(encoding="utf-8")
    wanted = re.sub(r"<!-- census (\S+) -->.*?<!-- end -->", made, page, flags=re.S)
    if wanted == page:
        print(f"{path}: as the census says")
        return 0
    if os.environ.get("FOVEA_REBASE"):
        path.write_text(wanted, encoding="utf-8")
        return 0
    print("\n".join(difflib.unified_diff(page.splitlines(), wanted.splitlines(), lineterm="", n=0)))
    print(f"{path}: not what the census says; FOVEA_REBASE=1 writes it", file=sys.stderr)
    return 1
