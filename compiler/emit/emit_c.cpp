// SPDX-License-Identifier: Apache-2.0
/// \file
/// The frame of the emitted file: constants' places, run(), and the model.
#include "emit_c.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace fovea {
namespace {

std::string hex(std::uint64_t value) {
  std::ostringstream out;
  out << "0x" << std::hex << std::setw(6) << std::setfill('0') << value;
  return out.str();
}

/// How a flow of bytes reads in a comment: "65,536".
std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

std::size_t count_calls(const NetworkPlan& plan) {
  return std::accumulate(plan.layers.begin(), plan.layers.end(), std::size_t{0},
                         [](std::size_t calls, const PlannedLayer& layer) { return calls + layer.calls.size(); });
}

void emit_head(std::ostream& out, const NetworkPlan& plan) {
  const std::string where = plan.machine.empty() ? "the CPU" : plan.machine;
  out << "/* " << c_comment(plan.network->name) << " for " << c_comment(where) << ", compiled by foveac.\n"
      << "   " << with_commas(plan.weights.payload().size()) << " bytes of weights, " << with_commas(plan.arena_bytes)
      << " bytes of activations at once (" << with_commas(plan.naive_arena_bytes) << " without reuse).";
  if (plan.cpu.name != cpus().front().name) {
    out << "\n   For " << plan.cpu.name << ", as the driver: " << plan.cpu.compiler << " " << plan.cpu.flags;
  }
  out << " */\n";
  for (const std::string& header : plan.headers) {
    out << "#include \"" << header << "\"\n";
  }
  out << "\n/* Ends run() with the first status that is not kDlaOk. */\n"
      << "#define TRY(call)                       \\\n"
      << "  do {                                  \\\n"
      << "    const dla_status_t status = (call); \\\n"
      << "    if (status != kDlaOk) {             \\\n"
      << "      return status;                    \\\n"
      << "    }                                   \\\n"
      << "  } while (0)\n\n";
}

void emit_weights(std::ostream& out, const NetworkPlan& plan) {
  if (plan.weights.entries().empty()) {
    return;
  }
  out << "/* Where each constant lies in weight.bin, in bytes after the header. */\n"
      << "#define WEIGHT(constant) (kWeight_##constant)\nenum {\n";
  for (const WeightEntry& entry : plan.weights.entries()) {
    out << "  kWeight_" << entry.name << " = " << hex(entry.offset) << ", /* " << with_commas(entry.bytes)
        << " bytes */\n";
  }
  out << "};\n\n";
}

void emit_arena(std::ostream& out, const NetworkPlan& plan) {
  if (plan.buffers.empty()) {
    return;
  }
  out << "/* Where each layer's output lies in the arena, in bytes; places are used again when their readers are done. "
         "*/\n"
      << "#define ARENA(layer) (kArena_##layer)\nenum {\n";
  for (const ArenaBuffer& buffer : plan.buffers) {
    out << "  kArena_" << buffer.name << " = " << hex(buffer.offset) << ", /* " << with_commas(buffer.life.bytes)
        << " bytes, until " << plan.layers[buffer.life.last].layer->name << " */\n";
  }
  out << "};\n\n";
}

/// Functions that calls need.
void emit_definitions(std::ostream& out, const NetworkPlan& plan) {
  for (const PlannedLayer& planned : plan.layers) {
    for (const CallText& call : planned.calls) {
      if (!call.definition.empty()) {
        const Layer& layer = *planned.layer;
        out << "/* " << layer.name << " = " << layer.composite << " -> " << describe_tensor(layer.output_type);
        out << (layer.onnx_name.empty() ? "" : "\n   ONNX: " + c_comment(layer.onnx_name)) << " */\n";
        out << call.definition << "\n";
      }
    }
  }
}

void emit_shape(std::ostream& out, const std::string& field, const TensorType& type) {
  const auto shape = shape_without_batch(type);
  out << "    ." << field << "_rank = " << shape.size() << ", ." << field << "_shape = " << c_list(shape) << ",\n";
}

/// A table of inputs or outputs.
void emit_ports(std::ostream& out, const Network& network, const std::string& table,
                const std::vector<NetworkEnd>& ends) {
  if (ends.empty()) {  // C has no empty arrays.
    return;
  }
  out << "static const struct dla_port " << table << "[] = {\n";
  for (const NetworkEnd& end : ends) {
    const auto shape = shape_without_batch(network.tensors[end.tensor].type);
    out << "    {.name = " << c_string(end.name) << ", .rank = " << shape.size() << ", .shape = " << c_list(shape)
        << "},\n";
  }
  out << "};\n";
}

void emit_model(std::ostream& out, const NetworkPlan& plan, dla_rounding rounding) {
  const Network& network = *plan.network;
  out << "const struct dla_model dla_model = {\n"
      << "    .abi = DLA_MODEL_ABI,\n"
      << "    .name = " << c_string(network.name) << ",\n"
      << "    .target = " << c_string(plan.target) << ",\n"
      << "    .machine = " << c_string(plan.machine) << ",\n"
      << "    .rounding = " << c_rounding(rounding) << ",\n"
      << "    .model_key = 0x" << std::hex << std::setw(8) << std::setfill('0') << plan.model_key << std::dec << "u,\n"
      << "    .weights_bytes = " << plan.weights.payload().size() << "u,\n"
      << "    .arena_bytes = " << plan.arena_bytes << "u,\n";
  const bool is_single = has_single_ends(network);
  if (is_single) {
    emit_shape(out, "input", network.tensors[network.inputs[0].tensor].type);
    emit_shape(out, "output", network.tensors[network.outputs[0].tensor].type);
  } else {
    out << "    .inputs = " << (network.inputs.empty() ? "NULL" : "kInputs")
        << ", .input_count = " << network.inputs.size() << ",\n"
        << "    .outputs = kOutputs, .output_count = " << network.outputs.size() << ",\n";
  }
  out << "    .layers = " << count_calls(plan) << ",\n"
      << "    ." << (is_single ? "run" : "run_ports") << " = run,\n"
      << "};\n";
}

/// Whether its outputs depend on its inputs.
bool reads_an_input(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(), [&](const Layer& layer) {
    return std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](TensorId read) {
      return std::any_of(network.inputs.begin(), network.inputs.end(),
                         [&](const NetworkEnd& input) { return input.tensor == read; });
    });
  });
}

}  // namespace

std::string emit_layer(const PlannedLayer& plan) {
  std::ostringstream out;
  const Layer& layer = *plan.layer;
  out << "\n  /* " << layer.name << " = " << layer.composite << ":  ";
  for (std::size_t i = 0; i < layer.input_types.size(); ++i) {
    out << (i == 0 ? "" : ", ") << describe_tensor(layer.input_types[i]);
  }
  out << " -> " << describe_tensor(layer.output_type) << (layer.is_view() ? ", the same bytes" : "");
  if (!layer.onnx_name.empty()) {
    out << "\n     ONNX: " << c_comment(layer.onnx_name);
  }
  if (!layer.reason.empty()) {
    out << "\n     On " << (layer.target == "cpu" ? "the CPU" : layer.target) << ": " << c_comment(layer.reason);
  }
  out << " */\n";
  for (const CallText& call : plan.calls) {
    out << to_text(call);
  }
  return out.str();
}

namespace {

/// The text with numbers in the place of kOwnLines.
std::string with_line_numbers(const std::string& text) {
  std::string numbered;
  std::istringstream lines(text);
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    numbered += line + "\n" == kOwnLines ? "#line " + std::to_string(number + 1) + " \"model.c\"" : line;
    numbered += "\n";
  }
  return numbered;
}

}  // namespace

std::string emit_c(const NetworkPlan& plan, dla_rounding rounding) {
  std::ostringstream out;
  emit_head(out, plan);
  emit_weights(out, plan);
  emit_arena(out, plan);
  emit_definitions(out, plan);
  const bool is_single = has_single_ends(*plan.network);
  out << "static dla_status_t run(struct dla_runtime *rt, "
      << (is_single ? "const float *input, float *output" : "const float *const *inputs, float *const *outputs")
      << ") {";
  if (!reads_an_input(*plan.network)) {
    out << "\n  (void)input" << (is_single ? "" : "s") << ";\n";
  }
  for (const PlannedLayer& layer : plan.layers) {
    out << emit_layer(layer);
  }
  out << "  return kDlaOk;\n}\n\n";
  if (!is_single) {
    emit_ports(out, *plan.network, "kInputs", plan.network->inputs);
    emit_ports(out, *plan.network, "kOutputs", plan.network->outputs);
    out << "\n";
  }
  emit_model(out, plan, rounding);
  return with_line_numbers(out.str());
}

}  // namespace fovea
