# SPDX-License-Identifier: Apache-2.0
"""An ONNX model that grows node by node."""
import numpy as np
import onnx
from onnx import TensorProto, helper, mapping, numpy_helper

OPSET, IR_VERSION = 13, 7
NARROW = {"uint4": 21, "int4": 22}  # onnx 1.12 has no names for them
MOST_LISTED = 64  # elements of a constant that is written as numbers, not as bytes


class ModelBuilder:
    def __init__(self, opset=OPSET):
        self.opset, self.nodes, self.constants, self.names = opset, [], [], set()
        self.inputs, self.outputs = [], []

    def node(self, op, inputs, output=None, name=None, domain="", **attributes):
        """Adds a node that is called as `name` or its output. Returns the output."""
        output = output or self.new_name()
        self.nodes.append(helper.make_node(op, inputs, [output], name or output, domain=domain, **attributes))
        return output

    def new_name(self):
        return f"v{len(self.nodes)}"

    def constant(self, array, name=None):
        """Adds an initializer, once. Returns its name."""
        name = name or f"c{len(self.constants)}"
        if name in self.names:
            return name
        self.names.add(name)
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        if array.size <= MOST_LISTED:
            element = mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]
            tensor = helper.make_tensor(name, element, array.shape, array.reshape(-1).tolist())
        else:
            tensor = numpy_helper.from_array(array, name)
        self.constants.append(tensor)
        return name

    def typed(self, element, array, name=None):
        """A constant of a type by its name, also of those that numpy or onnx 1.12 lack; numbers of 4 bits are packed
        two a byte, the first in the lower half."""
        if element not in NARROW:
            return self.constant(np.asarray(array).astype(element), name)
        name = name or f"c{len(self.constants)}"
        tensor = TensorProto(name=name, data_type=NARROW[element], dims=np.shape(array))
        numbers = np.asarray(array, np.int64).reshape(-1)
        nibbles = np.append(numbers & 15, [0] * (numbers.size % 2)).astype(np.uint8)
        tensor.raw_data = (nibbles[::2] | nibbles[1::2] << 4).tobytes()
        self.constants.append(tensor)
        return name

    def input(self, name, shape, element=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))

    def output(self, name, shape=None, element=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, element, shape))

    def model(self, name="network"):
        return helper.make_model(
            helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.constants),
            ir_version=IR_VERSION,
            producer_name="fovea",
            opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)],
        )

    def save(self, path, name="network"):
        path.parent.mkdir(parents=True, exist_ok=True)
        onnx.save(self.model(name), path)
