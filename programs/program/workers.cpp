// SPDX-License-Identifier: Apache-2.0
/// \file
/// Forks, and a pipe from each.
#include "workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "tensor/error.h"

namespace fovea {
namespace {

/// What a process sends for an item: its result, or that it failed and the length of the text that follows.
struct Message {
  uint32_t has_failed, value;
};

bool write_all(int file, const void* data, std::size_t bytes) {
  return write(file, data, bytes) == static_cast<ssize_t>(bytes);  // Small enough for a pipe to take at once.
}

bool read_all(int file, void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = read(file, static_cast<char*>(data) + done, bytes - done);
    if (got <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// A forked process and the end of its pipe that is read.
class Worker {
 public:
  /// \param run  Is given the end of the pipe to write to. The process ends with it.
  explicit Worker(const std::function<void(int)>& run) {
    int ends[2];
    if (pipe(ends) != 0 || (process_ = fork()) < 0) {
      throw std::system_error(errno, std::generic_category(), "a process cannot be started; choose fewer jobs");
    }
    if (process_ == 0) {
      close(ends[0]);
      run(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    close(pipe_);
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }

  uint32_t read_result(std::size_t item) {
    Message message{};
    if (!read_all(pipe_, &message, sizeof message)) {
      throw std::runtime_error(describe_death(item));
    }
    if (message.has_failed != 0) {
      std::string text(message.value, ' ');
      read_all(pipe_, text.data(), text.size());
      throw std::runtime_error(text);
    }
    return message.value;
  }

 private:
  std::string describe_death(std::size_t item) {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return "picture " + std::to_string(item) + ": its process " +
           (WIFSIGNALED(status) ? std::string("was killed (") + strsignal(WTERMSIG(status)) + ")"
                                : "ended with status " + std::to_string(WEXITSTATUS(status)));
  }

  pid_t process_ = -1;
  int pipe_ = -1;
};

void send_failure(int file, const std::string& words) {
  const std::string text = words.substr(0, 1000);
  const Message message{1, static_cast<uint32_t>(text.size())};
  if (write_all(file, &message, sizeof message)) {
    write_all(file, text.data(), text.size());
  }
}

}  // namespace

void work_in_processes(std::size_t count, unsigned jobs, const std::function<uint32_t(std::size_t item)>& work,
                       const std::function<void(std::size_t item)>& wait,
                       const std::function<void(std::size_t item, uint32_t result)>& take) {
  const std::size_t processes = std::min<std::size_t>(jobs, count);
  if (processes <= 1) {
    for (std::size_t item = 0; item < count; ++item) {
      take(item, work(item));
    }
    return;
  }
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t first = 0; first < processes; ++first) {
    workers.push_back(std::make_unique<Worker>([&](int file) {
      try {
        for (std::size_t item = first; item < count; item += processes) {
          const Message message{0, work(item)};
          if (!write_all(file, &message, sizeof message)) {
            return;
          }
        }
      } catch (const std::exception& error) {
        send_failure(file, failure_text(error));
      }
    }));
  }
  for (std::size_t item = 0; item < count; ++item) {
    wait(item);
    take(item, workers[item % processes]->read_result(item));
  }
}

}  // namespace fovea
