// SPDX-License-Identifier: Apache-2.0
/// \file
/// Locks, scratch folders, and a rename.
#include "cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "files/file_tree.h"
#include "ir/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr std::array kKinds = {"nets", "devices", "samples", "fonts", "machines"};

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
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0666);
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

/// The folder that an entry is made in.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    fs::remove_all(path_, error);  // of one that was killed
    if (!fs::create_directory(path_, error)) {
      refuse(path_.parent_path(), error.message());
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

fs::path lock_of(const fs::path& entry) { return entry.parent_path() / ("." + entry.filename().string() + ".lock"); }
fs::path scratch_of(const fs::path& entry) { return entry.parent_path() / ("." + entry.filename().string() + ".part"); }

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
  } catch (const std::exception&) {
    if (is_full(entry.parent_path())) {
      user_error(entry.parent_path().string() + ": the disk is full; make room" + kElsewhere);
    }
    throw;
  }
  std::error_code error;
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

/// Removes one entry, or what a killed maker left of one.
void remove_entry(const fs::path& path, Cleaned& cleaned) {
  const std::uintmax_t bytes = bytes_of(path);
  std::error_code error;
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

fs::path find_or_make(const std::string& kind, const std::string& name,
                      const std::function<void(const fs::path&)>& make, const Say& say, std::chrono::seconds limit) {
  const fs::path folder = cache_folder() / kind;
  fs::path entry = folder / name;
  if (fs::exists(entry)) {
    return used(entry);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    refuse(folder, error.message());
  }
  run_alone(
      lock_of(entry), "builds " + name, say,
      [&] {
        if (!fs::exists(entry)) {
          make_entry(entry, make);
        }
      },
      limit);
  return entry;
}

Cleaned clean_cache(std::chrono::hours unused_for) {
  Cleaned cleaned;
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - unused_for;
  for (const char* kind : kKinds) {
    const fs::path folder = cache_folder() / kind;
    std::vector<fs::path> found;
    for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
      found.push_back(file->path());
    }
    for (const fs::path& path : found) {
      const std::string name = path.filename().string();
      if (name.starts_with(".")) {
        continue;  // a lock, or what is being made: both go with their entry
      }
      if (fs::last_write_time(path, error) > oldest) {
        continue;
      }
      if (const std::optional<Lock> lock = Lock::take(lock_of(path))) {
        remove_entry(path, cleaned);
        ++cleaned.entries;
      }
    }
    for (const fs::path& path : found) {
      const std::string name = path.filename().string();
      if (name.starts_with(".") && name.ends_with(".part")) {
        const fs::path entry = folder / name.substr(1, name.size() - 6);
        if (const std::optional<Lock> lock = Lock::take(lock_of(entry))) {
          remove_entry(path, cleaned);
        }
      }
    }
    fs::remove(folder, error);  // only where it is empty
  }
  fs::remove(cache_folder(), error);
  return cleaned;
}

}  // namespace fovea
