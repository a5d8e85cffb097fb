// SPDX-License-Identifier: Apache-2.0
/// \file
/// Objects of a machine file, field by field. For sources that include nlohmann/json.hpp anyway.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "join_names.h"
#include "machine_json.h"
#include "near_name.h"

namespace fovea {

/// One JSON object of a machine file, and what to call it in a message.
class Section {
 public:
  Section(std::string place, const nlohmann::json& object) : place_(std::move(place)), object_(object) {
    if (!object_.is_object()) {
      throw MachineError(place_ + ": expected a JSON object");
    }
  }

  [[noreturn]] void fail(const std::string& field, const std::string& what) const {
    throw MachineError(place_ + ": field \"" + field + "\" " + what);
  }

  const nlohmann::json& require(const std::string& field) {
    known_.insert(field);
    const auto found = object_.find(field);
    if (found == object_.end()) {
      fail(field, "is missing");
    }
    return *found;
  }

  const nlohmann::json* find(const std::string& field) {
    known_.insert(field);
    return object_.contains(field) ? &require(field) : nullptr;
  }

  std::uint32_t read_integer(const std::string& field, std::uint32_t low, std::uint32_t high) {
    const nlohmann::json& value = require(field);
    const bool fits =
        value.is_number_unsigned() && value.get<std::uint64_t>() >= low && value.get<std::uint64_t>() <= high;
    if (!fits) {
      fail(field, "is " + value.dump() + "; it must be an integer from " + std::to_string(low) + " to " +
                      std::to_string(high));
    }
    return value.get<std::uint32_t>();
  }

  double read_positive(const std::string& field, double high) {
    const nlohmann::json& value = require(field);
    if (!value.is_number() || value.get<double>() <= 0 || value.get<double>() > high) {
      fail(field, "is " + value.dump() + "; it must be a number above 0, at most " + nlohmann::json(high).dump());
    }
    return value.get<double>();
  }

  std::string read_text(const std::string& field) {
    const nlohmann::json& value = require(field);
    if (!value.is_string() || value.get<std::string>().empty()) {
      fail(field, "is " + value.dump() + "; it must be a text");
    }
    return shown_text(value.get<std::string>());
  }

  /// A name that may become a part of paths, targets and CMake's texts.
  std::string read_name(const std::string& field) {
    const nlohmann::json& value = require(field);
    std::string name = value.is_string() ? value.get<std::string>() : "";
    const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return c < 128 && (std::isalnum(c) != 0 || c == '_' || c == '-');
    });
    constexpr std::size_t kMostNameLetters = 64;
    if (name.empty() || name.size() > kMostNameLetters || !is_plain) {
      fail(field, "is " + value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "; it must be 1 to " +
                      std::to_string(kMostNameLetters) + " letters, digits, _ and -");
    }
    return name;
  }

  void refuse_unknown() const {
    for (const auto& [field, value] : object_.items()) {
      if (known_.count(field) == 0) {
        const std::vector<std::string> known(known_.begin(), known_.end());
        fail(field, "is not known; known fields: " + join_names(known, ", ") + did_you_mean(field, known));
      }
    }
  }

 private:
  std::string place_;
  const nlohmann::json& object_;
  std::set<std::string> known_;
};

}  // namespace fovea
