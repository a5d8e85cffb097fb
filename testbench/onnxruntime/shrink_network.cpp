// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts a failing network down to the operators that matter.
#include <algorithm>
#include <utility>

#include "network_values.h"
#include "operator_row.h"
#include "random_network.h"

namespace fovea {
namespace {

bool is_input(const DrawnNetwork& network, ValueId id) { return network.nodes[id].row == &kInputRow; }

/// Operators first, then outputs.
std::pair<std::size_t, std::size_t> size_of(const DrawnNetwork& network) {
  std::size_t operators = 0;
  for (ValueId id = 0; id < network.nodes.size(); ++id) {
    operators += is_input(network, id) ? 0 : 1;
  }
  return {operators, network.outputs.size()};
}

DrawnNetwork with_outputs(const DrawnNetwork& network, std::vector<ValueId> outputs) {
  DrawnNetwork other = network;
  other.outputs = std::move(outputs);
  return without_dead_nodes(other);
}

/// Without one of several outputs, or with what it is made of as outputs in its place.
void cut_ends(const DrawnNetwork& network, std::vector<DrawnNetwork>& cuts) {
  for (const ValueId output : network.outputs) {
    std::vector<ValueId> outputs = network.outputs;
    std::erase(outputs, output);
    if (!outputs.empty()) {
      cuts.push_back(with_outputs(network, outputs));
    }
    for (const ValueId input : network.nodes[output].inputs) {
      if (!is_input(network, input) && std::find(outputs.begin(), outputs.end(), input) == outputs.end()) {
        outputs.push_back(input);
      }
    }
    if (!outputs.empty()) {
      cuts.push_back(with_outputs(network, outputs));
    }
  }
}

/// With an inner value given instead of computed, the latest first.
void cut_starts(const DrawnNetwork& network, std::vector<DrawnNetwork>& cuts) {
  const Values values = evaluate_network(network);
  for (ValueId id = network.nodes.size(); id-- > 0;) {
    const auto& outputs = network.outputs;
    if (!is_input(network, id) && std::find(outputs.begin(), outputs.end(), id) == outputs.end()) {
      cuts.push_back(with_input(network, id, values[id]));
    }
  }
}

/// The network up to the first value that fails alone, if one does: most of the way in few steps.
DrawnNetwork without_end(const DrawnNetwork& network, const std::function<bool(const DrawnNetwork&)>& fails) {
  for (ValueId id = 0; id < network.nodes.size(); ++id) {
    DrawnNetwork shorter = ending_at(network, id);
    if (!is_input(network, id) && fails(shorter)) {
      return shorter;
    }
  }
  return network;
}

}  // namespace

DrawnNetwork shrink(const DrawnNetwork& network, const std::function<bool(const DrawnNetwork&)>& fails) {
  DrawnNetwork smallest = without_end(network, fails);
  for (;;) {
    std::vector<DrawnNetwork> cuts;
    cut_ends(smallest, cuts);
    cut_starts(smallest, cuts);
    const auto next = std::find_if(cuts.begin(), cuts.end(), [&](const DrawnNetwork& cut) {
      return size_of(cut) < size_of(smallest) && fails(cut);
    });
    if (next == cuts.end()) {
      return smallest;
    }
    smallest = std::move(*next);
  }
}

}  // namespace fovea
