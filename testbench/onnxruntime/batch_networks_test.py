#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Do several pictures at once answer as ONNX Runtime, and as one by one? Convolutions, pools, sums, means and fully
connected layers, where the file has the batch, where --batch says it, and a picture at a time. SEED=n CASES=1 repeats
one network."""
import shutil
import unittest

import numpy as np
import onnx
from compiled_networks import FOLDERS, Job, difference, number, run_all
from onnx_forms import write_onnx
from oracle import Question, ask_onnxruntime
from quantized_network import QuantizedNetwork

SEED, CASES = number("SEED", 46), number("CASES", 12)
RTL_CASES = number("RTL_CASES", (CASES + 9) // 10)  # networks that run on the RTL too, the first ones
FOLDER = FOLDERS / "batch_networks"


class Drawn:
    """A network of 2 to 5 pictures: blocks of convolutions and pools, then fully connected layers."""

    def __init__(self, seed):
        self.source = np.random.default_rng(seed)
        shape = (self.between(2, 5), self.between(1, 6), self.between(4, 14), self.between(4, 14))
        self.net = QuantizedNetwork(seed, self.source.standard_normal(shape).astype(np.float32))
        self.layers = 0
        x = self.conv(self.net.input, 3)
        for _ in range(self.between(0, 4)):
            x = self.block(x)
        if self.one_in(3):
            x = self.net.global_average_pool("mean", x)
        x = self.net.flatten("flatten", x)
        for layer in range(self.between(1, 3)):
            x = self.net.dense(f"fc{layer}", x, self.between(2, 40), self.act())

    def between(self, first, last):
        return int(self.source.integers(first, last + 1))

    def one_in(self, n):
        return self.between(1, n) == 1

    def act(self):
        return "relu" if self.one_in(2) else None

    def name(self, kind):
        self.layers += 1
        return f"{kind}{self.layers}"

    def conv(self, x, kernel, filters=None, stride=1):
        return self.net.conv(self.name("conv"), x, filters or self.between(2, 20), kernel, stride, self.act())

    def block(self, x):
        rows, columns = x.shape[2:]
        kind = self.between(0, 5)
        if kind == 0 and min(rows, columns) > 3:
            return self.net.max_pool(self.name("pool"), x, self.between(2, 3), stride=2)
        if kind == 1:
            return self.conv(x, 1, stride=2)
        if kind == 2:
            inner = self.conv(self.conv(x, 1), 3, x.shape[1])
            return self.net.add(self.name("add"), inner, x, self.act())
        if kind == 3:
            return self.net.add(self.name("add"), self.conv(x, 1, 8), self.conv(x, 3, 8), self.act())
        return self.conv(x, 1 if kind == 4 else 3)


class Case:
    def __init__(self, seed):
        self.net, self.folder = Drawn(seed).net, FOLDER / str(seed)
        self.folder.mkdir(parents=True)
        (name, self.x), *_ = self.net.feeds().items()
        self.pictures, self.port = len(self.x), name
        self.question = Question(self.folder / "qoperator.onnx", self.net.feeds())
        write_onnx(self.net, self.question.model, "qoperator")
        write_onnx(self.net, self.folder / "batch.onnx")
        write_one(self.folder / "batch.onnx", self.folder / "one.onnx")
        self.expected = None

    def jobs(self, place, target):
        """The network as the file says it, by --batch, where others may stay on chip, and of its last picture alone."""
        on_chip = ("--residency", "chip") if target == "dla" else ()
        batch = ("--batch", str(self.pictures), *on_chip)
        said = self.job("batch.onnx", f"{place}_file", self.x, place, target)
        given = self.job("one.onnx", f"{place}_batch", self.x, place, target, batch)
        alone = self.job("one.onnx", f"{place}_one", self.x[-1:], place, target)
        return [said, given, alone]

    def job(self, model, folder, x, place, target, options=()):
        return Job(self.folder / model, self.folder / folder, {self.port: x}, place, target, options)

    def faults(self, results):
        (name, y), *_ = self.expected.outputs.items()
        for result, answer in zip(results, (y, y, y[-1:])):
            found = result.error or difference(result.outputs, {name: answer})
            if found:
                yield f"SEED={self.folder.name} CASES=1: {found}\nkept in {self.folder}\n{self.net.describe()}"


def write_one(path, to):
    """The network for one picture at a time."""
    model = onnx.load(path)
    for info in (*model.graph.input, *model.graph.output):
        info.type.tensor_type.shape.dim[0].dim_value = 1
    del model.graph.value_info[:]
    onnx.save(model, to)


CASES_ASKED = []


def setUpModule():
    shutil.rmtree(FOLDER, ignore_errors=True)
    CASES_ASKED.extend(Case(seed) for seed in range(SEED, SEED + CASES))
    for case, answer in zip(CASES_ASKED, ask_onnxruntime([case.question for case in CASES_ASKED], FOLDER)):
        if answer.error:
            raise ValueError(f"{case.folder}: {answer.error}")
        case.expected = answer


class BatchNetworks(unittest.TestCase):
    def run_on(self, place, target, cases):
        jobs = [job for case in cases for job in case.jobs(place, target)]
        results, faults = run_all(jobs, FOLDER), []
        for i, case in enumerate(cases):
            faults += case.faults(results[3 * i : 3 * i + 3])
        codes = [(case.folder / f"{place}_file/model.c").read_text() for case in cases]
        stacked = sum("is_stacked = true" in code for code in codes)
        whole = sum(code.count("dla_run_on_device") > code.count(".N = ") for code in codes)
        print(
            f"{place}: {len(cases)} networks, {len(faults)} answers differ; pictures under each other in {stacked}, all"
            f" in one command in {whole}",
            flush=True,
        )
        self.assertFalse(faults, "\n".join(faults))
        if target == "dla" and CASES >= 10:
            self.assertGreater(stacked, len(cases) // 2)
            self.assertGreater(whole, len(cases) // 2)

    def test_answer_as_onnxruntime_on_the_host(self):
        self.run_on("host", "cpu", CASES_ASKED)

    def test_answer_as_onnxruntime_on_systemc(self):
        self.run_on("systemc", "dla", CASES_ASKED)

    def test_answer_as_onnxruntime_on_the_rtl(self):
        self.run_on("rtl", "dla", CASES_ASKED[:RTL_CASES])


if __name__ == "__main__":
    unittest.main(verbosity=0)
