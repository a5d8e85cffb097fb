// SPDX-License-Identifier: Apache-2.0
/// \file
/// Visits the layers in their order, as the lab's generator visits Relay's calls: a buffer, a call, the input's free.
#include "lab_model.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "codegen/c_text.h"
#include "layers/device_pool.h"
#include "mapping/lab_mapping.h"
#include "tensor/error.h"
#include "tensor_places.h"

namespace fovea {
namespace {

/// What TVM calls a network's only function.
const char* const kFunction = "tvmgen_default_DLA_main_0_";

[[noreturn]] void refuse(const Layer& layer, const std::string& why) {
  user_error(layer.name + ": " + why + "; the lab's runtime has no such call");
}

void check_zero_point(const Layer& layer, const Quantization& q) {
  if (q.zero_point() != 128) {
    refuse(layer, "has a tensor of zero point " + std::to_string(q.zero_point()) + " and not 128");
  }
}

/// -log2 of a scale between integers and float32.
int negative_log2(const Layer& layer, const Quantization& q) {
  check_zero_point(layer, q);
  if (!is_shift(q) || scale_log2(q.scale()) > 0) {
    std::ostringstream scale;
    scale << q.scale();
    refuse(layer, "converts at the scale " + scale.str() + ", which is no 2^-n");
  }
  return -scale_log2(q.scale());
}

/// The right shift from accumulators to outputs.
uint32_t shift(const Layer& layer, const Accumulation& sum) {
  check_zero_point(layer, sum.x);
  check_zero_point(layer, sum.y);
  const auto bits = shift_of(sum);
  if (!bits) {
    refuse(layer, "does not rescale by one right shift");
  }
  return *bits;
}

dla_shape shape_of(const Layer& layer, const Qconv2d& conv) {
  if (conv.residual) {
    refuse(layer, "adds another tensor to its output");
  }
  if (const int64_t pictures = layer.input_types.at(0).shape.at(0); pictures != 1) {
    refuse(layer, "has a batch of " + std::to_string(pictures));
  }
  const auto field = [](int64_t value) { return static_cast<uint32_t>(value); };
  const auto ifmap = shape_without_batch(layer.input_types.at(0));
  const Shape& filter = conv.sum.weight->type().shape;
  dla_shape shape{};
  shape.C = ifmap[0];
  shape.H = ifmap[1];
  shape.W = ifmap[2];
  shape.M = field(filter[0]);
  shape.R = field(filter[2]);
  shape.S = field(filter[3]);
  shape.U = field(conv.window.strides[0]);
  shape.V = field(conv.window.strides[1]);
  shape.pad_top = field(conv.window.pads[0]);
  shape.pad_left = field(conv.window.pads[1]);
  shape.pad_bottom = field(conv.window.pads[2]);
  shape.pad_right = field(conv.window.pads[3]);
  shape.pool = conv.pool.has_value();
  return shape;
}

/// Whether the lab's function runs a shape with these letters: it streams the ifmap, keeps e rows and lowers m.
bool is_run_with(const dla_machine& machine, const dla_shape& shape, dla_mapping mapping) {
  mapping.ifmap_resident = false;
  mapping.e_glb = mapping.e;
  mapping.m = std::min(shape.M, mapping.p * mapping.t);
  dla_glb_plan glb;
  return dla_check_mapping(&machine, &shape, &mapping) == kDlaErrorNone &&
         dla_plan_glb(&machine, &shape, &mapping, &glb) == kDlaErrorNone;
}

/// The letters after m: by their names where the machine takes the lab's own ones, else as numbers.
std::string mapping_text(const dla_machine& machine, const Layer& layer, const dla_shape& shape) {
  const uint32_t rows = dla_unpooled_rows(&shape);
  const uint32_t e = std::min(8U, shape.pool ? rows & ~1U : rows);
  const dla_mapping standard{shape.M, 1, e, 4, 4, 1, 2, e, false, 2, kDlaLoopOrderRowsFiltersChannels, 0, 0, 0};
  if (is_run_with(machine, shape, standard)) {
    return "DEFAULT_e, DEFAULT_p, DEFAULT_q, DEFAULT_r, DEFAULT_t";
  }
  const auto planned = lab_mapping(machine, shape);
  if (!planned || !is_run_with(machine, shape, planned->mapping)) {
    refuse(layer, "fits the machine only with its whole ifmap in the GLB");
  }
  const dla_mapping& m = planned->mapping;
  std::string text;
  for (const uint32_t letter : {m.e, m.p, m.q, m.r, m.t}) {
    text += (text.empty() ? "" : ", ") + std::to_string(letter);
  }
  return text;
}

/// A tensor in emitted code.
struct LabTensor {
  std::string name, type;
  uint64_t elements = 0;
  bool is_buffer = false;  ///< From malloc.

  /// The lab's generator takes four for each element, of any type.
  uint64_t bytes() const { return elements * 4; }
};

LabTensor make_tensor(const std::string& name, const TensorType& type, bool is_buffer) {
  return {name, type.element == ElementType::kFloat32 ? "float" : "uint8_t",
          static_cast<uint64_t>(count_elements(type.shape)), is_buffer};
}

/// One layer's call; the operands are in the body's order.
class LabCall {
 public:
  LabCall(const dla_machine& machine, const Layer& layer, const LabTensor& in, const LabTensor& out,
          LabWeights& weights)
      : machine_(machine), layer_(layer), in_(in), out_(out), weights_(weights) {}

  std::string operator()(const Quantize& quantize) { return convert("quantize_cpu", quantize.y); }
  std::string operator()(const Dequantize& dequantize) { return convert("dequantize_cpu", dequantize.x); }

  std::string operator()(const Qlinear& linear) {
    if (linear.sum.is_bounded()) {
      refuse(layer_, "has bounds other than ReLU's");
    }
    if (linear.sum.table != nullptr) {
      refuse(layer_, "has a table behind it");
    }
    const std::string bits = std::to_string(shift(layer_, linear.sum));
    return "  failed |=\n  qlinear" + std::string(linear.sum.relu ? "_relu" : "") + "_cpu(\n" + operands(linear.sum) +
           scale(bits);
  }

  std::string operator()(const Qconv2d& conv) {
    if (layer_.target != "dla" || !conv.sum.relu || conv.groups != 1 || conv.sum.table != nullptr) {
      refuse(layer_, layer_.target != "dla"      ? layer_.reason
                     : conv.sum.table != nullptr ? "is a convolution with a table behind it"
                     : conv.sum.is_bounded()     ? "is a convolution with bounds other than ReLU's"
                     : conv.sum.relu             ? "is a convolution of " + std::to_string(conv.groups) + " groups"
                                                 : "is a convolution without ReLU");
    }
    const std::string bits = std::to_string(shift(layer_, conv.sum));
    const dla_shape s = shape_of(layer_, conv);
    if (s.U != s.V || s.pad_left != s.pad_top || s.pad_bottom != s.pad_top || s.pad_right != s.pad_top) {
      refuse(layer_, "has strides or pads that differ");
    }
    if (conv.pool && *conv.pool != kPlainPool) {
      refuse(layer_, "ends with a max-pool that is not 2x2 at a stride of 2, without pads");
    }
    const std::string mapping = mapping_text(machine_, layer_, s);
    const std::string function = conv.pool ? "qconv2d_relu_maxpool" : "qconv2d_relu";
    std::ostringstream out;
    out << "  failed |=\n"
        << "#ifndef CPU_ONLY\n  " << function << "(\n#else\n  " << function << "_cpu(\n#endif\n"
        << operands(conv.sum) << "#ifndef CPU_ONLY\n    // Mapping parameters\n    " << s.M << ", " << mapping
        << ",\n#endif\n"
        << "    // Shape parameters\n    " << s.pad_top << ", " << s.U << ", " << s.R << ", " << s.S << ",\n    " << s.C
        << ", " << s.M << ", " << s.W << ", " << s.H << ",\n"
        << scale(bits);
    return out.str();
  }

  template <typename Other>
  std::string operator()(const Other&) {
    refuse(layer_, "needs " + layer_.composite);
  }

 private:
  std::string convert(const std::string& function, const Quantization& integers) {
    return "  " + function + "(\n    " + in_.name + ", " + out_.name + ", " + std::to_string(in_.elements) + ",\n" +
           scale(std::to_string(negative_log2(layer_, integers)));
  }

  std::string operands(const Accumulation& sum) {
    const std::string filter = weights_.add(*sum.weight), bias = weights_.add(*sum.bias);
    std::ostringstream out;
    out << "    " << in_.name << ", (int8_t*)" << filter << ", " << out_.name << ",\n    (int32_t*)" << bias << ", "
        << out_.elements << ", " << in_.elements << ", " << count_elements(sum.weight->type().shape) << ",\n";
    return out.str();
  }

  static std::string scale(const std::string& value) { return "    // Quantization scale\n    " + value + "\n  );\n"; }

  const dla_machine& machine_;
  const Layer& layer_;
  const LabTensor &in_, &out_;
  LabWeights& weights_;
};

std::string head(const std::string& name) {
  return "/* " + c_comment(name) +
         " for the AI-on-Chip lab's runtime, in the form of its own code generator, by foveac.\n"
         "   With CPU_ONLY defined, convolutions run on the CPU too. */\n"
         "#include <string.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include \"weight.h\"\n#include "
         "\"runtime.h\"\n\n"
         "/* Returns 0, or something else where a call failed. */\n"
         "static int " +
         kFunction + "(\nfloat* DLA_0_i0,\nfloat* out0) {\n  int failed = 0;\n";
}

std::string tail(const LabTensor& result) {
  return "  memcpy(out0, " + result.name + ", 4 * " + std::to_string(result.elements) + ");\n" +
         (result.is_buffer ? "  free(" + result.name + ");\n" : "") + "  return failed;\n}\n\n" +
         "int model_on_DLA(\nfloat* arg0,\nfloat* out0)\n{\n  return " + kFunction + "(\n  arg0,\n  out0);\n}\n";
}

}  // namespace

LabModel write_lab_model(const Network& network, const dla_machine& machine) {
  if (!has_single_ends(network)) {
    user_error(network.name + ": inputs: " + std::to_string(network.inputs.size()) +
               ", outputs: " + std::to_string(network.outputs.size()) + "; the lab's model_on_DLA() has one of each");
  }
  LabModel model;
  const TensorId input = network.inputs[0].tensor;
  std::map<TensorId, LabTensor> tensors{{input, make_tensor("DLA_0_i0", network.tensors[input].type, false)}};
  std::ostringstream body;
  std::size_t buffers = 0;
  for (const Layer& layer : network.layers) {
    const LabTensor in = tensors.at(layer.inputs.at(0));
    const auto* view = std::get_if<View>(&layer.body);
    if (view != nullptr && size_bytes(layer.input_types[0]) == size_bytes(layer.output_type)) {
      tensors[layer.output] = in;
      continue;
    }
    const LabTensor out = make_tensor("out_" + std::to_string(buffers++), layer.output_type, true);
    body << "\n  // " << layer.name << ": " << describe_tensor(layer.input_types[0]) << " -> "
         << describe_tensor(layer.output_type) << "\n  " << out.type << "* " << out.name << " = (" << out.type
         << "*)malloc(" << out.bytes() << ");\n"
         << std::visit(LabCall(machine, layer, in, out, model.weights), layer.body)
         << (in.is_buffer ? "  free(" + in.name + ");\n" : "");
    model.all_bytes += out.bytes();
    model.peak_bytes = std::max(model.peak_bytes, out.bytes() + (in.is_buffer ? in.bytes() : 0));
    tensors[layer.output] = out;
  }
  model.c_text = head(network.name) + body.str() + tail(tensors.at(network.outputs[0].tensor));
  return model;
}

}  // namespace fovea
