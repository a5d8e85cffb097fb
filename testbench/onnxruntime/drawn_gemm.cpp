// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gemm and MatMul of random networks, with a Flatten before them where one is needed.
#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

constexpr std::size_t kMaxInputs = 1500;

std::vector<int64_t> accumulate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const Bytes& x = values[node.inputs[0]];
  std::vector<int64_t> sums;
  for (std::size_t m = 0; m < element_count(node.shape); ++m) {
    int64_t sum = node.biases.empty() ? 0 : node.biases[m];
    for (std::size_t c = 0; c < x.size(); ++c) {
      sum += (x[c] - network.nodes[node.inputs[0]].quant.zero_point) * int64_t{node.weights[m * x.size() + c]};
    }
    sums.push_back(sum);
  }
  return sums;
}

std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  return real_sums(network, node, accumulate(network, node, values));
}

Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  return requantize_sums(network, node, accumulate(network, node, values));
}

bool draw(NetworkDrawing& drawing) {
  const auto fits = [&](ValueId id) { return element_count(drawing.shape(id)) <= kMaxInputs; };
  auto from = drawing.pick(fits);
  if (!from) {
    return false;
  }
  if (drawing.shape(*from).size() == 4) {
    DrawnNode flatten;
    flatten.row = &kFlattenRow;
    flatten.inputs = {*from};
    flatten.shape = {1, static_cast<int64_t>(element_count(drawing.shape(*from)))};
    flatten.is_on_integers = drawing.one_in(3);
    from = drawing.add(std::move(flatten));
  }
  draw_fully_connected(drawing, *from, drawing.between(1, 24));
  return true;
}

std::vector<int64_t> matrix_shape(const NetworkWriter& writer, const DrawnNode& node) {
  return {node.shape[1], writer.input_of(node, 0).shape[1]};
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::string result = node.name + "_sum";
  std::vector<std::string> all{inputs[0], writer.float_weights(node, matrix_shape(writer, node), !node.is_transposed)};
  if (node.biases.empty() && !node.is_transposed) {
    writer.node("MatMul", all, result);
    return result;
  }
  if (!node.biases.empty()) {
    all.push_back(writer.float_biases(node));
  }
  set_int(writer.node("Gemm", all, result), "transB", node.is_transposed);
  return result;
}

std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::string result = node.name + "_sum";
  std::vector<std::string> all{inputs[0]};
  NetworkWriter::add_quant(all, writer.input_of(node, 0));
  const std::string weights = writer.weights(node, matrix_shape(writer, node), true);
  all.insert(all.end(), {weights, weights + "_scale", weights + "_zero"});
  const bool has_biases = !node.biases.empty();
  if (has_biases) {
    all.push_back(writer.biases(node));
  }
  NetworkWriter::add_quant(all, node);
  writer.node(has_biases ? "QGemm" : "QLinearMatMul", all, result, has_biases);
  return result;
}

}  // namespace

const OperatorRow kGemmRow{"gemm", 1, draw, reals, evaluate, write_float, write_uint8};

ValueId draw_fully_connected(NetworkDrawing& drawing, ValueId from, int64_t outputs) {
  DrawnNode node;
  node.row = &kGemmRow;
  node.inputs = {from};
  node.shape = {1, outputs};
  drawing.draw_weights(node, drawing.shape(from)[1]);
  node.is_transposed = drawing.one_in(2);
  node.relu = drawing.one_in(2);
  return drawing.add(std::move(node));
}

}  // namespace fovea
