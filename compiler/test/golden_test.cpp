// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs every golden text below compiler/test. FOVEA_REBASE=1 writes what is printed into the files instead.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>

#include "golden_file.h"

namespace fovea {
namespace {

class Golden : public testing::TestWithParam<std::filesystem::path> {};

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  for (char& letter : name) {
    letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  return name;
}

TEST_P(Golden, PrintsWhatItShould) {
  const GoldenFile file = read_golden_file(GetParam());
  const auto folder = std::filesystem::path(testing::TempDir()) / ("fovea_golden_" + test_name({GetParam(), 0}));
  const std::string printed = run_golden_file(file, FOVEAC, folder);
  if (std::getenv("FOVEA_REBASE") != nullptr) {
    rebase_golden_file(file, printed);
    GTEST_SKIP() << "rebased";
  }
  EXPECT_EQ(printed, file.expected) << "FOVEA_REBASE=1 takes what is printed as expected";
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(list_golden_files(FOVEA_GOLDEN_FOLDER)), test_name);

TEST(ReadGoldenFile, SaysWhatAFileLacks) {
  EXPECT_THROW(read_golden_file(std::filesystem::path(FOVEA_GOLDEN_FOLDER) / "golden_file.h"), std::runtime_error);
}

}  // namespace
}  // namespace fovea
