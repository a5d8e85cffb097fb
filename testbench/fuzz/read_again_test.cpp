// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads all files of corpus/, which fuzzers begin with or have found: each is read or refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "readers.h"

namespace fovea {

/// For gtest.
void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }

namespace {

class ReadAgain : public testing::TestWithParam<Reader> {};

TEST_P(ReadAgain, EveryFileIsReadOrRefused) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("testbench/fuzz/corpus/" + std::string(GetParam().name))) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NO_THROW(feed(GetParam(), {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
    ++count;
  }
  EXPECT_GT(count, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, ReadAgain, testing::ValuesIn(readers().begin(), readers().end()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fovea
