// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names that stay in a folder, and every way out of it.
#include "path_inside.h"

#include <gtest/gtest.h>

#include <fstream>

namespace fovea {
namespace {

namespace fs = std::filesystem;

class PathInside : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(top_);
    fs::create_directories(folder_ / "sub");
    std::ofstream(top_ / "secret") << "s";
    std::ofstream(folder_ / "w.bin") << "w";
    fs::create_symlink(top_ / "secret", folder_ / "out");
    fs::create_symlink("w.bin", folder_ / "in");
    fs::create_directory_symlink(top_, folder_ / "up");
  }
  void TearDown() override { fs::remove_all(top_); }

  const fs::path top_ = fs::path(testing::TempDir()) / "fovea_path_inside", folder_ = top_ / "net";
};

TEST_F(PathInside, FollowsWhatStaysInside) {
  const fs::path inside = fs::canonical(folder_);
  EXPECT_EQ(path_inside(folder_, "w.bin"), inside / "w.bin");
  EXPECT_EQ(path_inside(folder_, "sub/../w.bin"), inside / "w.bin");
  EXPECT_EQ(path_inside(folder_, "in"), inside / "w.bin");
  EXPECT_EQ(path_inside(folder_, "not_there"), inside / "not_there");
  EXPECT_EQ(path_inside("", "w"), fs::canonical(".") / "w") << "no folder is this one";
}

TEST_F(PathInside, RefusesEveryWayOut) {
  for (const char* name : {"", "/etc/passwd", "..", "../secret", "sub/../../secret", "out", "up/secret", "up/net2/w"}) {
    EXPECT_EQ(path_inside(folder_, name), std::nullopt) << name;
  }
  EXPECT_EQ(path_inside(folder_, (folder_ / "w.bin").string()), std::nullopt) << "absolute";
  EXPECT_EQ(path_inside(top_ / "no_folder", "w.bin"), std::nullopt);
}

}  // namespace
}  // namespace fovea
