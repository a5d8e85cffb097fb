// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads settings, and says what a call is.
#include "call.h"

#include "operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

template <typename T>
T read_attribute(const Call& call, const std::string& name, T fallback) {
  const auto found = call.attributes.find(name);
  if (found == call.attributes.end()) {
    return fallback;
  }
  const T* value = std::get_if<T>(&found->second);
  internal_check(value != nullptr, "attribute " + name + " is read as the kind of value it has");
  return *value;
}

}  // namespace

int64_t int_attribute(const Call& call, const std::string& name, int64_t fallback) {
  return read_attribute(call, name, fallback);
}

double float_attribute(const Call& call, const std::string& name, double fallback) {
  return read_attribute(call, name, fallback);
}

std::vector<int64_t> ints_attribute(const Call& call, const std::string& name, std::vector<int64_t> fallback) {
  return read_attribute(call, name, std::move(fallback));
}

std::string text_attribute(const Call& call, const std::string& name, std::string fallback) {
  return read_attribute(call, name, std::move(fallback));
}

std::string call_name(const Call& call) {
  return !call.origin.empty() ? call.origin : call.op != nullptr ? call.op->name : "a value";
}

void check_call(bool condition, const Call& call, const std::string& problem) {
  if (!condition) {
    user_error(call_name(call) + ": " + problem);
  }
}

bool is_call(const Call& call, std::string_view op) { return call.op != nullptr && call.op->name == op; }

bool is_product(const Call& call) { return is_call(call, "nn.conv2d") || is_call(call, "nn.dense"); }

bool is_clip(const Call& call) { return is_call(call, "clip") || is_call(call, "nn.relu"); }

bool moves_elements(const Call& call) { return call.op != nullptr && call.op->move != nullptr; }

}  // namespace fovea
