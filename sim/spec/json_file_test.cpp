// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts that are no JSON, or more than it takes, by what is said of them.
#include "json_file.h"

#include <gtest/gtest.h>

#include <fstream>

namespace fovea {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_json(text, "FILE");
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal(R"({"rows": 7})"), "");
  EXPECT_EQ(refusal(R"({"rows": )"), "FILE: not JSON (at byte 10)");
  EXPECT_EQ(refusal(""), "FILE: not JSON (at byte 1)");
  EXPECT_EQ(refusal("\"\xff\""), "FILE: not JSON (at byte 2)");
  EXPECT_EQ(refusal(R"({"rows": 1e9999})"), "FILE: \"rows\" has a number that is too large");
  EXPECT_EQ(refusal(R"({"a": {"b": [1, 1e400]}, "c": 1})"), "FILE: \"b\" has a number that is too large");
  EXPECT_EQ(refusal("5e15555"), "FILE: a number that is too large");
}

TEST(JsonFile, TakesSoManyArraysInEachOther) {
  EXPECT_EQ(refusal(nested(kMostJsonDepth)), "");
  EXPECT_EQ(refusal(nested(kMostJsonDepth + 2)), "FILE: more than 64 arrays and objects in each other");
  EXPECT_EQ(refusal(nested(1'000'000)), "FILE: more than 64 arrays and objects in each other");
}

TEST(JsonFile, CountsAreWholeNumbers) {
  const auto refusal_of = [](const std::string& text) -> std::string {
    try {
      return std::to_string(read_count(nlohmann::json::parse(text), "n", 9));
    } catch (const JsonError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal_of(R"({"n": 9})"), "9");
  EXPECT_EQ(refusal_of(R"({"n": 10})"), "\"n\" is 10; it must be a whole number from 0 to 9");
  EXPECT_EQ(refusal_of(R"({"n": -5})"), "\"n\" is -5; it must be a whole number from 0 to 9");
  EXPECT_EQ(refusal_of(R"({"n": 1.5})"), "\"n\" is 1.5; it must be a whole number from 0 to 9");
  EXPECT_EQ(refusal_of(R"({"n": "1"})"), "\"n\" is \"1\"; it must be a whole number from 0 to 9");
  EXPECT_EQ(refusal_of(R"({"m": 1})"), "\"n\" is missing");
  EXPECT_EQ(refusal_of("7"), "\"n\" is missing");
}

TEST(JsonFile, NamesAFileThatCannotBeReadOrIsTooLarge) {
  EXPECT_THROW(read_json("/no/such.json"), JsonError);
  EXPECT_THROW(read_json("/"), JsonError);
  const auto path = std::filesystem::path(testing::TempDir()) / "large.json";
  std::ofstream(path) << "[";
  std::filesystem::resize_file(path, kMostJsonBytes + 1);
  try {
    read_json(path);
    ADD_FAILURE() << "was read";
  } catch (const JsonError& error) {
    EXPECT_EQ(error.what(), path.string() + ": larger than 64 MB");
  }
}

}  // namespace
}  // namespace fovea
