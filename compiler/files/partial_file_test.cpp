// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a file get its name only when it is complete, and does what is no file, or a link, stay what it is?
#include "partial_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class PartialFiles : public testing::Test {
 protected:
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void write(const fs::path& path, const std::string& text) {
    PartialFile file(path);
    file.out() << text;
    file.finish();
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder / ""), fs::directory_iterator()));
  }
  static std::string refusal(const fs::path& path, const std::string& text = "text") {
    try {
      write(path, text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "written";
  }

  /// A device of ours where we are root, who could replace the system's. \param minor  3: null, 7: full.
  fs::path device(const char* name, unsigned minor) const {
    const fs::path ours = folder / name;
    if (geteuid() != 0 || mknod(ours.c_str(), S_IFCHR | 0600, makedev(1, minor)) != 0) {
      return geteuid() != 0 ? fs::path("/dev") / name : fs::path();
    }
    return ours;
  }

  const ScratchFolder folder;
  const fs::path path = folder / "a.txt";
};

TEST_F(PartialFiles, GetTheirNameAtTheEnd) {
  PartialFile file(path);
  file.out() << "all";
  EXPECT_FALSE(fs::exists(path));
  file.finish();
  EXPECT_EQ(text_of(path), "all");
  EXPECT_EQ(count(), 1u);
}

TEST_F(PartialFiles, LeaveNothingBehindOtherwise) {
  {
    PartialFile file(path);
    file.out() << "half";
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(PartialFiles, LeaveNothingBehindWhereASignalEndsTheProgram) {
  write(folder / "other.txt", "whole");
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = fork();
    if (child == 0) {
      PartialFile file(path);
      file.out() << "half" << std::flush;
      raise(signal);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(count(), 1u);
  }
  EXPECT_EQ(text_of(folder / "other.txt"), "whole");
}

/// A child that was forked while its parent writes ends alone.
TEST_F(PartialFiles, StayWhereAnotherProcessIsEnded) {
  PartialFile file(path);
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGINT);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  file.out() << "whole";
  file.finish();
  EXPECT_EQ(text_of(path), "whole");
}

TEST_F(PartialFiles, KeepTheOldFileUntilThenAndWhoMayReadIt) {
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  { PartialFile file(path); }
  EXPECT_EQ(text_of(path), "old");
  write(path, "new");
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(PartialFiles, HaveEachTheirOwnNameUntilThen) {
  PartialFile one(path), other(path);
  EXPECT_NE(one.part(), other.part());
  one.out() << "one";
  other.out() << "other";
  one.finish();
  EXPECT_EQ(text_of(path), "one");
  other.finish();
  EXPECT_EQ(text_of(path), "other");
  EXPECT_EQ(count(), 1u);
}

TEST_F(PartialFiles, NameAPathThatCannotBeWritten) {
  fs::create_symlink("circle", folder / "circle");
  for (const fs::path& bad : {folder / "no/such/folder.txt", folder / "", folder / "circle"}) {
    EXPECT_EQ(refusal(bad), bad.string() + ": cannot be written; name a file in a folder that exists and is writable");
  }
}

TEST_F(PartialFiles, FollowLinks) {
  fs::create_directory(folder / "below");
  fs::create_symlink("b.txt", path);
  fs::create_symlink("below/c.txt", folder / "b.txt");
  for (const char* text : {"new", "newer"}) {  // Where the link leads to nothing, and where it leads to a file.
    write(path, text);
    EXPECT_EQ(text_of(folder / "below/c.txt"), text);
    EXPECT_TRUE(fs::is_symlink(path) && fs::is_symlink(folder / "b.txt"));
  }
  EXPECT_EQ(count(), 3u);
}

TEST_F(PartialFiles, AreWrittenToAPipe) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = text_of(path); });
  write(path, "through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(PartialFiles, AreWrittenToADevice) {
  const fs::path null = device("null", 3);
  if (null.empty()) {
    GTEST_SKIP() << "no device can be made here";
  }
  fs::create_symlink(null, path);
  write(path, "text");
  EXPECT_TRUE(fs::is_symlink(path) && fs::is_character_file(null));
}

TEST_F(PartialFiles, AreWrittenToWhatIsOpenUnderThatNumber) {
  const int file = creat(path.c_str(), 0600);
  write("/proc/self/fd/" + std::to_string(file), "text");
  EXPECT_EQ(text_of(path), "text");
  struct stat ours {
  }, there{};
  EXPECT_TRUE(fstat(file, &ours) == 0 && stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino);
  close(file);
}

TEST_F(PartialFiles, SayThatTheDiskIsFull) {
  const fs::path full = device("full", 7);
  if (full.empty()) {
    GTEST_SKIP() << "no device can be made here";
  }
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{1} << 20}) {  // What is kept back, and what is not.
    EXPECT_EQ(refusal(full, std::string(bytes, 'x')),
              full.string() + ": not all of it could be written; is the disk full?");
  }
}

}  // namespace
}  // namespace fovea
