// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tree is found above the program, wherever it lies; this test's own is its build folder's.
#include "file_tree.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "scratch_folder.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

TEST(FileTree, OfAnInstalledProgramAreUnderItsPrefix) {
  const ScratchFolder scratch;
  const fs::path root = scratch / "opt";
  fs::create_directories(root / "share" / "fovea");
  for (const char* program : {"bin/fovea", "lib/python3/dist-packages/fovea/_fovea.so"}) {
    const FileTree found = file_tree_of(root / program);
    EXPECT_EQ(found.root, root);
    EXPECT_EQ(found.machines, root / "share/fovea/machines");
    EXPECT_EQ(found.libraries, root / "lib/fovea");
    EXPECT_EQ(found.python, root / "lib/python3/dist-packages");
    EXPECT_TRUE(found.checkout.empty());
  }
}

TEST(FileTree, OfABuildFolderKnowTheSources) {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "build/share/fovea");
  fs::create_directory_symlink(scratch / "", scratch / "build/share/fovea/checkout");
  EXPECT_EQ(file_tree_of(scratch / "build/bin/fovea").checkout, fs::canonical(scratch / "."));
}

TEST(FileTree, WithoutATreeAreOneLineThatNamesTheProgram) {
  const ScratchFolder scratch;
  const fs::path program = scratch / "bin/fovea";
  try {
    file_tree_of(program);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              program.string() + ": no share/fovea in a folder above it; install Fovea again");
  }
}

// Tests run in the source folder.
TEST(FileTree, OfThisTestAreTheSources) {
  EXPECT_EQ(file_tree().checkout, fs::current_path());
  EXPECT_TRUE(fs::equivalent(file_tree().machines, "sim/spec/machines"));
  EXPECT_TRUE(fs::equivalent(file_tree().models, "models"));
  EXPECT_TRUE(fs::equivalent(machine_file("eyeriss_6x8"), "sim/spec/machines/eyeriss_6x8.json"));
  EXPECT_EQ(machine_file("no_machine"), "no_machine");
  for (const char* header : {"spec/dla_machine.h", "hal/dla_hal.h", "dif/dla_dif.h", "runtime/dla_runtime.h"}) {
    EXPECT_TRUE(fs::exists(file_tree().headers / header)) << header;
  }
  EXPECT_EQ(include_options(), (std::vector<std::string>{"-I" + file_tree().headers.string(),
                                                         "-I" + (file_tree().headers / "runtime").string()}));
}

}  // namespace
}  // namespace fovea
