// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads JSON files of whoever wrote them. For sources that include nlohmann/json.hpp anyway.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "shown_text.h"

namespace fovea {

/// A file that is no JSON, or too large. The text names the file, and the byte or the key.
class JsonError : public std::runtime_error {
 public:
  explicit JsonError(const std::string& text) : std::runtime_error(shown_text(text)) {}
};

/// Of a file, and of arrays and objects in each other.
inline constexpr std::uint64_t kMostJsonBytes = 64u << 20;
inline constexpr int kMostJsonDepth = 64;

/// The text of a file. \throws JsonError where it can't be read or is larger than kMostJsonBytes.
std::string read_json_text(const std::filesystem::path& path);

/// \tparam Json   nlohmann::json, or its ordered_json.
/// \param  place  What messages begin with.   \throws JsonError
template <class Json = nlohmann::json>
Json parse_json(const std::string& text, const std::string& place) {
  std::string key;
  const auto look = [&](int depth, typename Json::parse_event_t event, Json& parsed) {
    if (depth > kMostJsonDepth) {
      throw JsonError(place + ": more than " + std::to_string(kMostJsonDepth) + " arrays and objects in each other");
    }
    if (event == Json::parse_event_t::key) {
      key = parsed.template get<std::string>();
    }
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const typename Json::parse_error& error) {
    throw JsonError(place + ": not JSON (at byte " + std::to_string(error.byte) + ")");
  } catch (const typename Json::out_of_range&) {
    throw JsonError(place + (key.empty() ? ": " : ": \"" + key + "\" has ") + "a number that is too large");
  }
}

/// The whole number `key` of an object. \throws JsonError where it is missing, negative, a fraction, or above `most`.
template <class Json>
std::uint64_t read_count(const Json& object, const char* key, std::uint64_t most = UINT64_MAX) {
  const auto found = object.find(key);
  if (found == object.end()) {
    throw JsonError(std::string("\"") + key + "\" is missing");
  }
  if (!found->is_number_unsigned() || found->template get<std::uint64_t>() > most) {
    throw JsonError(std::string("\"") + key + "\" is " + found->dump() + "; it must be a whole number from 0 to " +
                    std::to_string(most));
  }
  return found->template get<std::uint64_t>();
}

/// What a program writes: lines of ASCII, so that no name in it moves a terminal's cursor or ends the writing.
template <class Json>
std::string json_text(const Json& json) {
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

/// read_json_text() and parse_json().
template <class Json = nlohmann::json>
Json read_json(const std::filesystem::path& path) {
  return parse_json<Json>(read_json_text(path), path.string());
}

}  // namespace fovea
