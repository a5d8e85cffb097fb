#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Do random networks answer as ONNX Runtime, on the CPU path and on the accelerator, SystemC or RTL? SEED=n CASES=1
repeats one network of power-of-two scales, SEED=n CASES=0 ANY_CASES=1 one of any scales, SEED=n CASES=0 CHAINS=1 a
chain of layers, with what stays on chip drawn."""
import collections
import shutil
import unittest

import numpy as np
import onnx
from compiled_networks import FOLDERS, Job, difference, emit_all, is_same_code, number, predicted_dram_bytes, run_all
from drawing import draw_chain, draw_network, shuffle_unit
from dressed_form import DressedForm
from edge_networks import edge_networks
from file_forms import mix
from network import shrink
from onnx_forms import QUANTIZED_FORMS, write_onnx
from operators import DRAWN
from operators.loose import Loose
from oracle import Question, ask_onnxruntime

SEED, CASES = number("SEED", 2024), number("CASES", 100)
ANY_CASES = number("ANY_CASES", CASES // 2)
CHAINS = number("CHAINS", CASES // 2)
RTL_CASES = number("RTL_CASES", (CASES + 9) // 10)  # networks that run on the RTL too, the first ones; and chains
FORM_STEP = 2 if CASES <= 100 else 1  # One network in so many is compiled from each form.
SHRUNK_NETWORKS = 3  # failing ones that are cut down; the others are only kept
FOLDER = FOLDERS / "random_networks"


# What hangs on a draw of the dressed form or of a class: operators, attributes, types of constants and inputs.
FORMS = """
QuantizeLinear.output_dtype DequantizeLinear.block_size com.microsoft.QuantizeLinear com.microsoft.DequantizeLinear
qonnx.custom_op.general.Quant com.microsoft.FusedConv com.microsoft.FusedMatMul com.microsoft.Gelu
com.microsoft.FastGelu com.microsoft.BiasGelu com.microsoft.QuickGelu com.microsoft.SkipLayerNormalization
LayerNormalization ConvTranspose BatchNormalization PRelu open_dimensions dimensions_6 constant_4 constant_5
constant_3 constant_21 constant_22 input_6 input_7 output_6 output_7 opset_13 opset_20 opset_21 opset_25
""".split()


def forms_of(form, network):
    """Words for what a dressed form of a network is made of."""
    for node in form.nodes:
        name = f"{node.domain}.{node.op_type}".lstrip(".")
        yield name
        yield from (f"{name}.{attribute.name}" for attribute in node.attribute)
    yield from (f"constant_{tensor.data_type}" for tensor in form.constants)
    for end, infos in (("input", form.inputs), ("output", form.outputs)):
        yield from (f"{end}_{info.type.tensor_type.elem_type}" for info in infos)
    yield f"opset_{form.opset}"
    yield from ["open_dimensions"] * bool(form.shapes)
    yield from (f"dimensions_{len(node.shape)}" for node in network.nodes)


class Case:
    """A network, and what ONNX Runtime says of it. Its files are gone when the test ends, unless it failed."""

    def __init__(self, name, repeated_by, network, residency_seed=0):
        self.repeated_by, self.folder, self.network = repeated_by, FOLDER / name, network
        self.residency_seed = residency_seed  # draws what stays on chip, where it is not 0
        self.expected, self.has_failed = None, False
        self.folder.mkdir(parents=True)
        self.question = Question(self.folder / "qoperator.onnx", network.feeds())
        write_onnx(network, self.question.model, "qoperator")
        form = write_mixed(network, self.folder / "qdq.onnx")
        self.options, self.forms = form.options(), set(forms_of(form, network))

    def fails(self, found):
        """Keeps the network with its inputs and the outputs that are right. Returns what is printed."""
        self.has_failed = True
        write_tensors(self.network, self.folder)
        return f"{self.repeated_by}: {found}\nkept in {self.folder}\n{self.network.describe()}"


def write_mixed(network, path):
    """In QDQ form, as exporters may write it; two of three with nodes in functions and in any order."""
    form, seed = DressedForm(network), len(network.nodes)
    model = form.model()
    onnx.save(mix(model, seed) if seed % 3 else model, path)
    return form


def write_tensors(network, folder):
    for name, array in network.feeds().items():
        array.tofile(folder / f"{name}.f32")
    for name, array in network.answers().items():
        array.tofile(folder / f"{name}.expected.f32")


CASES_ASKED = []


def setUpModule():
    """Draws the networks and asks ONNX Runtime about all of them at once."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for seed in range(SEED, SEED + CASES):
        CASES_ASKED.append(Case(f"{seed}", f"SEED={seed} CASES=1", draw_network(seed)))
    for seed in range(SEED, SEED + ANY_CASES):
        network = draw_network(seed, any_scales=True)
        CASES_ASKED.append(Case(f"any_{seed}", f"SEED={seed} CASES=0 ANY_CASES=1", network))
    for seed in range(SEED, SEED + CHAINS):
        network = draw_chain(seed, any_scales=seed % 2 == 1)
        CASES_ASKED.append(Case(f"chain_{seed}", f"SEED={seed} CASES=0 CHAINS=1", network, seed + 1))
    named = {f"edge_{i}": network for i, network in enumerate(edge_networks())} | {"shuffle_unit": shuffle_unit()}
    for name, network in named.items():
        CASES_ASKED.append(Case(name, f"CASES=0, {name}", network))
    answers = ask_onnxruntime([case.question for case in CASES_ASKED], FOLDER)
    for case, answer in zip(CASES_ASKED, answers):
        case.expected = answer


def tearDownModule():
    for folder in (case.folder for case in CASES_ASKED if not case.has_failed):
        shutil.rmtree(folder)
    if not any(case.has_failed for case in CASES_ASKED):
        shutil.rmtree(FOLDER)


class DrawnNetworks(unittest.TestCase):
    def test_are_of_every_kind_and_alive(self):
        cases = [case for case in CASES_ASKED if not case.residency_seed]  # of every kind
        nodes = [node for case in cases for node in case.network.nodes]
        kinds = collections.Counter(node.kind for node in nodes)
        alive = sum(
            4 * np.count_nonzero(~np.isin(node.elements, (0, 255, node.zero_point))) >= node.elements.size
            for node in nodes
        )
        inputs = sum(len(case.network.inputs()) for case in cases)
        outputs = sum(len(case.network.outputs) for case in cases)
        print(
            f"SEED={SEED}: {len(cases)} networks, {inputs} inputs, {outputs} outputs;",
            *(f"{kind} {count}" for kind, count in sorted(kinds.items())),
            f"; {alive} of {len(nodes)} values alive",
            flush=True,
        )
        if CASES < 100:
            return
        self.assertGreater(alive, 0.9 * len(nodes), "values of which a quarter neither saturates nor is the zero point")
        self.assertGreater(outputs, 1.5 * len(cases))
        self.assertGreater(inputs, 1.25 * len(cases))
        for row in DRAWN:
            self.assertGreaterEqual(kinds[row.kind], len(cases) // 15, row.kind)

    def test_are_written_in_every_form(self):
        drawn = {form for case in CASES_ASKED for form in case.forms}
        missing = [form for form in FORMS if form not in drawn]
        self.assertFalse(missing if CASES >= 100 else [], "forms that no network has")

    def test_formulas_answer_as_onnxruntime(self):
        faults = []
        for case in CASES_ASKED:
            found = case.expected.error or difference(case.network.answers(), case.expected.outputs)
            if found:
                faults.append(case.fails(found))
        self.assertFalse(faults, "\n".join(faults))


class NetworkForms(unittest.TestCase):
    def test_compile_to_the_same(self):
        """foveac takes networks as ONNX Runtime is asked about them too, and int8 activations; operators are called the
        same. One network in fifty may be computed in other steps, if its answers are equal."""
        cases, jobs = CASES_ASKED[::FORM_STEP], []
        for i, case in enumerate(cases):
            for form in QUANTIZED_FORMS:
                folder = case.folder / form
                folder.mkdir()
                write_onnx(case.network, folder / "net.onnx", form)
                target = "cpu" if i % 10 else "dla"  # The search for mappings takes long.
                jobs.append((folder / "net.onnx", folder / target, target))
        refusals, faults, others = emit_all(jobs), [], []
        for i, (refusal, (_, folder, _)) in enumerate(zip(refusals, jobs)):
            case = cases[i // len(QUANTIZED_FORMS)]
            # What no operator on integers takes has float32 parameters among such operators.
            first = jobs[i - i % len(QUANTIZED_FORMS) + (i % 2 if case.network.has(Loose) else 0)][1]
            if refusal:
                faults.append(case.fails(refusal))
            elif not is_same_code(first, folder):
                others.append((case, Job(folder.parent / "net.onnx", folder.parent / "host", case.network.feeds())))
        for (case, job), result in zip(others, run_all([job for _, job in others], FOLDER)):
            found = result.error or difference(result.outputs, case.expected.outputs)
            if found:
                faults.append(case.fails(f"{job.model}: {found}"))
        print(f"forms: {len({case.repeated_by for case, _ in others})} networks in other steps, as {len(others)} files")
        self.assertFalse(faults, "\n".join(faults))
        self.assertLessEqual(len(others) / len(QUANTIZED_FORMS), 1 + len(cases) / 50)


ON_CHIP = ("--residency", "chip")


def residency(case, i):
    """What stays on chip: what is drawn, or in every other network what the planner chooses."""
    if case.residency_seed:
        return *ON_CHIP, "--residency-seed", str(case.residency_seed)
    return ON_CHIP if i % 2 else ()


def fault_of(job, result, answers):
    """What is wrong with a run: an error, other answers, or on a device other bytes than foveac says."""
    found = result.error or difference(result.outputs, answers)
    if not found and job.place != "host":
        predicted = predicted_dram_bytes(job)
        if predicted not in (None, result.dram_bytes):
            found = f"moves {result.dram_bytes} bytes, by the model {predicted}"
    return found


class RandomNetworks(unittest.TestCase):
    def run_on(self, place, target, cases):
        """On the accelerator, tensors of every other network may stay on chip, and layers run depth first."""
        jobs = [
            Job(
                case.folder / "qdq.onnx",
                case.folder / place,
                case.network.feeds(),
                place,
                target,
                (*case.options, *(residency(case, i) if target == "dla" else ())),
            )
            for i, case in enumerate(cases)
        ]
        results, faults = run_all(jobs, FOLDER), []
        for case, job, result in zip(cases, jobs, results):
            found = fault_of(job, result, case.expected.outputs)
            if found:
                shrunk = f"\nshrunk: {self.shrunk(case, job)}" if len(faults) < SHRUNK_NETWORKS else ""
                faults.append(case.fails(f"{' '.join(job.options)}: {found}") + shrunk)
        codes = [(job.folder / "model.c").read_text() for job, result in zip(jobs, results) if not result.error]
        on_chip, stacked, depth_first = (
            sum(word in code for code in codes)
            for word in ("ofmap_on_chip = true", "is_stacked = true", "dla_run_depth_first")
        )
        elements = sum(y.size for case in cases for y in case.expected.outputs.values())
        device_layers = sum(result.device_layers for result in results)
        print(
            f"{place}: {len(cases)} networks, {len(faults)} differ; {elements} elements,"
            f" {device_layers} layers on the device, tensors on chip in {on_chip} networks, pictures under each other"
            f" in {stacked}, depth first in {depth_first}",
            flush=True,
        )
        self.assertFalse(faults, "\n".join(faults))
        if CASES >= 10:
            self.assertEqual(place != "host", device_layers > min(CASES, len(cases)))
        if CASES >= 100 and place == "systemc":
            self.assertGreater(min(on_chip, stacked, depth_first), 0)

    @staticmethod
    def shrunk(case, job):
        """The smallest network that fails as this one does, kept in the folder "shrunk" in its own."""
        folder = case.folder / "shrunk"
        folder.mkdir(exist_ok=True)

        def fault(network):
            options = (*write_mixed(network, folder / "qdq.onnx").options(), *job.options[len(case.options) :])
            place = folder / job.place
            smaller = Job(folder / "qdq.onnx", place, network.feeds(), job.place, job.target, options)
            result = run_all([smaller], folder)[0]
            return fault_of(smaller, result, network.answers())

        smallest = shrink(case.network, fault)
        found = fault(smallest)
        write_tensors(smallest, folder)
        return f"{found}\n{smallest.describe()}"

    def test_answer_as_onnxruntime_on_the_host(self):
        self.run_on("host", "cpu", CASES_ASKED)

    def test_answer_as_onnxruntime_on_systemc(self):
        self.run_on("systemc", "dla", CASES_ASKED)

    def test_answer_as_onnxruntime_on_the_rtl(self):
        chains = [case for case in CASES_ASKED if case.residency_seed]
        self.run_on("rtl", "dla", CASES_ASKED[:RTL_CASES] + chains[:RTL_CASES])


if __name__ == "__main__":
    unittest.main(verbosity=0)
