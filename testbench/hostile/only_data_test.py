# SPDX-License-Identifier: Apache-2.0
"""What is in a network's file, or in a file beside it, stays data: none of it is run, reads a file outside of the
network's folder, or writes one.

Each file is made so that a program which runs a name, a text or a field of it makes a canary, and one that follows a
path reads the secret. Each is given to the programs and to Python, whatever they say of it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np
import small_network
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release"))
FOVEA = BUILD / "bin/fovea"
SECRET = b"SECRET-CANARY-BYTES-" * 8  # 160 bytes: 40 floats.
# In C, shells, Python, Markdown with code, and templates of text.
COMMANDS = (
    "touch canary",
    "$(touch canary)",
    "`touch canary`",
    "; touch canary #",
    "| touch canary",
    '"; system("touch canary"); "',
    '*/ int system(const char*); static int never = system("touch canary"); /*',
    '\\\n#include <stdlib.h>\nvoid __attribute__((constructor)) run(void) { system("touch canary"); }\n//',
    "__import__('os').system('touch canary')",
    "{{ ''.__class__.__mro__ }}${open('canary', 'w')}",
    "../canary",
    "../../canary",
    "%n%n%s%s",
    "canary.py",
    "canary.c",
    "canary",
)
CANARY_PY = "open('canary', 'w').close()\n"
CANARY_C = '#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fclose(fopen("canary", "w")); }\n'
PYTHON = """import sys, pathlib
import fovea
out, *paths = map(pathlib.Path, sys.argv[1:])
for path in paths:
    for act in (
        lambda: fovea.ir.load(path),
        lambda: fovea.compile(path, target="cpu", folder=out).run([0.0] * 4),
        lambda: fovea.quantize(path, path.parent / "in.f32", output=out.with_suffix(".onnx")),
    ):
        try:
            act()
        except Exception as error:
            print(type(error).__name__, error)
"""


def relu_net(name="y", **model_fields):
    node = helper.make_node("Relu", ["x"], ["y"], name)
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 4]) for end in "xy"]
    graph = helper.make_graph([node], "net", ends[:1], ends[1:], doc_string=model_fields.pop("graph_doc", ""))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    for key, value in model_fields.items():
        setattr(model, key, value)
    return model


def with_external(location, offset="0"):
    """y = x + a constant whose data is elsewhere."""
    node = helper.make_node("Add", ["x", "w"], ["y"], "sum")
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 40]) for end in "xy"]
    weight = TensorProto(name="w", dims=[1, 40], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", "160")):
        weight.external_data.add(key=key, value=value)
    graph = helper.make_graph([node], "net", ends[:1], ends[1:], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def with_custom(domain, op, text):
    node = helper.make_node(op, ["x"], ["y"], text, domain=domain, code=text, doc_string=text)
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [1, 4]) for end in "xy"]
    graph = helper.make_graph([node], text, ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid(domain, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name=text)


def with_function(text):
    """A function of the model's own, whose body has one operator of ONNX's and one of a module's name."""
    body = [helper.make_node("Relu", ["a"], ["b"]), helper.make_node("run", ["b"], ["c"], domain="canary", code=text)]
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("canary", 1), helper.make_opsetid("os", 1)]
    function = helper.make_function("os", "system", ["a"], ["c"], body, opsets)
    function.doc_string = text
    model = with_custom("os", "system", "call")
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("canary", 1))
    return model


def named(text):
    """All that has a name or a text is called so."""
    x, y = (helper.make_tensor_value_info(end + text, TensorProto.FLOAT, [1, 4]) for end in "xy")
    weight = numpy_helper.from_array(np.ones((1, 4), np.float32), "w" + text)
    nodes = [
        helper.make_node("Add", [x.name, weight.name], ["s" + text], text, doc_string=text),
        helper.make_node("Exp", ["s" + text], [y.name], text + "2"),
    ]
    graph = helper.make_graph(nodes, text, [x], [y], [weight], doc_string=text)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, doc_string=text)
    for key in ("extend", "externs", "passes", "labels", "post_process", text):
        model.metadata_props.add(key=key, value=text)
    return model


IR = """fn (%x: Tensor[(1, 40), float32] from "x") {{
  %w = constant in "{place}" at 0 crc32 {crc} : Tensor[(1, 40), float32]
  %y = add(%x, %w) from {name}
  return %y
}}
"""


class OnlyDataTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fovea_only_data_")))
        self.folder = self.root / "work" / "net"
        self.folder.mkdir(parents=True)
        self.secret = self.root / "work" / "secret.bin"
        self.secret.write_bytes(SECRET)
        (self.folder / "link.bin").symlink_to(self.secret)
        (self.folder / "up").symlink_to(self.root / "work")
        for name, text in (("canary.py", CANARY_PY), ("canary.c", CANARY_C), ("os.py", CANARY_PY)):
            (self.folder / name).write_text(text)
        for name in ("sitecustomize.py", "conftest.py", "setup.py", "net.py", "net.c", "mine.py"):
            (self.folder / name).write_text(CANARY_PY if name.endswith("py") else CANARY_C)
        self.statuses: list[int] = []  # Of the last file's programs.
        self.out = self.root / "out"
        self.out.mkdir()

    def everything(self):
        """Files but those in the folder for outputs and the cache, with their bytes."""
        skipped = (self.out, self.root / "cache", self.root / "home")
        return {
            path: path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and not any(each in path.parents for each in skipped)
        }

    def ran(self, *words):
        environment = {**os.environ, "FOVEA_CACHE": str(self.root / "cache"), "HOME": str(self.root / "home")}
        environment["PYTHONPATH"] = str(BUILD / "python")
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, check=False, timeout=100)
        self.assertGreaterEqual(done.returncode, 0, (words, done.stderr))
        return done

    def try_all(self, file, *options, says=None, is_quick=True, in_python=None):
        """Gives a file to everything that reads one. :param in_python: the files that one process of Python reads, if
        it is not this one."""
        before = self.everything()
        commands = [[FOVEA, "compile", file, "--target", "cpu", "-o", self.out / "net", *options]]
        if not is_quick:
            commands += [
                [FOVEA, "check", file],
                [FOVEA, "visu", file, "-o", self.out / "visu"],
                [FOVEA, "export", file, "--qdq", "-o", self.out / "net.onnx"],
                [FOVEA, "run", file, "--backend", "cpu", "--input-raw", "in.bin"],
            ]
            if read := [file] if in_python is None else in_python:
                commands.append([sys.executable, "-c", PYTHON, self.out / "python", *read])
        said = b""
        self.statuses = []
        for words in commands:
            done = self.ran(*map(str, words))
            self.statuses.append(done.returncode)
            said += done.stdout + done.stderr
        after = self.everything()
        self.assertEqual(set(after) - set(before), set(), "written outside of the folder for outputs")
        self.assertEqual([path for path in before if before[path] != after.get(path)], [], "changed")
        self.assertEqual([path for path in self.root.rglob("canary") if path.exists()], [], "a command was run")
        for path in [*self.out.rglob("*"), *self.root.glob("cache/**/*")]:
            if path.is_file():
                self.assertNotIn(SECRET[:20], path.read_bytes(), path)
        self.assertNotIn(SECRET[:20], said)
        if says is not None:
            self.assertRegex(said.decode(), says)
        return said.decode()

    def save(self, model, name="net.onnx"):
        for each in ("in.bin", "in.f32"):
            (self.folder / each).write_bytes(bytes(16))
        path = self.folder / name
        path.write_bytes(model.SerializeToString())
        return path

    def test_the_canaries_sing(self):
        """What the test looks for can be seen: the module and the C file run where somebody does run them."""
        subprocess.run([sys.executable, "canary.py"], cwd=self.folder, check=True)
        self.assertTrue((self.folder / "canary").exists())
        (self.folder / "canary").unlink()
        (self.folder / "run.c").write_text(CANARY_C + "int main(void) { return 0; }\n")
        subprocess.run(["cc", "run.c", "-o", "run"], cwd=self.folder, check=True)
        subprocess.run(["./run"], cwd=self.folder, check=True)
        self.assertTrue((self.folder / "canary").exists())
        (self.folder / "inside.bin").write_bytes(SECRET)
        self.ran(
            str(FOVEA), "compile", self.save(with_external("inside.bin")), "--target", "cpu", "-o", self.out / "net"
        )
        self.assertTrue(any(SECRET[:20] in path.read_bytes() for path in (self.out / "net").iterdir()))

    def test_a_good_file_goes_through_all(self):
        said = self.try_all(self.save(relu_net()), is_quick=False)
        self.assertEqual((set(self.statuses), len(self.statuses)), ({0}, 6), said)
        self.assertRegex(said, "NetworkError there is nothing to quantize")
        self.assertEqual(said.count("Error"), 1)

    def test_external_data_stays_in_its_folder(self):
        (self.root / "work" / "network").mkdir()  # Begins as the folder does.
        (self.root / "work" / "network" / "secret.bin").write_bytes(SECRET)
        places = ("../secret.bin", str(self.secret), "./../secret.bin", "link.bin", "up/secret.bin")
        places += ("a/../../secret.bin", "../network/secret.bin", "../net/../secret.bin", "up/../../secret.bin")
        for place in (*places, "/dev/stdin", "/proc/self/environ", "", ".", "..", "file://" + str(self.secret)):
            with self.subTest(place):
                is_outside = place in places
                says = "outside" if is_outside else None
                self.try_all(self.save(with_external(place)), says=says, is_quick=not place.startswith("up"))
        self.try_all(self.save(with_external("../secret.bin", "-9223372036854775808")))

    def test_names_and_texts_are_not_run(self):
        texts = (*COMMANDS, " ".join(COMMANDS))
        files = [self.save(named(text), f"net{i}.onnx") for i, text in enumerate(texts)]
        for text, file in zip(texts, files):
            with self.subTest(text):
                self.try_all(file, is_quick=False, in_python=files if file == files[-1] else ())

    def test_domains_name_no_module_and_no_file(self):
        for domain, op in (
            ("canary", "run"),
            ("os", "system"),
            ("canary.c", "canary"),
            ("../net", "canary"),
            ("mine", "f"),
        ):
            for text in ("touch canary", COMMANDS[7]):
                with self.subTest(f"{domain}.{op}"):
                    self.try_all(self.save(with_custom(domain, op, text)), says=op, is_quick=op != "run")

    def test_functions_of_a_model_are_operators(self):
        for text in (COMMANDS[0], COMMANDS[8]):
            self.try_all(self.save(with_function(text)), is_quick=False)

    def test_file_names_of_a_model(self):
        for name in ("$(touch canary).onnx", "`touch canary`.onnx", "; touch canary;.onnx", "-o canary.onnx"):
            with self.subTest(name):
                self.try_all("./" + str(self.save(relu_net(), name).name), is_quick=False)

    def test_text_of_an_ir(self):
        crc = zlib.crc32(SECRET)
        for place in ("../secret.bin", str(self.secret), "link.bin", "up/secret.bin"):
            with self.subTest(place):
                (self.folder / "net.fovea").write_text(IR.format(place=place, crc=crc, name='"y"'))
                self.try_all(self.folder / "net.fovea", says="outside the folder", is_quick=False)
        (self.folder / "in.bin").write_bytes(small_network.INPUT)
        for text in COMMANDS:
            with self.subTest(text):
                (self.folder / "net.fovea").write_text(
                    small_network.text(1).replace('"conv"', json.dumps(text)).replace('"y"', json.dumps(text + "y"))
                )
                self.try_all(self.folder / "net.fovea")
        # A composite of somebody's target, of C and of Python; none is given here.
        body = '{ %a = nn.relu(%x) from "a" %b = exp(%a) from "b" return %b, %a }'
        for name in ("canary.run", "canary", "os.system"):
            (self.folder / "net.fovea").write_text(
                f'fn (%x: Tensor[(1, 4), float32] from "x") {{ %c = composite {name}(%x) [target=canary] {body}\n'
                '%y = extern_output(%c, type="float32:1,4", offset=16) from "y" '
                '%z = cast(%y, dtype="float32") return %z }'
            )
            self.try_all(self.folder / "net.fovea", says="several results, which a target of your own computes")
        call = """%y = extern(%x, op="canary.c", inputs=[1], outputs="float32:1,4", attributes="{}") from "y" """
        (self.folder / "net.fovea").write_text(f'fn (%x: Tensor[(1, 4), float32] from "x") {{ {call} return %y }}')
        self.try_all(self.folder / "net.fovea", says="--extern canary.c=file.c says which", is_quick=False)

    def test_json_of_a_graph(self):
        (self.folder / "inside.fovea").write_text(IR.format(place="in40.bin", crc=zlib.crc32(bytes(160)), name='"y"'))
        (self.folder / "in40.bin").write_bytes(bytes(160))
        made = self.ran(
            str(FOVEA),
            "compile",
            self.folder / "inside.fovea",
            "--stop-after",
            "copy-outputs",
            "--save-graph",
            self.folder / "graph.json",
        )
        self.assertEqual(made.returncode, 0, made.stderr)
        graph = json.loads((self.folder / "graph.json").read_text())
        for place in ("../secret.bin", str(self.secret), "link.bin", "up/secret.bin", "/dev/zero"):
            with self.subTest(place):
                changed = json.loads(json.dumps(graph))
                changed["constants"] = place
                for node in changed["nodes"]:
                    if node["kind"] == "constant":
                        node.update(offset=0, crc32=zlib.crc32(SECRET))
                (self.folder / "changed.json").write_text(json.dumps(changed))
                self.try_all(self.folder / "changed.json", says="outside", is_quick=False)
        for text in COMMANDS:
            changed = json.loads(json.dumps(graph))
            for node in changed["nodes"]:
                node["onnx_name"] = text
            for output in changed["outputs"]:
                output["name"] = text
            (self.folder / "changed.json").write_text(json.dumps(changed))
            with self.subTest(text):
                self.try_all(self.folder / "changed.json")

    def test_schedules_and_records(self):
        model = self.save(named("n"))
        (self.folder / "mine.json").write_text(json.dumps({"n": ["tile i1 2"]}))
        names = json.loads(self.ran(str(FOVEA), "check", model, "--target", "cpu", "--json").stdout)["layers"]
        layer = names[0]["name"]
        steps = [
            f"{step} {text}" for step in ("tile i1", "tensorize i1", "vectorize", "", "pragma") for text in COMMANDS
        ]
        for step in (*steps, 'tile i1 2); system("touch canary"); (', "split i1 2 canary.c"):
            for key in (layer, "../../canary"):
                (self.folder / "schedules.json").write_text(json.dumps({key: [step]}))
                done = self.ran(
                    str(FOVEA),
                    "compile",
                    model,
                    "--target",
                    "cpu",
                    "-o",
                    self.out / "net",
                    "--schedules",
                    self.folder / "schedules.json",
                )
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), done.stderr)
        before = self.everything()
        for text in COMMANDS:
            for record in (
                {"version": 1, "records": [{"machine": text, "layer": text}]},
                [text],
                {text: text},
                {"machine": "../secret.bin", "include": "../secret.bin"},
            ):
                (self.folder / "records.json").write_text(json.dumps(record))
                before[self.folder / "records.json"] = (self.folder / "records.json").read_bytes()
                done = self.ran(
                    str(FOVEA), "compile", model, "-o", self.out / "net", "--records", self.folder / "records.json"
                )
                self.assertIn(done.returncode, (0, 1), done.stderr)
        after = self.everything()
        self.assertEqual({path for path in after if before.get(path) != after[path]}, set())
        self.assertEqual(list(self.root.rglob("canary")), [])


if __name__ == "__main__":
    unittest.main()
