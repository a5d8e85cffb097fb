// SPDX-License-Identifier: Apache-2.0
/// \file
/// An operator with its settings, as a graph applies it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea {

struct Operator;

/// An operator's setting: strides, epsilon, ...
using Attribute = std::variant<int64_t, double, std::vector<int64_t>, std::string>;
using Attributes = std::map<std::string, Attribute>;

struct Call {
  const Operator* op = nullptr;                   ///< Null of a node of a graph that is no call of an operator.
  std::shared_ptr<const Operator> own = nullptr;  ///< Keeps `op` where it is no row of ops.def but the user's.
  Attributes attributes;
  std::string origin;  ///< Name of the ONNX node (or graph input) that it came from; may be "".
};

/// Settings of an operator by name; `fallback` where it is not given. InternalError where it has another type.
int64_t int_attribute(const Call& call, const std::string& name, int64_t fallback);
double float_attribute(const Call& call, const std::string& name, double fallback);
std::vector<int64_t> ints_attribute(const Call& call, const std::string& name, std::vector<int64_t> fallback);
std::string text_attribute(const Call& call, const std::string& name, std::string fallback);

/// What a person calls a call: its ONNX name, else its operator's.
std::string call_name(const Call& call);

/// Throws UserError "<call_name>: <problem>" unless `condition` holds.
void check_call(bool condition, const Call& call, const std::string& problem);

/// Whether it is a call of the operator of that name.
bool is_call(const Call& call, std::string_view op);

/// Whether it is a call of nn.conv2d or of nn.dense.
bool is_product(const Call& call);

/// Whether it is a call of clip or of nn.relu.
bool is_clip(const Call& call);

/// Whether it is a call whose result is elements of its first input in other places, and padding.
bool moves_elements(const Call& call);

}  // namespace fovea
