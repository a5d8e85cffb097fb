// SPDX-License-Identifier: Apache-2.0
/// \file
/// Kahn's algorithm, with the least place of those that can run next; what it leaves has a cycle.
#include "sort_nodes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "onnx_node.h"
#include "tensor/error.h"

namespace fovea {
namespace {

class Sorting {
 public:
  explicit Sorting(const onnx::GraphProto& graph)
      : graph_(graph), sources_(graph.node_size()), readers_(graph.node_size()), missing_(graph.node_size()) {
    std::map<std::string, int> makers;
    for (int place = 0; place < graph.node_size(); ++place) {
      for (const std::string& value : graph.node(place).output()) {
        makers.emplace(value, place);
      }
    }
    for (int place = 0; place < graph.node_size(); ++place) {
      for (const std::string& value : graph.node(place).input()) {
        const auto maker = value.empty() ? makers.end() : makers.find(value);
        if (maker != makers.end()) {
          sources_[place].push_back(maker->second);
          readers_[maker->second].push_back(place);
          ++missing_[place];
        }
      }
    }
  }

  /// Places in the order in which they run.
  std::vector<int> order() {
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int place = 0; place < graph_.node_size(); ++place) {
      if (missing_[place] == 0) {
        ready.push(place);
      }
    }
    std::vector<int> order;
    while (!ready.empty()) {
      const int place = ready.top();
      ready.pop();
      order.push_back(place);
      for (const int reader : readers_[place]) {
        if (--missing_[reader] == 0) {
          ready.push(reader);
        }
      }
    }
    if (order.size() < missing_.size()) {
      refuse_cycle();
    }
    return order;
  }

 private:
  const std::string& node_name(int place) const { return OnnxNode(graph_.node(place)).name(); }

  /// Of a node that is left: one of its sources is left too.
  int left_source(int place) const {
    return *std::ranges::find_if(sources_[place], [&](int source) { return missing_[source] > 0; });
  }

  /// Goes from source to source until a node comes again.
  [[noreturn]] void refuse_cycle() const {
    auto place =
        static_cast<int>(std::ranges::find_if(missing_, [](int count) { return count > 0; }) - missing_.begin());
    std::vector<bool> is_passed(missing_.size());
    for (; !is_passed[place]; place = left_source(place)) {
      is_passed[place] = true;
    }
    std::vector<int> cycle{place};
    for (int source = left_source(place); source != place; source = left_source(source)) {
      cycle.push_back(source);
    }
    std::ranges::reverse(cycle);
    std::rotate(cycle.begin(), std::ranges::min_element(cycle), cycle.end());
    std::string way;
    for (const int each : cycle) {
      way += node_name(each) + " -> ";
    }
    const std::string& first = node_name(cycle.front());
    user_error(first + ": needs its own result (" + way + first + "); a network without cycles works: unroll the loop");
  }

  const onnx::GraphProto& graph_;
  std::vector<std::vector<int>> sources_,
      readers_;               ///< Places of nodes whose results a node reads, that read a node's.
  std::vector<int> missing_;  ///< Values that a node reads and that are not made yet.
};

}  // namespace

std::optional<onnx::GraphProto> sort_nodes(const onnx::GraphProto& graph) {
  const std::vector<int> order = Sorting(graph).order();
  if (std::ranges::is_sorted(order)) {
    return std::nullopt;
  }
  onnx::GraphProto sorted = graph;
  sorted.clear_node();
  for (const int place : order) {
    *sorted.add_node() = graph.node(place);
  }
  return sorted;
}

}  // namespace fovea
