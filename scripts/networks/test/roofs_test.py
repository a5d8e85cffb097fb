# SPDX-License-Identifier: Apache-2.0
"""The roofs that roofs.py reads off a network, against sums by hand and by lists of layers."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/networks"))
import onnx_forms
import quantized_network
import roofs
import write_network


def machine(rows, cols, bus_bytes, psum_lanes):
    return {"rows": rows, "cols": cols, "bus_bytes": bus_bytes, "psum_lanes": psum_lanes}


MACHINES = (
    machine(6, 8, 4, 1),
    machine(6, 8, 4, 4),
    machine(12, 14, 8, 2),
    machine(12, 14, 8, 8),
    machine(16, 16, 16, 16),
)
# Percent of the MACs that each of these can do, by another program, which knows the layers from lists; there nothing is
# smaller behind a pool, which binds none of these layers.
USED = {
    "mobilenet_v1": (83.9, 94.6, 70.4, 89.0, 92.0),
    "mobilenet_v2": (62.0, 88.1, 43.0, 75.8, 83.0),
    "squeezenet": (91.1, 99.4, 79.2, 97.6, 99.2),
    "resnet18": (99.7, 99.7, 99.3, 99.4, 99.5),
    "resnet50": (99.4, 99.4, 97.3, 99.0, 99.2),
}


class Roofs(unittest.TestCase):
    def layers_of(self, build):
        """The layers of a network that build adds to an input of 3 x 8 x 8."""
        network = quantized_network.QuantizedNetwork(1, quantized_network.picture(1, 3, 8 * 7)[:, :8, :8])
        build(network, network.input)
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            onnx_forms.write_onnx(network, file.name)
            return {
                layer.name: (layer.macs, layer.read, layer.written, layer.outputs)
                for layer in roofs.read_layers(file.name)
            }

    def test_a_pool_shrinks_what_is_written(self):
        layers = self.layers_of(lambda net, x: net.max_pool("pool", net.conv("conv", x, 4, 3), 2, stride=2))
        self.assertEqual(layers, {"conv": (8 * 8 * 4 * 27, 3 * 64 + 4 * 27 + 8 * 4, 4 * 16, 4 * 64)})

    def test_a_pool_of_what_others_read_is_a_layer(self):
        def build(net, x):
            y = net.conv("conv", x, 4, 1)
            net.concat("concat", [net.max_pool("pool", y, 3, 1, pad=1), y])

        self.assertEqual(
            self.layers_of(build), {"conv": (64 * 12, 192 + 12 + 32, 256, 256), "pool": (0, 256, 256, 256)}
        )

    def test_the_longer_convolution_reads_the_other_operand(self):
        layers = self.layers_of(
            lambda net, x: net.add("add", net.conv("short", x, 4, 1), net.conv("long", x, 4, 3), act="relu")
        )
        self.assertEqual(
            layers, {"short": (64 * 12, 192 + 12 + 32, 256, 256), "long": (64 * 108, 192 + 108 + 32 + 256, 256, 256)}
        )

    def test_an_addition_of_what_others_read_is_a_layer(self):
        def build(net, x):
            y = net.conv("conv", x, 4, 1)
            net.add("add", y, net.max_pool("pool", y, 3, 1, pad=1))

        self.assertEqual(self.layers_of(build)["add"], (0, 512, 256, 256))

    def test_a_pool_behind_a_concat_belongs_to_its_parts(self):
        def build(net, x):
            y = net.concat("concat", [net.conv("a", x, 4, 1), net.conv("b", x, 8, 1)])
            net.flatten("flatten", net.global_average_pool("average", net.max_pool("pool", y, 2, stride=2)))

        layers = self.layers_of(build)
        self.assertEqual((layers["a"][2], layers["b"][2], layers["average"]), (64, 128, (0, 192, 12, 12)))

    def test_a_layer_is_bound_by_one_thing(self):
        for layer, cycles in (
            (roofs.Layer("", 4800, 4, 4, 4), 100),
            (roofs.Layer("", 48, 400, 4, 4), 100),
            (roofs.Layer("", 48, 4, 400, 4), 100),
            (roofs.Layer("", 48, 4, 4, 100), 100),
        ):
            self.assertEqual(layer.cycles(MACHINES[0]), cycles)

    def test_riders_can_be_left_out(self):
        layer = roofs.Layer("conv", 0, 100, 80, 80)
        layer.take("add", 20, 0)
        layer.take("pool", 0, -60)
        self.assertEqual(
            [
                (part.read, part.written)
                for part in (layer, layer.without(["add"]), layer.without(["add", "pool", "other"]))
            ],
            [(120, 20), (100, 20), (100, 80)],
        )

    def test_networks_have_the_roofs_of_their_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, used in USED.items():
                write_network.write(name, pathlib.Path(folder))
                layers = roofs.read_layers(f"{folder}/{name}.onnx")
                macs = sum(layer.macs for layer in layers)
                for geometry, percent in zip(MACHINES, used):
                    cycles = sum(layer.cycles(geometry) for layer in layers)
                    self.assertAlmostEqual(
                        100 * macs / (geometry["rows"] * geometry["cols"] * cycles), percent, delta=0.051, msg=name
                    )

    def test_attention_multiplies_tokens_by_tokens(self):
        tokens, channels, window = 64, 96, 16
        with tempfile.TemporaryDirectory() as folder:
            write_network.write_transformer(pathlib.Path(folder))
            layers = roofs.read_layers(f"{folder}/vision_transformer.onnx")
        patches, block = tokens * 3 * 4 * 4 * channels, tokens * 12 * channels**2
        attention = 2 * tokens * tokens * channels + 2 * tokens * window * channels
        self.assertEqual(sum(layer.macs for layer in layers), patches + 2 * block + attention + 10 * channels)

    def test_no_network_is_one_line(self):
        ran = subprocess.run(
            ["/usr/bin/python3", "-B", str(ROOT / "scripts/networks/roofs.py")], capture_output=True, text=True
        )
        self.assertEqual((ran.returncode, ran.stderr), (1, "usage: roofs.py MODEL.onnx...\n"))


unittest.main()
