// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a file get its name only when it is complete?
#include "partial_file.h"

#include <gtest/gtest.h>

#include <sstream>

#include "backend.h"

namespace fovea {
namespace {

class PartialFiles : public testing::Test {
 protected:
  PartialFiles() { std::filesystem::create_directories(folder); }
  ~PartialFiles() override { std::filesystem::remove_all(folder); }

  static std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_partial_file_test";
  const std::filesystem::path path = folder / "a.txt";
};

TEST_F(PartialFiles, GetTheirNameAtTheEnd) {
  PartialFile file(path);
  file.out() << "all";
  EXPECT_FALSE(std::filesystem::exists(path));
  file.finish();
  EXPECT_EQ(text_of(path), "all");
}

TEST_F(PartialFiles, LeaveNothingBehindOtherwise) {
  {
    PartialFile file(path);
    file.out() << "half";
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(PartialFiles, KeepTheOldFileUntilThen) {
  std::ofstream(path) << "old";
  { PartialFile file(path); }
  EXPECT_EQ(text_of(path), "old");
}

TEST_F(PartialFiles, NameAPathThatCannotBeWritten) {
  for (const std::filesystem::path& bad : {folder / "no/such/folder.txt", folder}) {
    try {
      PartialFile file(bad);
      ADD_FAILURE() << bad;
    } catch (const BackendError& error) {
      EXPECT_EQ(error.what(),
                bad.string() + ": cannot be written; name a file in a folder that exists and is writable");
    }
  }
}

TEST_F(PartialFiles, SayThatTheDiskIsFull) {
  // A link to the device that is always full, where the part would be.
  std::filesystem::create_symlink("/dev/full", path.string() + ".part");
  PartialFile file(path);
  file.out() << "no room" << std::flush;
  try {
    file.finish();
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_EQ(error.what(), path.string() + ": not all of it could be written; is the disk full?");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace fovea
