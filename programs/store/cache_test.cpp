// SPDX-License-Identifier: Apache-2.0
/// \file
/// A cache that several processes use at once, one of which is killed, and one that can't be written.
#include "cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "files/scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class CacheTest : public testing::Test {
 protected:
  CacheTest() { setenv("FOVEA_CACHE", cache_.c_str(), 1); }
  ~CacheTest() override { unsetenv("FOVEA_CACHE"); }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Names of what is in nets/, hidden files too.
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(cache_ / "nets"), fs::directory_iterator()));
  }
  /// Runs `work` in a process of its own.
  template <typename Work>
  static pid_t start(Work work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    return child;
  }
  static int wait(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  static void wait_for(const fs::path& path) {
    for (int i = 0; i < 1000 && !fs::exists(path); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(fs::exists(path)) << path;
  }

  const ScratchFolder scratch_;
  const fs::path cache_ = scratch_ / "cache";
};

TEST_F(CacheTest, MakesOnceAndKeeps) {
  int made = 0;
  for (int i = 0; i < 3; ++i) {
    const fs::path entry = find_or_make("nets", "a",
                                        [&](const fs::path& folder) {
                                          write(folder / "x", "text");
                                          ++made;
                                        },
                                        {});
    EXPECT_EQ(entry, cache_ / "nets" / "a");
    EXPECT_EQ(read(entry / "x"), "text");
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(files(), 1u) << "no lock and no scratch folder is left";
}

TEST_F(CacheTest, WhatFailsIsNotKept) {
  const auto make = [&](const fs::path& folder) {
    write(folder / "x", "half");
    user_error("broken");
  };
  EXPECT_THROW(find_or_make("nets", "a", make, {}), UserError);
  EXPECT_EQ(files(), 0u);
  EXPECT_TRUE(fs::exists(find_or_make("nets", "a", [](const fs::path&) {}, {})));
}

TEST_F(CacheTest, OfTwoOneMakesAndTheOtherWaitsAndSaysSo) {
  const fs::path begun = scratch_ / "begun", go_on = scratch_ / "go_on";
  const pid_t maker = start([&] {
    find_or_make("nets", "a",
                 [&](const fs::path& folder) {
                   write(begun, "");
                   wait_for(go_on);
                   write(folder / "x", "first");
                 },
                 {});
  });
  wait_for(begun);
  std::string said;
  bool made = false;
  const fs::path entry = find_or_make(
      "nets", "a", [&](const fs::path&) { made = true; },
      [&](const std::string& line) {
        said += line;
        write(go_on, "");
      });
  EXPECT_EQ(said, "another fovea builds a; waiting");
  EXPECT_FALSE(made);
  EXPECT_EQ(read(entry / "x"), "first");
  EXPECT_EQ(wait(maker), 0);
}

TEST_F(CacheTest, OneThatTakesTooLongIsNotWaitedForForever) {
  const fs::path begun = scratch_ / "begun";
  const pid_t maker = start([&] {
    find_or_make("nets", "a",
                 [&](const fs::path&) {
                   write(begun, "");
                   pause();
                 },
                 {});
  });
  wait_for(begun);
  try {
    find_or_make(
        "nets", "a", [](const fs::path&) {}, {}, std::chrono::seconds(0));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another fovea builds a, for more than 0 seconds; end it"));
  }
  kill(maker, SIGKILL);
  wait(maker);
}

TEST_F(CacheTest, AKilledMakerLeavesNothingBroken) {
  const fs::path begun = scratch_ / "begun";
  const pid_t maker = start([&] {
    find_or_make("nets", "a",
                 [&](const fs::path& folder) {
                   write(folder / "x", "half");
                   write(begun, "");
                   pause();
                 },
                 {});
  });
  wait_for(begun);
  kill(maker, SIGKILL);
  wait(maker);
  EXPECT_FALSE(fs::exists(cache_ / "nets" / "a"));
  const fs::path entry = find_or_make("nets", "a", [](const fs::path& folder) { write(folder / "y", "whole"); }, {});
  EXPECT_FALSE(fs::exists(entry / "x"));
  EXPECT_EQ(read(entry / "y"), "whole");
  EXPECT_EQ(files(), 1u);
}

/// Runs `work` with a small disk, its own, in place of the cache. \return what it said, or nothing where we may not.
template <typename Work>
std::optional<std::string> on_small_disk(const fs::path& folder, const fs::path& said, unsigned long flags, Work work) {
  fs::create_directories(folder);
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("small", folder.c_str(), "tmpfs", flags, "size=64k,mode=755") != 0) {
      _exit(77);
    }
    try {
      work();
    } catch (const UserError& error) {
      std::ofstream(said) << error.what();
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    return std::nullopt;
  }
  std::ifstream file(said);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST_F(CacheTest, AFullDiskIsOneLine) {
  const auto said = on_small_disk(cache_, scratch_ / "said", 0, [] {
    find_or_make("nets", "a",
                 [](const fs::path& folder) {
                   write(folder / "x", std::string(1 << 20, 'x'));
                   user_error("x can't be written");
                 },
                 {});
  });
  if (!said) {
    GTEST_SKIP() << "no disk of our own may be mounted here";
  }
  EXPECT_EQ(*said, (cache_ / "nets").string() + ": the disk is full; make room, or name another folder in FOVEA_CACHE");
}

TEST_F(CacheTest, AFolderThatCannotBeWrittenIsOneLine) {
  const auto said = on_small_disk(cache_, scratch_ / "said", MS_RDONLY,
                                  [] { find_or_make("nets", "a", [](const fs::path&) {}, {}); });
  if (!said) {
    GTEST_SKIP() << "no disk of our own may be mounted here";
  }
  EXPECT_EQ(*said,
            (cache_ / "nets").string() +
                ": can't be written (Read-only file system); make it writable, or name another folder in FOVEA_CACHE");
}

TEST_F(CacheTest, CleanRemovesWhatNobodyUses) {
  find_or_make("nets", "a", [](const fs::path& folder) { write(folder / "x", "text"); }, {});
  EXPECT_EQ(clean_cache(std::chrono::hours(1)).entries, 0u);
  const Cleaned cleaned = clean_cache(std::chrono::hours(0));
  EXPECT_EQ(cleaned.entries, 1u);
  EXPECT_EQ(cleaned.bytes, 4 + sizeof "0123456789abcdef x" + 16) << "the file, and the list";
  EXPECT_FALSE(fs::exists(cache_));
}

TEST_F(CacheTest, CleanRemovesTheFilesOfMachinesMadeInPython) {
  fs::create_directories(cache_ / "machines");
  write(cache_ / "machines/small.json", "{}");
  clean_cache(std::chrono::hours(0));
  EXPECT_FALSE(fs::exists(cache_));
}

TEST_F(CacheTest, ADamagedEntryIsMadeAgain) {
  const fs::path entry = cache_ / "nets" / "a";
  const std::pair<const char*, std::function<void()>> damages[] = {
      {"gone", [&] { fs::remove(entry / "x"); }},
      {"cut", [&] { fs::resize_file(entry / "x", 2); }},
      {"changed", [&] { write(entry / "x", "texT"); }},
      {"a link", [&] { fs::rename(entry / "x", scratch_ / "x"), fs::create_symlink(scratch_ / "x", entry / "x"); }},
      {"an empty list", [&] { write(entry / ".fovea_files", ""); }},
      {"half of a list", [&] { fs::resize_file(entry / ".fovea_files", 7); }},
      {"no list", [&] { fs::remove(entry / ".fovea_files"); }},
      {"of others to write", [&] { fs::permissions(entry / "x", fs::perms::others_write, fs::perm_options::add); }},
      {"a folder of others to write", [&] { fs::permissions(entry, fs::perms::group_write, fs::perm_options::add); }},
      {"empty", [&] { fs::remove_all(entry), fs::create_directory(entry); }},
      {"a file", [&] { fs::remove_all(entry), write(entry, "text"); }},
      {"a link instead", [&] { fs::remove_all(entry), fs::create_symlink(scratch_ / "", entry); }},
  };
  const auto make = [](const fs::path& folder) { write(folder / "x", "text"); };
  find_or_make("nets", "a", make, {});
  for (const auto& [name, damage] : damages) {
    damage();
    EXPECT_EQ(find_entry("nets", "a"), std::nullopt) << name;
    std::string said;
    find_or_make("nets", "a", make, [&](const std::string& line) { said += line; });
    EXPECT_EQ(said, entry.string() + ": is damaged, and made again") << name;
    EXPECT_EQ(find_entry("nets", "a"), entry) << name;
    EXPECT_EQ(read(entry / "x"), "text") << name;
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(CacheTest, IsNobodyElsesToWrite) {
  const mode_t before = umask(0);
  const fs::path entry = find_or_make("nets", "a", [](const fs::path& folder) { write(folder / "x", "text"); }, {});
  umask(before);
  for (const fs::path& path : {cache_, cache_ / "nets", entry, entry / "x", entry / ".fovea_files"}) {
    EXPECT_EQ(fs::status(path).permissions() & (fs::perms::group_write | fs::perms::others_write), fs::perms::none)
        << path;
  }
}

/// What find_or_make() and clean_cache() say; both say the same.
std::string refusal_of_cache() {
  std::string found = "found", cleaned = "cleaned";
  try {
    find_or_make("nets", "a", [](const fs::path&) {}, {});
  } catch (const UserError& error) {
    found = error.what();
  }
  try {
    clean_cache(std::chrono::hours(0));
  } catch (const UserError& error) {
    cleaned = error.what();
  }
  EXPECT_EQ(found, cleaned);
  return found;
}

TEST_F(CacheTest, OneThatOthersCanWriteIsNotUsed) {
  find_or_make("nets", "a", [](const fs::path&) {}, {});
  for (const fs::path& path : {cache_, cache_ / "nets"}) {
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
    EXPECT_EQ(refusal_of_cache(),
              path.string() + ": other users can write it; chmod go-w it, or name another folder in FOVEA_CACHE");
    fs::permissions(path, fs::perms::others_write, fs::perm_options::remove);
  }
}

TEST_F(CacheTest, OneThatLeadsElsewhereIsNotUsed) {
  fs::create_directories(scratch_ / "mine" / "a");
  fs::create_directory(cache_);
  fs::create_symlink(scratch_ / "mine", cache_ / "nets");
  EXPECT_THAT(refusal_of_cache(), StartsWith((cache_ / "nets").string() + ": is no folder; remove it"));
  EXPECT_TRUE(fs::exists(scratch_ / "mine" / "a"));
}

TEST_F(CacheTest, AnotherUsersIsNotUsed) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root gives files away";
  }
  constexpr uid_t kNobody = 65534;
  find_or_make("nets", "a", [](const fs::path& folder) { write(folder / "x", "text"); }, {});
  for (const fs::path& path : {cache_, cache_ / "nets", cache_ / "nets/a"}) {
    ASSERT_EQ(chown(path.c_str(), kNobody, kNobody), 0);
    try {
      find_or_make("nets", "a", [](const fs::path&) {}, {});
      ADD_FAILURE() << path;
    } catch (const UserError& error) {
      EXPECT_EQ(
          error.what(),
          path.string() +
              ": is another user's, who may have put anything there; remove it, or name another folder in FOVEA_CACHE");
    }
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  ASSERT_EQ(chown((cache_ / "nets/a/x").c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(find_entry("nets", "a"), std::nullopt) << "it is made again";
}

TEST_F(CacheTest, CleanRemovesEntriesOfAnyName) {
  const std::string names[] = {".hidden", "..", "a\nb", "\xff", "-rf", ".x.lock.y", std::string(200, 'x')};
  for (const std::string& name : names) {
    find_or_make("nets", name + "-0", [](const fs::path& folder) { write(folder / "x", "text"); }, {});
  }
  const auto future = fs::file_time_type::clock::now() + std::chrono::hours(1000);
  fs::last_write_time(cache_ / "nets" / ".hidden-0", future);
  write(cache_ / "nets" / ".b.lock", "");  // as one that was killed leaves it
  fs::create_directories(cache_ / "nets" / ".c.part" / "below");
  fs::create_directories(cache_ / "nets" / ".d.build" / "below");
  EXPECT_EQ(clean_cache(std::chrono::hours(0)).entries, std::size(names));
  EXPECT_FALSE(fs::exists(cache_));
}

TEST(CacheFolder, FollowsTheEnvironment) {
  setenv("FOVEA_CACHE", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere");
  unsetenv("FOVEA_CACHE");
  EXPECT_EQ(cache_folder(), fs::current_path() / "build") << "tests run in the source folder";
}

}  // namespace
}  // namespace fovea
