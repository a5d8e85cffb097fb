// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files appear together or not at all.
#include "output_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "ir/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t count_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_output_folder" / "deep";
};

TEST_F(OutputFolderTest, CommitGivesTheNames) {
  OutputFolder files(folder_);
  files.add("a.txt", std::string_view("first"));
  files.add("b.txt", std::string_view("second"));
  EXPECT_FALSE(fs::exists(folder_ / "a.txt"));
  files.commit();
  EXPECT_EQ(read("a.txt"), "first");
  EXPECT_EQ(read("b.txt"), "second");
  EXPECT_EQ(count_files(), 2u);
}

TEST_F(OutputFolderTest, OldFilesStayUntilCommit) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "a.txt") << "old";
  {
    OutputFolder files(folder_);
    files.add("a.txt", std::string_view("new"));
    EXPECT_EQ(read("a.txt"), "old");
  }
  EXPECT_EQ(read("a.txt"), "old");
  EXPECT_EQ(count_files(), 1u) << "what was not committed is gone";
}

TEST_F(OutputFolderTest, NamesAFolderThatCannotBe) {
  fs::create_directories(folder_.parent_path());
  std::ofstream(folder_) << "a file";
  try {
    OutputFolder files(folder_);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).rfind(folder_.string() + ": can't make this output folder (", 0), 0u)
        << error.what();
  }
}

TEST_F(OutputFolderTest, OneFileIsWrittenWholeOrNotAtAll) {
  write_file(folder_ / "a.txt", "first");
  write_file(folder_ / "a.txt", "second");
  EXPECT_EQ(read("a.txt"), "second");
  EXPECT_EQ(count_files(), 1u);
  fs::create_directories(folder_ / "b.txt" / "in the way");
  EXPECT_THROW(write_file(folder_ / "b.txt", "third"), UserError);
  EXPECT_EQ(count_files(), 2u) << "no temporary file is left";
}

TEST_F(OutputFolderTest, TakesAFileOfTheFolderThatItRunsIn) {
  write_file("fovea_output_folder_test.txt", "here");
  EXPECT_TRUE(fs::remove("fovea_output_folder_test.txt"));
}

}  // namespace
}  // namespace fovea
