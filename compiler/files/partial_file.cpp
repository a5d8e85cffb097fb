// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens a new name, and renames it.
#include "partial_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// The kernel's own name of something open, as in /proc/self/fd: what such a link says is no path.
bool is_descriptor(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  struct statfs about {};
  return statfs(folder.c_str(), &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/// Where a path leads; "-" to standard output. One that leads in a circle stays one of its links, which can't be
/// opened.
fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;  // As many as the kernel follows.
  std::error_code error;
  path = path == "-" ? "/dev/stdout" : path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error) && !is_descriptor(path); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

bool is_written_at_once(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  return is_descriptor(target) || (fs::exists(status) && !fs::is_regular_file(status));
}

fs::path hidden_beside(const fs::path& target) {
  std::random_device random;
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), ".fovea_%08x%08x.part", random(), random());
  return target.parent_path() / name.data();
}

/// \param[out] part  The name that was new. \return -1 where there can be none.
int open_new(const fs::path& target, fs::path& part) {
  int file = -1;
  do {
    part = hidden_beside(target);
    file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (file < 0 && errno == EEXIST);
  return file;
}

/// A part that is half done.
struct Begun {
  std::atomic<char*> name;
  pid_t process;  ///< Whose it is: a child has these rows too.
};

/// For the handler of signals, which may read these and unlink, and little else.
std::array<Begun, 64> begun;

/// What is said of an interrupt; nullptr for nothing.
std::atomic<const char*> interrupt_line{nullptr};

/// Removes what is half done, and ends as the signal does.
extern "C" void remove_parts(int signal) {
  for (const Begun& part : begun) {
    if (const char* name = part.name.load(); name != nullptr && part.process == getpid()) {
      unlink(name);
    }
  }
  if (const char* line = interrupt_line.load(); line != nullptr && signal == SIGINT) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, std::strlen(line));
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

/// Where nobody else takes these signals: Python turns them into exceptions, which end a PartialFile as any do.
bool take_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
      ::signal(signal, remove_parts);
    }
  }
  return true;
}

void take_signals_once() { [[maybe_unused]] static const bool are_taken = take_signals(); }

/// More at once than there are rows stay where a signal ends the program.
void note_begun(const fs::path& part) {
  take_signals_once();
  char* name = strdup(part.c_str());
  for (Begun& row : begun) {
    if (char* none = nullptr; row.name.compare_exchange_strong(none, name)) {
      row.process = getpid();
      return;
    }
  }
  free(name);
}

void note_ended(const fs::path& part) {
  for (Begun& row : begun) {
    if (char* name = row.name.load(); name != nullptr && part == name) {
      row.name = nullptr;
      free(name);
    }
  }
}

}  // namespace

PartialFile::PartialFile(fs::path path)
    : path_(std::move(path)), target_(followed(path_)), part_(target_), out_(nullptr) {
  const int file = is_written_at_once(target_) ? open(target_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC)
                   : fs::is_symlink(target_)   ? -1
                                               : open_new(target_, part_);
  if (file < 0) {
    part_ = target_;
    throw UserError(path_.string() + ": cannot be written; name a file in a folder that exists and is writable");
  }
  if (part_ != target_) {
    note_begun(part_);
  }
  buffer_ = __gnu_cxx::stdio_filebuf<char>(file, std::ios::out | std::ios::binary);
  out_.rdbuf(&buffer_);
}

PartialFile::~PartialFile() {
  buffer_.close();
  if (part_ != target_) {
    unlink(part_.c_str());
    note_ended(part_);
  }
}

void PartialFile::refuse() const {
  throw UserError(path_.string() + ": not all of it could be written; is the disk full?");
}

void PartialFile::close() {
  if (buffer_.is_open() && (buffer_.close() == nullptr || !out_)) {
    refuse();
  }
}

void PartialFile::finish() {
  close();
  if (part_ == target_) {
    return;
  }
  struct stat before {};
  if (stat(target_.c_str(), &before) == 0) {
    chmod(part_.c_str(), before.st_mode & 0777);  // What was private stays it.
  }
  if (rename(part_.c_str(), target_.c_str()) != 0) {
    refuse();
  }
  note_ended(part_);
  part_ = target_;
}

void say_when_interrupted(const char* line) {
  interrupt_line = line;
  take_signals_once();
}

}  // namespace fovea
