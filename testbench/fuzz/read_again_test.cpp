// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads all files of corpus/, which fuzzers begin with or have found, and random changes of them: each is read or
/// refused. SEED=n draws other changes, CASES=n so many of each file; what a sanitizer would say, `make fuzz` asks.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "bench/number_from_environment.h"
#include "readers.h"

namespace fovea {

/// For gtest.
void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }

namespace {

const std::uint64_t kSeed = number_from_environment("SEED", 2024);
const std::uint64_t kCases = number_from_environment("CASES", 10);  ///< Changes of each file.
constexpr std::size_t kMostBytes = 8192;                            ///< Of a changed file, as in scripts/run_fuzz.

using Bytes = std::vector<std::uint8_t>;

/// A few bytes anywhere are others, are gone or are there twice.
void change_bytes(Bytes& bytes, std::mt19937_64& random) {
  for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size());
    const auto end =
        begin + std::min<std::ptrdiff_t>(bytes.end() - begin, 1 + static_cast<std::ptrdiff_t>(random() % 16));
    switch (random() % 3) {
      case 0:
        *begin = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes.erase(begin, end);
        break;
      default: {
        const Bytes twice(begin, end);
        bytes.insert(end, twice.begin(), twice.end());
      }
    }
  }
}

/// Three of four changes keep the file's format, where mutate() knows it.
Bytes changed(const Reader& reader, Bytes bytes, std::mt19937_64& random) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max(kMostBytes, size));
  const std::size_t kept =
      random() % 4 == 0 ? 0 : mutate(reader, bytes.data(), size, bytes.size(), static_cast<unsigned>(random()));
  bytes.resize(kept == 0 ? size : kept);
  if (kept == 0) {
    change_bytes(bytes, random);
  }
  return bytes;
}

class ReadAgain : public testing::TestWithParam<Reader> {
 protected:
  /// In the order of their names.
  static std::vector<std::filesystem::path> files() {
    std::vector<std::filesystem::path> all;
    for (const auto& entry :
         std::filesystem::directory_iterator("testbench/fuzz/corpus/" + std::string(GetParam().name))) {
      all.push_back(entry.path());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  static Bytes bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_P(ReadAgain, EveryFileIsReadOrRefused) {
  EXPECT_FALSE(files().empty());
  for (const std::filesystem::path& file : files()) {
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(feed(GetParam(), bytes_of(file)));
  }
}

TEST_P(ReadAgain, EveryChangedFileIsReadOrRefused) {
  std::mt19937_64 random(kSeed);
  for (const std::filesystem::path& file : files()) {
    for (std::uint64_t i = 0; i < kCases; ++i) {
      SCOPED_TRACE(file.string() + ", change " + std::to_string(i) + " of SEED=" + std::to_string(kSeed));
      EXPECT_NO_THROW(feed(GetParam(), changed(GetParam(), bytes_of(file), random)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReadAgain, testing::ValuesIn(readers().begin(), readers().end()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fovea
