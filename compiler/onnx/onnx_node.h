// SPDX-License-Identifier: Apache-2.0
/// \file
/// An ONNX node under conversion: what it is called, its attributes, and how it is refused.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fovea {

/// Wraps a NodeProto, which must outlive it. Remembers which attributes and inputs were read: one that no
/// converter asked for would change what the node computes, so require_all_read() refuses it.
class OnnxNode {
 public:
  explicit OnnxNode(const onnx::NodeProto& proto) : proto_(proto) {}

  /// The node's name, or its first output's where it has none.
  const std::string& name() const;
  /// "Conv"; with the domain in front where it is not ONNX's own: "com.microsoft.QLinearAdd".
  std::string op() const;

  /// Names of the values that it reads; "" for an optional input left out.
  std::vector<std::string> inputs() const { return {proto_.input().begin(), proto_.input().end()}; }
  /// Names of the values that it makes.
  std::vector<std::string> outputs() const { return {proto_.output().begin(), proto_.output().end()}; }
  /// Whether an input is given. It counts as read.
  bool has_input(int place) const;

  bool has_attribute(const std::string& name) const { return find(name, false) != nullptr; }

  /// Attributes, `fallback` where not given. UserError where the attribute has another type.
  int64_t read_int(const std::string& name, int64_t fallback);
  float read_float(const std::string& name, float fallback);
  std::string read_text(const std::string& name, const std::string& fallback);
  std::vector<int64_t> read_ints(const std::string& name, std::vector<int64_t> fallback);
  std::vector<float> read_floats(const std::string& name);
  /// A number that is given as an integer, a float or a tensor of one. UserError where there is none.
  double read_number(const std::string& name);
  /// Null where not given.
  const onnx::TensorProto* read_tensor(const std::string& name);

  /// Reads an attribute that may have one value only. UserError "alpha=2 is not supported; 1 is" for another.
  void require_int(const std::string& name, int64_t only);

  /// An axis counted from the front. UserError where a shape of that rank has none.
  std::size_t normalize_axis(int64_t axis, std::size_t rank) const;

  /// UserError naming an attribute or input that no one read, or an attribute that is there twice.
  void require_all_read() const;

  /// UserError "<name>: <problem>".
  [[noreturn]] void refuse(const std::string& problem) const;
  void check(bool condition, const std::string& problem) const;

 private:
  const onnx::AttributeProto* find(const std::string& name, bool mark) const;
  const onnx::AttributeProto* find_typed(const std::string& name, onnx::AttributeProto_AttributeType type);

  const onnx::NodeProto& proto_;
  mutable std::set<std::string> read_;
  mutable std::set<int> read_inputs_;
};

}  // namespace fovea
