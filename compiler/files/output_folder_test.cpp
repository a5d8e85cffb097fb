// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files appear together or not at all.
#include "output_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_.parent_path()); }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Without the list of them.
  std::ptrdiff_t count_files() const {
    return std::count_if(fs::directory_iterator(folder_), {},
                         [](const auto& file) { return file.path().filename() != ".fovea_files"; });
  }
  void make(const std::string& name, std::string_view text) const {
    OutputFolder files(folder_);
    files.add("another", std::string_view("too"));
    files.add(name, text);
    files.commit();
  }
  std::string refusal(const std::string& name) const {
    try {
      make(name, "ours");
    } catch (const UserError& error) {
      return error.what();
    }
    return "written";
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
  EXPECT_EQ(count_files(), 2);
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
  EXPECT_EQ(count_files(), 1) << "what was not committed is gone";
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
  EXPECT_EQ(count_files(), 1);
  fs::create_directories(folder_ / "b.txt" / "in the way");
  EXPECT_THROW(write_file(folder_ / "b.txt", "third"), UserError);
  EXPECT_EQ(count_files(), 2) << "no temporary file is left";
}

TEST_F(OutputFolderTest, ReplacesWhatItMadeUntilSomebodyChangesIt) {
  make("a.txt", "first");
  make("a.txt", "second");
  EXPECT_EQ(read("a.txt"), "second");
  std::ofstream(folder_ / "a.txt") << "by hand";
  EXPECT_EQ(refusal("a.txt"), (folder_ / "a.txt").string() +
                                  ": is there, and Fovea did not make it, or it was changed since; move it, or name "
                                  "another folder");
  EXPECT_EQ(read("a.txt"), "by hand");
  EXPECT_EQ(count_files(), 2);
}

TEST_F(OutputFolderTest, KeepsWhatItDidNotMake) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "a.txt") << "theirs";
  EXPECT_NE(refusal("a.txt"), "written");
  EXPECT_EQ(read("a.txt"), "theirs");
  EXPECT_EQ(count_files(), 1) << "nor is another file left";
  std::ofstream(folder_ / "a.txt") << "ours";
  EXPECT_EQ(refusal("a.txt"), "written") << "nothing is lost where the same is there";
}

TEST_F(OutputFolderTest, FollowsNoLinkOfAFolder) {
  fs::create_directories(folder_);
  std::ofstream(folder_.parent_path() / "theirs") << "theirs";
  for (const char* file : {"../theirs", "../nothing"}) {
    for (const char* name : {"a.txt", ".fovea_files"}) {
      fs::create_symlink(file, folder_ / name);
      EXPECT_EQ(refusal("a.txt") == "written", name != std::string("a.txt")) << file;
      fs::remove_all(folder_);
      fs::create_directories(folder_);
    }
  }
  std::ifstream theirs(folder_.parent_path() / "theirs");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(theirs), {}), "theirs");
  EXPECT_FALSE(fs::exists(folder_.parent_path() / "nothing"));
}

/// Each file of what one program writes says which one it is: they are all of one program's.
TEST_F(OutputFolderTest, IsWrittenByOneProgramAtATime) {
  constexpr int kPrograms = 20, kTimes = 3, kFiles = 10;
  std::vector<pid_t> programs;
  for (int program = 0; program < kPrograms; ++program) {
    programs.push_back(fork());
    if (programs.back() != 0) {
      continue;
    }
    try {
      for (int time = 0; time < kTimes; ++time) {
        OutputFolder files(folder_);
        for (int i = 0; i < kFiles; ++i) {
          files.add(std::to_string(i), std::to_string(program * kTimes + time));
        }
        files.commit();
      }
      _exit(0);
    } catch (const UserError&) {
      _exit(1);
    }
  }
  for (const pid_t program : programs) {
    int status = 1;
    waitpid(program, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (int i = 1; i < kFiles; ++i) {
    EXPECT_EQ(read(std::to_string(i)), read("0"));
  }
  EXPECT_EQ(count_files(), kFiles);
}

/// Ended anywhere in a commit, which the others take part in.
TEST_F(OutputFolderTest, GoesOnWhereAnotherWasEnded) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const pid_t program = fork();
    if (program == 0) {
      for (int text = 0;; ++text) {
        make("a.txt", std::to_string(text));
      }
    }
    usleep(1000 + random() % 10000);
    kill(program, SIGKILL);
    waitpid(program, nullptr, 0);
    ASSERT_EQ(refusal("a.txt"), "written");
  }
}

TEST_F(OutputFolderTest, TakesAFileOfTheFolderThatItRunsIn) {
  write_file("fovea_output_folder_test.txt", "here");
  EXPECT_TRUE(fs::remove("fovea_output_folder_test.txt"));
}

}  // namespace
}  // namespace fovea
