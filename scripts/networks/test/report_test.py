# SPDX-License-Identifier: Apache-2.0
"""How runs of networks become reports/networks.md: sums by hand, and what is refused."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/networks"))
import describe_run
import network_tables
import roofs

BUILD = os.environ.get("BUILD", "build/release")
ROOF = [
    roofs.Layer("conv", 4800, 100, 40, 40, True),
    roofs.Layer("wise", 960, 120, 40, 20, True, {"add": (40, 0)}),
    roofs.Layer("add", 0, 80, 40, 40),
]


def command(name, cycles, **causes):
    counted = {f"{cause}_cycles": causes.get(cause, 0) for cause in describe_run.CAUSES}
    return {"layer": name, "Cycles": cycles, "Memory read": 100, "Memory write": 40, **counted}


def call(name):
    """What the compiler says of one: 40 bytes in 220 cycles."""
    return {
        "name": name,
        "predicted_cycles": 220,
        "predicted_dram_read_bytes": 0,
        "predicted_dram_write_bytes": 40,
        "predicted_causes": dict.fromkeys(describe_run.CAUSES, 0),
    }


def plan(*layers):
    return {
        "layers": [
            {
                "name": name,
                "onnx": onnx,
                "composite": kind,
                "target": target,
                "macs": macs,
                "calls": [call(name) for name in calls],
            }
            for name, onnx, kind, target, macs, calls in layers
        ]
    }


RUN = {
    "device": {
        "machine": "eyeriss_6x8",
        "backend": "systemc",
        "dram": "pipelined",
        "layers": [
            command("conv", 110, compute=100, dram=10),
            command("wise_group0", 20, psum=20),
            command("wise_group1", 30, psum=30),
        ],
    }
}
PLAN = plan(
    ("q", "x", "quantize", "cpu", 0, []),
    ("conv", "conv", "qconv2d", "dla", 4800, ["conv"]),
    ("wise", "wise", "qconv2d", "dla", 960, ["wise_group0", "wise_group1"]),
    ("flat", "flat", "flatten", "dla", 0, []),
    ("add", "add", "qadd", "cpu", 0, []),
)


def describe(plan_of_it=None):
    with mock.patch.object(roofs, "read_layers", lambda model: ROOF):
        return describe_run.describe("resnet8", "net.onnx", RUN, plan_of_it or PLAN, PLAN, 250_000)


class Report(unittest.TestCase):
    def test_commands_of_a_layer_add_up(self):
        conv, wise = describe()["layers"]
        self.assertEqual(
            (conv["cycles"], conv["bytes"], conv["causes"]["dram"], conv["roof"]["cycles"]), (110, 140, 10, 100)
        )
        self.assertEqual((wise["cycles"], wise["commands"], wise["bytes"], wise["causes"]["psum"]), (50, 2, 280, 50))

    def test_what_rides_on_a_roof_is_part_of_its_layer(self):
        run = {"device": {**RUN["device"], "layers": [*RUN["device"]["layers"], command("sum", 40, dram=40)]}}
        added = plan(("sum", "add", "qadd", "dla", 7, ["sum"]))["layers"]
        plan_of_it = {"layers": [layer for layer in added + PLAN["layers"] if layer["target"] == "dla"]}
        roof = [ROOF[0], ROOF[1]]  # The addition is in the second's roof only.
        with mock.patch.object(roofs, "read_layers", lambda model: roof):
            conv, wise = describe_run.describe("resnet8", "net.onnx", run, plan_of_it, plan_of_it, 250_000)["layers"]
        self.assertEqual(
            (conv["cycles"], conv["commands"], wise["cycles"], wise["commands"], wise["bytes"], wise["macs"]),
            (110, 1, 90, 3, 420, 967),
        )
        self.assertEqual((wise["causes"]["psum"], wise["causes"]["dram"]), (50, 40))

    def test_what_the_cpu_computes_has_no_float_ends(self):
        self.assertEqual(describe()["cpu"], [{"kind": "qadd", "name": "add", "macs": 0}])

    def test_a_layer_without_a_roof_ends_in_one_line(self):
        with self.assertRaisesRegex(
            SystemExit, "^resnet8: layer other of the device has no roof; known are conv, wise, add$"
        ):
            describe(plan(("conv", "other", "qconv2d", "dla", 4800, ["conv"])))

    def test_a_row_has_its_ratios(self):
        # Roofs: 100 by MACs, 30 by what is read, 40 by outputs; 20 by MACs for the second without the addition. 160
        # cycles for the first two, 420 bytes for 260.
        row = network_tables.row_of("net", 48, describe()["layers"], describe()["roofs"], 5760)
        self.assertEqual(row, ["net", "0.0", "100.0 %", "160", "75.0 %", "170", "1.333", "0.00", "1.615"])

    def test_tables_name_what_is_left(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            pathlib.Path(folder, "resnet8-eyeriss_6x8-systemc.run.json").write_text(json.dumps(describe()))
            network_tables.main(folder, "resnet8", "eyeriss_6x8", "systemc")
        self.assertIn("## eyeriss_6x8\n", printed.getvalue())
        self.assertIn("| ResNet-8 | 1 qadd |", printed.getvalue())
        self.assertIn("| ResNet-8 | wise | 2 | 50 | 20 | 2.50 | psum 100.0 % |", printed.getvalue())
        # 80 of 120 bytes, in 440 of 50 cycles.
        self.assertIn("| ResNet-8 | wise 2.33 (0.67, 8.80 cycles) |", printed.getvalue())

    def test_backends_count_the_same_or_the_layer_is_named(self):
        of_model = describe() | {"net": "nets/resnet8", "commit": "c0ffee"}
        of_rtl = of_model | {"backend": "rtl"}
        slower = [of_rtl["layers"][0], of_rtl["layers"][1] | {"cycles": 51}]
        for other, says in (
            (
                of_rtl,
                "\nBackend `rtl` counts the same cycles and bytes at the same commit, layer by layer: each network.\n",
            ),
            (of_rtl | {"commit": "older", "layers": slower}, ""),
            (of_rtl | {"net": "nets/other", "layers": slower}, ""),
            (of_rtl | {"dram": "lab", "layers": slower}, ""),
            (
                of_rtl | {"layers": slower},
                "resnet8 on eyeriss_6x8: layer wise takes 50 cycles and moves 280 bytes on systemc, 51 and 280 on rtl",
            ),
        ):
            with self.subTest(says), tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(
                io.StringIO()
            ) as printed:
                pathlib.Path(folder, "resnet8-eyeriss_6x8-rtl.run.json").write_text(json.dumps(other))
                pathlib.Path(folder, "resnet8-eyeriss_6x8-systemc.run.json").write_text(json.dumps(of_model))
                try:
                    network_tables.say_where_else(pathlib.Path(folder), [of_model])
                except SystemExit as end:
                    print(end, end="")
                self.assertEqual(printed.getvalue(), says)

    def test_a_layer_that_moves_the_least_has_no_brackets(self):
        layer = {
            "name": "a",
            "bytes": 200,
            "cycles": 10,
            "roof": {"bytes": 100},
            "least": {"bytes": 199.5, "cycles": 20},
        }
        self.assertEqual(network_tables.moved_more({"layers": [layer]}), "a 2.00")
        self.assertEqual(
            network_tables.moved_more({"layers": [layer | {"least": {"bytes": 100, "cycles": 15}}]}),
            "a 2.00 (1.00, 1.50 cycles)",
        )
        self.assertEqual(network_tables.moved_more({"layers": [layer | {"least": None}]}), "a 2.00")

    def test_layers_are_named_up_to_most_of_what_is_lost(self):
        layers = [
            {"name": name, "cycles": cycles, "roof": {"cycles": 100}}
            for name, cycles in (("a", 101), ("b", 150), ("c", 130))
        ]
        self.assertEqual([layer["name"] for layer in network_tables.what_keeps_above({"layers": layers})], ["b", "c"])
        self.assertEqual(list(network_tables.what_keeps_above({"layers": layers[:1]})), [])

    def test_names_that_are_not_there_are_one_line(self):
        made = subprocess.check_output([str(ROOT / "scripts/networks/write_network.py"), "--list"], text=True).split()
        for variables, line in (
            ({"NETWORKS": "vgg16,alexnet"}, f"NETWORKS=vgg16,alexnet: no network alexnet; choose {','.join(made)}\n"),
            (
                {"MACHINES": "tpu"},
                "MACHINES=tpu: no machine tpu; choose eyeriss_12x14,eyeriss_6x8,eyeriss_chip,fovea_16x16\n",
            ),
        ):
            ran = subprocess.run(
                [str(ROOT / "scripts/run_networks")],
                env={**os.environ, "BUILD": BUILD, "MLPERF_TINY": "none", **variables},
                capture_output=True,
                text=True,
            )
            self.assertEqual((ran.returncode, ran.stderr), (2, line))

    def test_an_answer_that_differs_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = pathlib.Path(folder, "y")
            answer.write_bytes(b"\0\0\0\0" * 2)
            script = (
                f"import sys; sys.path.insert(0, '{ROOT}/scripts/networks'); import oracle; oracle.ask_about ="
                f" lambda *_: bytes(4) + b'1234'; oracle.main('m', 'x', '{answer}')"
            )
            ran = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True)
            self.assertEqual(
                (ran.returncode, ran.stderr), (1, f"{answer}: 1 of 2 numbers are not ONNX Runtime's on m\n")
            )


unittest.main()
