// SPDX-License-Identifier: Apache-2.0
/// \file
/// Concat of random networks along the channels, and Requantize, a change of scale and zero point alone.
#include <algorithm>
#include <cmath>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

constexpr int64_t kMaxChannels = 32;

bool joins(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return a.size() == b.size() && std::equal(a.begin() + 2, a.end(), b.begin() + 2);
}

bool draw_concat(NetworkDrawing& drawing) {
  const auto first = drawing.pick([](ValueId) { return true; });
  if (!first) {
    return false;
  }
  DrawnNode node;
  node.row = &kConcatRow;
  node.shape = drawing.shape(*first);
  const int64_t most = node.shape.size() == 2 ? 100 : kMaxChannels;
  if (node.shape[1] >= most) {
    return false;
  }
  node.inputs = {*first};
  for (int64_t left = drawing.between(1, 3); left > 0; --left) {
    auto next = drawing.pick([&](ValueId id) {
      return joins(drawing.shape(id), node.shape) && drawing.shape(id)[1] + node.shape[1] <= most &&
             (std::find(node.inputs.begin(), node.inputs.end(), id) == node.inputs.end() || drawing.one_in(8));
    });
    if (!next) {
      next = draw_branch(drawing, *first, drawing.between(1, most - node.shape[1] < 6 ? 1 : 6));
    }
    node.inputs.push_back(*next);
    node.shape[1] += drawing.shape(*next)[1];
    if (node.shape[1] >= most) {
      break;
    }
  }
  drawing.add(std::move(node));
  return true;
}

std::vector<double> reals(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  std::vector<double> joined;
  for (const ValueId input : node.inputs) {
    const std::vector<float> part = dequantize_bytes(values[input], network.nodes[input].quant);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined;
}

Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  Bytes joined;
  for (const ValueId input : node.inputs) {
    const Bytes part = rescale(values[input], network.nodes[input].quant, node.quant);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined;
}

std::string write_concat_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  set_int(writer.node("Concat", inputs, node.name + "_joined"), "axis", 1);
  return node.name + "_joined";
}

std::string write_concat_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  std::vector<std::string> all;
  NetworkWriter::add_quant(all, node);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all.push_back(inputs[i]);
    NetworkWriter::add_quant(all, writer.input_of(node, i));
  }
  set_int(writer.node("QLinearConcat", all, node.name + "_joined", true), "axis", 1);
  return node.name + "_joined";
}

/// A concat of one input, which no optimizer takes for a pair of conversions that it could drop. Called as the pair is.
std::string write_requantize_uint8(NetworkWriter& writer, const DrawnNode& node,
                                   const std::vector<std::string>& inputs) {
  std::string result = write_concat_uint8(writer, node, inputs);
  writer.name_last(node.name + "_q");
  return result;
}

bool draw_requantize(NetworkDrawing& drawing) {
  const auto from = drawing.pick([](ValueId) { return true; });
  if (!from) {
    return false;
  }
  DrawnNode node;
  node.row = &kRequantizeRow;
  node.inputs = {*from};
  node.shape = drawing.shape(*from);
  node.relu = drawing.one_in(3);
  drawing.add(std::move(node));
  return true;
}

std::string write_nothing(NetworkWriter&, const DrawnNode&, const std::vector<std::string>& inputs) {
  return inputs[0];
}

}  // namespace

const OperatorRow kConcatRow{"concat", 3, draw_concat, reals, evaluate, write_concat_float, write_concat_uint8};
const OperatorRow kRequantizeRow{"requantize",          1, draw_requantize, reals, evaluate, write_nothing,
                                 write_requantize_uint8};

}  // namespace fovea
