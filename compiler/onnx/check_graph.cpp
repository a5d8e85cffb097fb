// SPDX-License-Identifier: Apache-2.0
/// \file
/// Follows the names of values from node to node.
#include "check_graph.h"

#include <map>
#include <set>
#include <string>

#include "onnx_node.h"
#include "tensor/error.h"

namespace fovea {
namespace {

class GraphCheck {
 public:
  explicit GraphCheck(const onnx::GraphProto& graph) : graph_(graph) {}

  void run() {
    name_what_is_given();
    for (int place = 0; place < graph_.node_size(); ++place) {
      name_outputs(place);
    }
    for (int place = 0; place < graph_.node_size(); ++place) {
      check_inputs(place);
    }
    check_outputs();
  }

 private:
  const std::string& node_name(int place) const { return OnnxNode(graph_.node(place)).name(); }

  void name_what_is_given() {
    for (const onnx::ValueInfoProto& input : graph_.input()) {
      if (!given_.emplace(input.name(), "input").second) {
        user_error("input " + input.name() + ": is listed twice; give each of the network's inputs a name of its own");
      }
    }
    std::set<std::string> initializers;
    for (const onnx::TensorProto& initializer : graph_.initializer()) {
      if (!initializers.insert(initializer.name()).second) {
        user_error("initializer " + initializer.name() + ": is there twice; give each a name of its own");
      }
      given_[initializer.name()] = "initializer";  // An input of that name is only its declaration.
    }
  }

  void name_outputs(int place) {
    for (const std::string& value : graph_.node(place).output()) {
      if (value.empty()) {
        continue;
      }
      const auto given = given_.find(value);
      const auto [maker, is_new] = makers_.emplace(value, place);
      if (given != given_.end() || !is_new) {
        user_error(node_name(place) + ": makes " + value + ", which " +
                   (is_new ? "is an " + given->second : node_name(maker->second) + " makes too") +
                   "; give each value a name of its own");
      }
    }
  }

  void check_inputs(int place) const {
    for (const std::string& value : graph_.node(place).input()) {
      if (!value.empty() && given_.count(value) == 0 && makers_.count(value) == 0) {
        user_error(node_name(place) + ": reads " + value +
                   ", which no input, initializer or node makes; export the model again, whole");
      }
    }
  }

  void check_outputs() const {
    std::set<std::string> listed;
    for (const onnx::ValueInfoProto& output : graph_.output()) {
      const std::string& name = output.name();
      if (!listed.insert(name).second) {
        user_error("output " + name + ": is listed twice; list each of the network's outputs once");
      }
      if (given_.count(name) == 0 && makers_.count(name) == 0) {
        user_error("output " + name + ": is made by no node; " + advise_outputs());
      }
    }
  }

  /// What could be meant: what the last node makes.
  std::string advise_outputs() const {
    const int last = graph_.node_size() - 1;
    return last < 0 || graph_.node(last).output().empty()
               ? "export the model again, whole"
               : "the last node, " + node_name(last) + ", makes " + graph_.node(last).output(0);
  }

  const onnx::GraphProto& graph_;
  std::map<std::string, std::string> given_;  ///< "input" or "initializer", by the value's name.
  std::map<std::string, int> makers_;         ///< Place of the node that makes a value.
};

}  // namespace

void check_graph(const onnx::GraphProto& graph) { GraphCheck(graph).run(); }

}  // namespace fovea
