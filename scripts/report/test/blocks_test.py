# SPDX-License-Identifier: Apache-2.0
"""Blocks come from the graph, and from names where these agree."""
import unittest

import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
from blocks import find_blocks, parts


def network(*layers):
    """Layers of (name, what it reads ...); an ONNX name with slashes stands before a colon."""
    found = []
    for name, *sources in layers:
        onnx, _, short = name.rpartition(":")
        inputs = [{"from": source} for source in sources]
        found.append(
            {
                "name": short,
                "onnx": onnx or short,
                "input": inputs[0],
                **({"inputs": inputs} if len(inputs) > 1 else {}),
            }
        )
    return found


def blocks(*layers):
    return [(block.name, [layer["name"] for layer in block.layers]) for block in find_blocks(network(*layers))]


class BlocksTest(unittest.TestCase):
    def test_a_chain_has_none(self):
        self.assertEqual(
            blocks(("conv1", "x"), ("conv2", "conv1"), ("fc", "conv2")),
            [("conv1", ["conv1"]), ("conv2", ["conv2"]), ("fc", ["fc"])],
        )

    def test_layers_between_cuts_are_one_without_names(self):
        self.assertEqual(
            blocks(("stem", "x"), ("a", "stem"), ("b", "a"), ("c", "b", "stem"), ("fc", "c")),
            [("stem", ["stem"]), ("a to c", ["a", "b", "c"]), ("fc", ["fc"])],
        )

    def test_a_residual_block_is_called_as_its_layers_begin(self):
        self.assertEqual(
            blocks(
                ("conv1", "x"),
                ("layer1_0_conv1", "conv1"),
                ("layer1_0_conv2", "layer1_0_conv1", "conv1"),
                ("layer1_1_conv1", "layer1_0_conv2"),
                ("layer1_1_conv2", "layer1_1_conv1", "layer1_0_conv2"),
                ("fc", "layer1_1_conv2"),
            ),
            [
                ("conv1", ["conv1"]),
                ("layer1_0", ["layer1_0_conv1", "layer1_0_conv2"]),
                ("layer1_1", ["layer1_1_conv1", "layer1_1_conv2"]),
                ("fc", ["fc"]),
            ],
        )

    def test_a_module_takes_what_stands_before_it_and_a_layer_of_another_name_within(self):
        self.assertEqual(
            blocks(
                ("conv1", "x"),
                ("fire2_squeeze", "conv1"),
                ("fire2_left", "fire2_squeeze"),
                ("fire2_right", "fire2_squeeze"),
                ("pool3", "fire2_right"),
                ("fire2_concat", "fire2_left", "pool3"),
                ("conv10", "fire2_concat"),
                ("fc", "conv10"),
                ("softmax", "fc"),
            ),
            [
                ("conv1", ["conv1"]),
                ("fire2", ["fire2_squeeze", "fire2_left", "fire2_right", "pool3", "fire2_concat"]),
                ("conv10", ["conv10"]),
                ("fc", ["fc"]),
                ("softmax", ["softmax"]),
            ],
        )

    def test_layers_by_themselves_are_joined_where_names_begin_alike(self):
        self.assertEqual(
            blocks(
                ("block1_depthwise", "x"),
                ("block1_project", "block1_depthwise"),
                ("block2_expand", "block1_project"),
                ("block2_project", "block2_expand"),
                ("fc", "block2_project"),
            ),
            [
                ("block1", ["block1_depthwise", "block1_project"]),
                ("block2", ["block2_expand", "block2_project"]),
                ("fc", ["fc"]),
            ],
        )
        self.assertEqual(
            blocks(
                ("/1/body/body.0/Conv:a", "x"),
                ("/1/body/body.1/Conv:b", "a"),
                ("/2/body/body.0/Conv:c", "b"),
                ("/2/body/body.1/Conv:d", "c"),
            ),
            [("1/body", ["a", "b"]), ("2/body", ["c", "d"])],
        )

    def test_numbers_and_what_most_share_name_nothing(self):
        self.assertEqual(
            blocks(("conv_1", "x"), ("conv_2", "conv_1"), ("conv_3", "conv_2")),
            [(name, [name]) for name in ("conv_1", "conv_2", "conv_3")],
        )
        self.assertEqual(
            blocks(("/model/a/Conv:a", "x"), ("/model/b/Conv:b", "a"), ("/model/c/Conv:c", "b")),
            [(name, [name]) for name in "abc"],
        )
        self.assertEqual(parts({"name": "layer1_0_conv1", "onnx": "layer1_0_conv1"}), ["layer1_0", "conv1"])

    def test_a_section_that_is_too_long_is_parted_by_names(self):
        layers = [("in_conv", "x")]
        for name in (f"{part}_{letter}" for part in ("down", "up", "out") for letter in "abcdefg"):
            layers.append((name, layers[-1][0]))
        layers.append(("last", layers[-1][0], "in_conv"))
        self.assertEqual([name for name, _ in blocks(*layers)], ["in_conv", "down", "up", "out", "last"])

    def test_a_name_is_there_once(self):
        found = blocks(
            ("a_1x", "x"),
            ("a_2x", "a_1x"),
            ("b_1", "a_2x"),
            ("a_3x", "b_1"),
            ("a_4x", "a_3x"),
            ("q", "a_4x"),
            ("r", "q"),
            ("s", "r"),
            ("t", "s"),
        )
        self.assertEqual([name for name, _ in found], ["a", "b_1", "a (2)", "q", "r", "s", "t"])


if __name__ == "__main__":
    unittest.main()
