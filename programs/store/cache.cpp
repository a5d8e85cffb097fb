// SPDX-License-Identifier: Apache-2.0
/// \file
/// Locks, scratch folders, and a rename.
#include "cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "files/file_tree.h"
#include "files/made_files.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr std::array kKinds = {"nets", "devices", "samples", "machines", "models", "graphs"};

/// Below this a disk is full: nothing that is made here fits.
constexpr std::uintmax_t kFullBytes = 256 * 1024;

const char* const kElsewhere = ", or name another folder in FOVEA_CACHE";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  user_error(path.string() + ": can't be written (" + why + "); make it writable" + kElsewhere);
}

/// A file that one process has at a time. It goes with the object; what was started meanwhile has it as long as it
/// runs.
class Lock {
 public:
  /// Takes it if nobody has it.
  static std::optional<Lock> take(const fs::path& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
    if (file < 0) {
      refuse(path.parent_path(), std::strerror(errno));
    }
    struct stat ours {
    }, there{};
    // One that had it may have removed the file meanwhile; then this is another one's, or nobody's.
    const bool is_taken = flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &ours) == 0 &&
                          stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino;
    if (!is_taken) {
      close(file);
      return std::nullopt;
    }
    return Lock(path, file);
  }

  /// Waits for it. \throws UserError after `limit`.
  static Lock wait(const fs::path& path, const std::string& what, const Say& say, std::chrono::seconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (bool has_said = false;; has_said = true) {
      if (std::optional<Lock> lock = take(path)) {
        return std::move(*lock);
      }
      if (!has_said && say) {
        say("another fovea " + what + "; waiting");
      }
      if (std::chrono::steady_clock::now() >= end) {
        user_error(path.string() + ": another fovea " + what + ", for more than " + std::to_string(limit.count()) +
                   " seconds; end it" + kElsewhere);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  Lock(Lock&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    if (file_ >= 0) {
      unlink(path_.c_str());
      close(file_);
    }
  }

 private:
  Lock(fs::path path, int file) : path_(std::move(path)), file_(file) {}

  fs::path path_;
  int file_;
};

/// The folder that an entry is made in, which is its maker's alone.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    fs::remove_all(path_, error);  // of one that was killed
    if (mkdir(path_.c_str(), 0700) != 0) {
      refuse(path_.parent_path(), std::strerror(errno));
    }
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Whether others than its owner can write it.
bool others_can_write(const struct stat& about) { return (about.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

/// Refuses what another user may have put there; what is not there is nobody's.
void refuse_foreign(const fs::path& path, const struct stat& about) {
  if (about.st_uid != geteuid()) {
    user_error(path.string() + ": is another user's, who may have put anything there; remove it" + kElsewhere);
  }
}

/// Refuses a folder in which others could put something.
void check_folder(const fs::path& path, int (*look)(const char*, struct stat*)) {
  struct stat about {};
  if (look(path.c_str(), &about) != 0) {
    return;
  }
  refuse_foreign(path, about);
  if (!S_ISDIR(about.st_mode)) {
    user_error(path.string() + ": is no folder; remove it" + kElsewhere);
  }
  if (others_can_write(about)) {
    user_error(path.string() + ": other users can write it; chmod go-w it" + kElsewhere);
  }
}

/// The folder of a kind, which may not be there. The build folder is trusted as the program is that lies in it.
fs::path folder_of(const std::string& kind) {
  const fs::path cache = cache_folder();
  if (cache != file_tree().root.parent_path()) {
    check_folder(cache, stat);
  }
  check_folder(cache / kind, lstat);
  return cache / kind;
}

/// Makes folders that others can't write.
void make_own_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error && mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    error = {errno, std::generic_category()};
  }
  if (error) {
    refuse(path, error.message());
  }
}

/// Whether an entry is there as it was made, ours, and nobody else's to write. \throws UserError where it is not ours.
bool is_whole(const fs::path& entry) {
  struct stat about {};
  if (lstat(entry.c_str(), &about) != 0) {
    return false;
  }
  refuse_foreign(entry, about);
  if (!S_ISDIR(about.st_mode) || others_can_write(about)) {
    return false;
  }
  const MadeFiles made(entry);
  const std::vector<std::string> names = made.names();
  // A link says of itself that all can write it.
  return made.are_whole() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
           struct stat file {};
           return lstat((entry / name).c_str(), &file) == 0 && file.st_uid == geteuid() && !others_can_write(file);
         });
}

/// Lists what is in an entry, which from then on others can read, and only its owner write.
void seal(const fs::path& entry) {
  MadeFiles made(entry);
  for (const fs::directory_entry& file : fs::directory_iterator(entry)) {
    if (file.path().filename() != kMadeFiles) {
      made.set(file.path().filename().string(), file);
    }
  }
  made.save();
  for (const fs::directory_entry& file : fs::directory_iterator(entry)) {
    fs::permissions(file, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove);
  }
  chmod(entry.c_str(), 0755);
}

fs::path lock_of(const fs::path& entry) { return entry.parent_path() / ("." + entry.filename().string() + ".lock"); }
fs::path scratch_of(const fs::path& entry) { return entry.parent_path() / ("." + entry.filename().string() + ".part"); }

/// The entry that a file of its folder belongs to: it is the entry, its lock, or what it is made in.
std::string entry_of(const std::string& name) {
  for (const std::string end : {".lock", ".part", ".build"}) {
    if (name.starts_with(".") && name.ends_with(end) && name.size() > 1 + end.size()) {
      return name.substr(1, name.size() - 1 - end.size());
    }
  }
  return name;
}

bool is_full(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < kFullBytes;
}

/// What its last use is known by; a cache that can only be read keeps the old time.
fs::path used(const fs::path& entry) {
  std::error_code ignored;
  fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);
  return entry;
}

void make_entry(const fs::path& entry, const std::function<void(const fs::path&)>& make) {
  const Scratch scratch(scratch_of(entry));
  try {
    make(scratch.path());
    seal(scratch.path());
  } catch (const std::exception&) {
    if (is_full(entry.parent_path())) {
      user_error(entry.parent_path().string() + ": the disk is full; make room" + kElsewhere);
    }
    throw;
  }
  std::error_code error;
  fs::remove_all(entry, error);  // which is damaged, where it is there
  fs::rename(scratch.path(), entry, error);
  if (error) {
    refuse(entry, error.message());
  }
}

std::uintmax_t bytes_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator file(folder, ignored), end; !ignored && file != end; file.increment(ignored)) {
    bytes += file->is_regular_file(ignored) ? file->file_size(ignored) : 0;
  }
  return bytes;
}

/// Removes one entry, or what a killed maker left of one. \pre Its lock is held.
void remove_entry(const fs::path& entry, Cleaned& cleaned) {
  const fs::path path = scratch_of(entry);
  std::error_code error;
  if (fs::exists(fs::symlink_status(entry))) {
    fs::remove_all(path, error);
    fs::rename(entry, path, error);  // If this is killed, no half of an entry has its name.
  }
  const fs::path build = entry.parent_path() / ("." + entry.filename().string() + ".build");
  const std::uintmax_t bytes = bytes_of(path) + bytes_of(build);
  fs::remove_all(build, error);
  fs::remove_all(path, error);
  if (error) {
    refuse(path, error.message());
  }
  cleaned.bytes += bytes;
}

}  // namespace

fs::path cache_folder() {
  if (const std::string chosen = environment("FOVEA_CACHE"); !chosen.empty()) {
    return fs::absolute(chosen);
  }
  if (!file_tree().checkout.empty()) {
    return file_tree().checkout / "build";
  }
  if (const std::string caches = environment("XDG_CACHE_HOME"); !caches.empty()) {
    return fs::path(caches) / "fovea";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "fovea";
  }
  user_error("no place for what is compiled: neither FOVEA_CACHE nor HOME is set; name a folder in FOVEA_CACHE");
}

void run_alone(const fs::path& path, const std::string& what, const Say& say, const std::function<void()>& work,
               std::chrono::seconds limit) {
  const Lock lock = Lock::wait(path, what, say, limit);
  work();
}

std::optional<fs::path> find_entry(const std::string& kind, const std::string& name) {
  const fs::path entry = folder_of(kind) / name;
  return is_whole(entry) ? std::optional(used(entry)) : std::nullopt;
}

fs::path find_or_make(const std::string& kind, const std::string& name,
                      const std::function<void(const fs::path&)>& make, const Say& say, std::chrono::seconds limit) {
  if (std::optional<fs::path> kept = find_entry(kind, name)) {
    return *kept;
  }
  const fs::path folder = folder_of(kind);
  fs::path entry = folder / name;
  make_own_folder(cache_folder());
  make_own_folder(folder);
  folder_of(kind);
  run_alone(
      lock_of(entry), "builds " + name, say,
      [&] {
        if (is_whole(entry)) {
          return;
        }
        if (say && fs::exists(fs::symlink_status(entry))) {
          say(entry.string() + ": is damaged, and made again");
        }
        make_entry(entry, make);
      },
      limit);
  return entry;
}

Cleaned clean_cache(std::chrono::hours unused_for) {
  Cleaned cleaned;
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - unused_for;
  for (const char* kind : kKinds) {
    const fs::path folder = folder_of(kind);
    std::set<fs::path> entries;
    for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
      entries.insert(folder / entry_of(file->path().filename().string()));
    }
    for (const fs::path& entry : entries) {
      const bool is_entry = fs::exists(fs::symlink_status(entry));
      if (is_entry && unused_for.count() != 0 && fs::last_write_time(entry, error) > oldest) {
        continue;
      }
      if (const std::optional<Lock> lock = Lock::take(lock_of(entry))) {
        remove_entry(entry, cleaned);
        cleaned.entries += is_entry ? 1 : 0;
      }
    }
    fs::remove(folder, error);  // only where it is empty
  }
  fs::remove(cache_folder(), error);
  return cleaned;
}

}  // namespace fovea
