// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares nodes one by one; constants by pointer first, as passes share them.
#include "same_graph.h"

#include <algorithm>

namespace fovea {
namespace {

bool is_same_function(const Function& a, const Function& b) {
  return a.name == b.name && a.is_region == b.is_region && a.target == b.target && a.reason == b.reason &&
         a.note == b.note && a.layer == b.layer && a.region == b.region && is_same_graph(a.body, b.body);
}

template <typename T, typename Compare>
bool is_same(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b, Compare compare) {
  return a == b || (a != nullptr && b != nullptr && compare(*a, *b));
}

bool is_same_node(const Node& a, const Node& b) {
  return a.kind == b.kind && a.type == b.type && a.origin == b.origin && a.inputs == b.inputs && a.op == b.op &&
         a.attributes == b.attributes && is_same(a.constant, b.constant, std::equal_to<>()) &&
         is_same(a.function, b.function, is_same_function);
}

}  // namespace

bool is_same_graph(const Graph& a, const Graph& b) {
  return a.inputs() == b.inputs() && a.outputs() == b.outputs() && a.output_names() == b.output_names() &&
         std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(), is_same_node);
}

}  // namespace fovea
