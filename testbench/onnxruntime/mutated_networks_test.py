#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged networks: whatever bytes or fields of a model are changed, foveac compiles it or says in words why not."""
import math
import random
import re
import resource
import shutil
import subprocess
import unittest

from compiled_networks import FOLDERS, FOVEAC, number
from drawing import draw_network
from google.protobuf.descriptor import FieldDescriptor
from onnx_forms import QUANTIZED_FORMS, make_model

SEED, MUTATIONS = number("SEED", 1), number("MUTATIONS", 200)
MOST_BYTES, MOST_SECONDS = 1 << 30, 20
ODD_INTEGERS = (0, -1, 1, 2, 3, 4, 7, 255, 300, 1 << 20, 2**31 - 1, -(2**31), 1 << 40, 2**63 - 1, -(2**63))
ODD_NUMBERS = (0.0, -1.0, 1.0, 0.5, 1e-6, 1e6, 1e-45, 3e38, -0.0, math.inf, -math.inf, math.nan)


def places(message):
    """All fields that are set in a message and those in it: (message, field)."""
    for field, value in message.ListFields():
        yield message, field
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            for inner in value if field.label == FieldDescriptor.LABEL_REPEATED else [value]:
                yield from places(inner)


class Mutation:
    def __init__(self, seed):
        self.source, self.texts = random.Random(seed), {}

    def of(self, model):
        """A model as bytes, one or two of its fields changed, or of the bytes themselves."""
        changes = 1 + self.below(2)
        if self.below(4) == 0:
            data = model.SerializeToString()
            for _ in range(changes):
                data = self.changed(data)
            return data
        for _ in range(changes):
            found = list(places(model))
            message, field = self.source.choice(found)
            if field.type == field.TYPE_STRING:  # Names are most fields, and all of them lead to the same few words.
                message, field = self.source.choice(found)
            self.change(message, field)
        data = model.SerializePartialToString()
        for stand_in, text in self.texts.items():
            data = data.replace(stand_in, text)
        return data

    def below(self, end):
        return self.source.randrange(end)

    def changed(self, data):
        """Bytes cut, grown or changed."""
        at, way, count = self.below(len(data) + 1), self.below(4), 1 + self.below(4)
        some = bytes([self.below(256)])
        return (
            data[:at],
            data[:at] + some * count + data[at:],
            data[:at] + data[at + count :],
            data[:at] + some + data[at + 1 :],
        )[way]

    def change(self, message, field):
        way, value = self.below(6), getattr(message, field.name)
        is_repeated, is_message = field.label == field.LABEL_REPEATED, field.cpp_type == field.CPPTYPE_MESSAGE
        if way == 0:
            message.ClearField(field.name)
        elif not is_repeated:
            if not is_message:
                setattr(message, field.name, self.odd(field, value))
        elif way == 1:
            del value[-1]
        elif way == 2 or is_message:
            self.swap(value, self.below(len(value)), self.below(len(value)))
        else:
            other = self.source.choice(value)  # A name is exchanged for one beside it, or damaged.
            is_exchanged = field.cpp_type == field.CPPTYPE_STRING and self.below(2)
            value[self.below(len(value))] = other if is_exchanged else self.odd(field, other)

    @staticmethod
    def swap(values, i, j):
        """Elements of a repeated field, which are messages or not."""
        if hasattr(values[i], "CopyFrom"):
            kept = type(values[i])()
            kept.CopyFrom(values[i])
            values[i].CopyFrom(values[j])
            values[j].CopyFrom(kept)
        else:
            values[i], values[j] = values[j], values[i]

    def odd(self, field, value):
        """Another value of a field; text that another field may have."""
        if field.cpp_type == field.CPPTYPE_STRING:
            is_text = field.type == field.TYPE_STRING
            data = self.changed(value.encode() if is_text else value)
            return self.text(data) if is_text else data
        if field.cpp_type == field.CPPTYPE_FLOAT:
            return self.source.choice(ODD_NUMBERS)
        if field.cpp_type == field.CPPTYPE_ENUM:
            return self.source.choice(field.enum_type.values).number
        integer = self.source.choice([*ODD_INTEGERS, self.source.getrandbits(64) - 2**63])
        bits = 32 if field.cpp_type == field.CPPTYPE_INT32 else 64
        return (integer + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

    def text(self, data):
        """Python's protobuf takes UTF-8 alone. What is none has a stand-in of its length until the model is bytes."""
        stand_in = f"<{len(self.texts)}>".ljust(len(data), "~")
        if len(stand_in) != len(data) or len(data) < 8:
            return data.decode(errors="replace")
        self.texts[stand_in.encode()] = data
        return stand_in


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def fault_of(status, words):
    """What is wrong with an answer of foveac; nothing where all is well."""
    if status < 0:
        return f"ends by signal {-status}"
    if status == 0:
        return "compiles, but complains" if words else ""
    if status != 1:
        return f"ends with exit code {status}"
    is_ours = any(word in words for word in ("internal error", "std::", "exception"))
    return "does not say why" if is_ours or not re.match(r"foveac: .*?: ", words, re.S) else ""


class MutatedNetworks(unittest.TestCase):
    def test_are_compiled_or_refused_in_words(self):
        folder, compiled, faults = FOLDERS / "mutated_networks", 0, []
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for seed in range(SEED, SEED + MUTATIONS):
            model = folder / f"seed_{seed}.onnx"
            network = draw_network(seed // 8, any_scales=seed % 2 == 1)
            model.write_bytes(Mutation(seed).of(make_model(network, QUANTIZED_FORMS[seed % 4])))
            ran = subprocess.run(
                [FOVEAC, model, "-o", folder / "out", "--target", "cpu"],
                preexec_fn=limit,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            compiled += ran.returncode == 0
            fault = fault_of(ran.returncode, ran.stderr)
            if fault:
                faults.append(f"{fault}: SEED={seed} MUTATIONS=1, kept as {model}\n{ran.stderr}")
            else:
                model.unlink()
        print(f"SEED={SEED}: {compiled} of {MUTATIONS} compiled, {MUTATIONS - compiled} refused")
        self.assertFalse(faults, "\n".join(faults))
        if MUTATIONS >= 100:
            self.assertGreater(min(compiled, MUTATIONS - compiled), MUTATIONS // 10)


if __name__ == "__main__":
    unittest.main(verbosity=0)
