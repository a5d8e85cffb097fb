// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws networks node by node, and cuts them.
#include "network_drawing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "network_values.h"

namespace fovea {

/// Where any scale goes, a third of the networks still has enough powers of two for layers on the accelerator.
NetworkDrawing::NetworkDrawing(uint64_t seed, DrawnScales scales) : source_(seed) {
  if (scales == DrawnScales::kAny) {
    powers_of_two_ = one_in(3) ? 2 : 8;
  }
}

int64_t NetworkDrawing::between(int64_t first, int64_t last) {
  // Not std::uniform_int_distribution: its results differ between libraries, and a seed must repeat anywhere.
  return first + static_cast<int64_t>(source_() % static_cast<uint64_t>(last - first + 1));
}

std::vector<ValueId> NetworkDrawing::all(const std::function<bool(ValueId)>& fits) const {
  std::vector<ValueId> found;
  for (ValueId id = 0; id < network_.nodes.size(); ++id) {
    if (fits(id)) {
      found.push_back(id);
    }
  }
  return found;
}

std::optional<ValueId> NetworkDrawing::pick(const std::function<bool(ValueId)>& fits) {
  std::vector<ValueId> found = all(fits);
  if (found.empty()) {
    return std::nullopt;
  }
  std::vector<ValueId> fresh;
  std::copy_if(found.begin(), found.end(), std::back_inserter(fresh), [&](ValueId id) { return readers_[id] == 0; });
  if (!fresh.empty() && !one_in(3)) {
    found = std::move(fresh);
  }
  const auto last = static_cast<int64_t>(found.size()) - 1;
  return found[static_cast<std::size_t>(one_in(2) ? last : between(0, last))];
}

std::vector<ValueId> NetworkDrawing::unread() const {
  return all([&](ValueId id) { return readers_[id] == 0; });
}

void NetworkDrawing::draw_weights(DrawnNode& node, int64_t taps) {
  const int64_t M = node.shape[1], most = one_in(3) ? between(1, 16) : 127;
  for (int64_t i = 0; i < M * taps; ++i) {
    node.weights.push_back(static_cast<int8_t>(between(-most, most)));
  }
  draw_weight_scales(node);
  for (int64_t m = 0, biases = one_in(3) ? 0 : M; m < biases; ++m) {
    node.biases.push_back(static_cast<int32_t>(between(-500 * taps, 500 * taps)));
  }
  if (powers_of_two_ == 1 || !one_in(3)) {
    return;
  }
  for (std::size_t m = 0; m < node.biases.size(); ++m) {
    const float scale = product_scale(network_, node, m);
    const double steps = node.biases[m] + static_cast<double>(between(-500, 500)) / 1000;
    node.float_biases.push_back(static_cast<float>(steps * static_cast<double>(scale)));
    node.biases[m] = static_cast<int32_t>(std::nearbyint(node.float_biases[m] / scale));
  }
}

void NetworkDrawing::draw_weight_scales(DrawnNode& node) {
  const double base = std::ldexp(1.0, static_cast<int>(between(-10, -3)));
  node.weight_scales = {static_cast<float>(base)};
  if (draws_power_of_two()) {
    return;
  }
  node.weight_scales.resize(static_cast<std::size_t>(one_in(2) ? node.shape[1] : 1));
  for (float& scale : node.weight_scales) {
    scale = static_cast<float>(base * one_to_two());
  }
}

ValueQuant NetworkDrawing::draw_quant(const DrawnNode& node) {
  const std::vector<double> reals = node.row->reals(network_, node, values_);
  double low = 0, high = 0;
  for (const double real : reals) {
    low = node.relu ? low : std::min(low, real);
    high = std::max(high, real);
  }
  const ValueQuant& input = network_.nodes[node.inputs[0]].quant;
  const double range = high > low ? high - low : 255 * static_cast<double>(input.scale);
  // A step coarser or finer than what just covers the range; the latter saturates a part.
  int log2 = static_cast<int>(std::ceil(std::log2(range / 255))) + static_cast<int>(between(0, 4) - 1) / 2;
  if (one_in(4)) {
    --log2;
  }
  if (!node.weights.empty()) {
    log2 = std::max(log2, std::ilogb(input.scale) + std::ilogb(node.weight_scales[0]));
  }
  const double scale = draws_power_of_two() ? std::ldexp(1.0, log2) : range / 255 * one_to_two() * 0.7;
  const int64_t zero_point = std::lround(-low / scale) + between(-10, 10);
  return {static_cast<float>(scale), static_cast<int32_t>(std::clamp<int64_t>(zero_point, 0, 255))};
}

/// Bounds in the outer thirds of what the scale reaches, at any place between two of its steps. None behind what may be
/// no number: ONNX Runtime's Clip lets that pass, and as integers it clips the 0 that became of it.
void NetworkDrawing::draw_clip(DrawnNode& node) {
  const bool may_be_no_number = node.function != nullptr && std::isnan(node.function->apply(-1, node.settings));
  if (node.row->reals == nullptr || node.relu || may_be_no_number || !one_in(8)) {
    return;
  }
  const auto bound = [&](int64_t first, int64_t last) {
    const double steps = static_cast<double>(between(first * 16, last * 16)) / 16 - node.quant.zero_point;
    return static_cast<float>(steps * static_cast<double>(node.quant.scale));
  };
  node.clip = {bound(-5, 80), bound(170, 260)};
}

/// Products of a few smaller scales would be subnormal numbers, which float32 operators round at once and integer ones
/// at the end.
constexpr float kLeastScale = 1e-9F;

ValueQuant NetworkDrawing::draw_sure_quant(DrawnNode& node) {
  const auto is_sure = [&] {
    return node.quant.scale >= kLeastScale &&
           (node.row->is_sure == nullptr || node.row->is_sure(network_, node, values_));
  };
  for (int tries = 0; tries < 50; ++tries) {
    node.quant = draw_quant(node);
    if (is_sure()) {
      return node.quant;
    }
  }
  return {1.0F / 256, 0};
}

ValueId NetworkDrawing::add_input(const std::vector<int64_t>& shape) {
  DrawnNode node;
  node.row = &kInputRow;
  node.shape = shape;
  const double scale = std::ldexp(1.0, static_cast<int>(between(-8, 1)));
  node.quant = {static_cast<float>(draws_power_of_two() ? scale : scale * one_to_two()),
                static_cast<int32_t>(one_in(4) ? 255 * between(0, 1) : between(0, 255))};
  for (std::size_t i = 0; i < element_count(shape); ++i) {
    // In steps: any real, a tie, or beyond either end.
    const double tie = static_cast<double>(between(-2, 256)) + 0.5;
    const double any = static_cast<double>(between(0, 255 * 4096)) / 4096;
    const double step = one_in(4) ? tie : any;
    node.data.push_back(static_cast<float>((step - node.quant.zero_point) * static_cast<double>(node.quant.scale)));
  }
  return add(std::move(node));
}

ValueId NetworkDrawing::add(DrawnNode node) {
  node.name = std::string(node.row->name) + "_" + std::to_string(network_.nodes.size());
  node.shares_dequantize = !one_in(3);
  if (node.row != &kInputRow) {
    node.quant = node.row->reals == nullptr ? network_.nodes[node.inputs[0]].quant : draw_sure_quant(node);
    draw_clip(node);
  }
  for (const ValueId input : node.inputs) {
    ++readers_[input];
  }
  values_.push_back(evaluate_node(network_, node, values_));
  readers_.push_back(0);
  network_.nodes.push_back(std::move(node));
  return network_.nodes.size() - 1;
}

std::size_t element_count(const std::vector<int64_t>& shape) {
  return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
}

std::vector<int64_t> unpooled_shape(const DrawnNetwork& network, const DrawnNode& node) {
  if (!node.pool) {
    return node.shape;
  }
  return windowed_shape(network.nodes[node.inputs[0]].shape, node.shape[1], node.window);
}

namespace {

/// Inputs that often have rows and columns in common, so that what comes of them can be joined.
void draw_inputs(NetworkDrawing& drawing) {
  const int64_t count = std::max<int64_t>(1, drawing.between(-2, 3));
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < count; ++i) {
    if (shape.empty() || drawing.one_in(3)) {
      shape = {1, drawing.between(1, 8), drawing.between(3, 16), drawing.between(3, 16)};
    } else if (!drawing.one_in(3)) {
      shape[1] = drawing.between(1, 8);
    }
    drawing.add_input(shape);
  }
}

void draw_operators(NetworkDrawing& drawing) {
  const std::vector<const OperatorRow*>& rows = drawn_rows();
  int64_t weights = 0;
  for (const OperatorRow* row : rows) {
    weights += row->weight;
  }
  for (int64_t left = drawing.between(3, 12); left > 0; --left) {
    int64_t at = drawing.between(0, weights - 1);
    auto row = rows.begin();
    while (at >= (*row)->weight) {
      at -= (*row++)->weight;
    }
    (*row)->draw(drawing);
  }
}

/// At most three values that nothing reads, now and then with one that is read inside.
void draw_outputs(NetworkDrawing& drawing) {
  std::vector<ValueId> outputs = drawing.unread();
  std::erase_if(outputs, [&](ValueId id) { return drawing.network().nodes[id].row == &kInputRow; });
  while (outputs.size() > 3) {
    outputs.erase(outputs.begin() + drawing.between(0, static_cast<int64_t>(outputs.size()) - 1));
  }
  const auto inner = drawing.pick([&](ValueId id) {
    return drawing.network().nodes[id].row != &kInputRow &&
           std::find(outputs.begin(), outputs.end(), id) == outputs.end();
  });
  if (inner && outputs.size() < 3 && drawing.one_in(3)) {
    outputs.insert(outputs.begin() + drawing.between(0, static_cast<int64_t>(outputs.size())), *inner);
  }
  drawing.set_outputs(outputs);
}

}  // namespace

DrawnNetwork draw_network(uint64_t seed, DrawnScales scales) {
  NetworkDrawing drawing(seed, scales);
  draw_inputs(drawing);
  draw_operators(drawing);
  draw_outputs(drawing);
  return without_dead_nodes(drawing.network());
}

DrawnNetwork without_dead_nodes(const DrawnNetwork& network) {
  std::vector<bool> is_needed(network.nodes.size());
  for (const ValueId id : network.outputs) {
    is_needed[id] = true;
  }
  for (ValueId id = network.nodes.size(); id-- > 0;) {
    for (const ValueId input : network.nodes[id].inputs) {
      is_needed[input] = is_needed[input] || is_needed[id];
    }
  }
  DrawnNetwork kept;
  std::vector<ValueId> places(network.nodes.size());
  const auto move = [&](std::vector<ValueId>& ids) {
    std::transform(ids.begin(), ids.end(), ids.begin(), [&](ValueId id) { return places[id]; });
  };
  for (ValueId id = 0; id < network.nodes.size(); ++id) {
    if (is_needed[id]) {
      places[id] = kept.nodes.size();
      kept.nodes.push_back(network.nodes[id]);
      move(kept.nodes.back().inputs);
    }
  }
  kept.outputs = network.outputs;
  move(kept.outputs);
  return kept;
}

DrawnNetwork ending_at(const DrawnNetwork& network, ValueId id) {
  DrawnNetwork shorter = network;
  shorter.outputs = {id};
  return without_dead_nodes(shorter);
}

DrawnNetwork with_input(const DrawnNetwork& network, ValueId id, const Bytes& bytes) {
  DrawnNetwork cut = network;
  DrawnNode input;
  input.row = &kInputRow;
  input.name = network.nodes[id].name;
  input.shape = network.nodes[id].shape;
  input.quant = network.nodes[id].quant;
  input.data = dequantize_bytes(bytes, input.quant);
  cut.nodes[id] = input;
  return without_dead_nodes(cut);
}

DrawnNetwork one_operator(const DrawnNetwork& network, ValueId id, const Values& values) {
  DrawnNetwork one = ending_at(network, id);
  // What reads an input twice stays one; the nodes of `one` are some of `network`'s, under the same names.
  for (const ValueId input : network.nodes[id].inputs) {
    const auto place = std::find_if(one.nodes.begin(), one.nodes.end(),
                                    [&](const DrawnNode& node) { return node.name == network.nodes[input].name; });
    if (place->row != &kInputRow) {
      one = with_input(one, static_cast<ValueId>(place - one.nodes.begin()), values[input]);
    }
  }
  return one;
}

std::string describe(const DrawnNetwork& network) {
  std::ostringstream text;
  for (const DrawnNode& node : network.nodes) {
    text << node.name << (node.relu ? " relu" : "") << (node.clip ? " clip" : "") << (node.pool ? " pool" : "") << " [";
    for (std::size_t i = 0; i < node.shape.size(); ++i) {
      text << (i == 0 ? "" : ", ") << node.shape[i];
    }
    text << "] scale " << node.quant.scale << " zero " << node.quant.zero_point;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      text << (i == 0 ? " of " : ", ") << network.nodes[node.inputs[i]].name;
    }
    if (node.row == &kConvRow || node.row == &kMaxPoolRow || node.row == &kAvgPoolRow) {
      const DrawnWindow& w = node.window;
      text << "; " << w.kernel[0] << "x" << w.kernel[1] << " strides " << w.strides[0] << " " << w.strides[1]
           << " dilations " << w.dilations[0] << " " << w.dilations[1] << " pads";
      for (const int64_t pad : w.pads) {
        text << " " << pad;
      }
      text << (w.ceil_mode ? " ceil" : "") << (w.count_include_pad ? " with padding" : "") << " groups " << node.groups;
    }
    text << (node.function != nullptr ? std::string("; ") + node.function->name : "");
    text << (node.moved.op.empty() ? "" : "; " + node.moved.op);
    text << (node.constant ? "; a constant" : "");
    text << (node.weight_scales.size() > 1 ? "; a scale a filter" : "")
         << (node.biases.empty()         ? ""
             : node.float_biases.empty() ? "; biases"
                                         : "; float biases")
         << "\n";
  }
  text << "outputs:";
  for (const ValueId output : network.outputs) {
    text << " " << network.nodes[output].name;
  }
  return text.str() + "\n";
}

}  // namespace fovea
