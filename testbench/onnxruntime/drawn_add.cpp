// SPDX-License-Identifier: Apache-2.0
/// \file
/// Add of random networks: branches of one shape, a value and itself, with and without ReLU.
#include <algorithm>
#include <cmath>

#include "network_drawing.h"
#include "network_writer.h"

namespace fovea {
namespace {

bool draw(NetworkDrawing& drawing) {
  const auto a = drawing.pick([](ValueId) { return true; });
  if (!a) {
    return false;
  }
  const auto partner = drawing.pick([&](ValueId id) { return id != *a && drawing.shape(id) == drawing.shape(*a); });
  ValueId b = *a;
  if (!drawing.one_in(8)) {
    b = partner && drawing.one_in(2) ? *partner : draw_branch(drawing, *a, drawing.shape(*a)[1]);
  }
  DrawnNode node;
  node.row = &kAddRow;
  node.inputs = {*a, b};
  if (drawing.one_in(2)) {
    std::swap(node.inputs[0], node.inputs[1]);
  }
  node.shape = drawing.shape(*a);
  node.relu = drawing.one_in(2);
  drawing.add(std::move(node));
  return true;
}

std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  std::vector<double> sums(element_count(node.shape));
  for (const ValueId input : node.inputs) {
    const ValueQuant& quant = network.nodes[input].quant;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += static_cast<double>(quant.scale) * (values[input][i] - quant.zero_point);
    }
  }
  return sums;
}

/// The zero point is inside the rounding, and the second operand is the first that is added to it.
Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const Bytes &a = values[node.inputs[0]], &b = values[node.inputs[1]];
  const ValueQuant &qa = network.nodes[node.inputs[0]].quant, &qb = network.nodes[node.inputs[1]].quant;
  const float ra = qa.scale / node.quant.scale, rb = qb.scale / node.quant.scale;
  const auto za = static_cast<float>(qa.zero_point), zb = static_cast<float>(qb.zero_point);
  const float fixed = static_cast<float>(node.quant.zero_point) - std::fma(ra, za, rb * zb);
  Bytes sums;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float sum = std::fma(static_cast<float>(a[i]), ra, std::fma(static_cast<float>(b[i]), rb, fixed));
    sums.push_back(static_cast<uint8_t>(std::clamp(std::nearbyint(sum), 0.0F, 255.0F)));
  }
  return sums;
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  writer.node("Add", inputs, node.name + "_sum");
  return node.name + "_sum";
}

std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all.push_back(inputs[i]);
    NetworkWriter::add_quant(all, writer.input_of(node, i));
  }
  NetworkWriter::add_quant(all, node);
  writer.node("QLinearAdd", all, node.name + "_sum", true);
  return node.name + "_sum";
}

}  // namespace

const OperatorRow kAddRow{"add", 4, draw, reals, evaluate, write_float, write_uint8};

}  // namespace fovea
