// SPDX-License-Identifier: Apache-2.0
/// \file
/// Threads that take the next index until none is left.
#include "side_by_side.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace fovea {

std::size_t most_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void run_side_by_side(std::size_t count, const std::function<void(std::size_t index, std::size_t thread)>& work,
                      std::size_t most) {
  const std::size_t threads = std::min(most, count);
  std::vector<std::exception_ptr> failures(threads);
  std::atomic<std::size_t> next = 0;
  const auto run = [&](std::size_t thread) {
    try {
      for (std::size_t index = next++; index < count; index = next++) {
        work(index, thread);
      }
    } catch (...) {
      failures[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t thread = 1; thread < threads; ++thread) {
        others.emplace_back(run, thread);
      }
    } catch (const std::system_error&) {  // No more of them.
    }
    if (threads != 0) {
      run(0);
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

}  // namespace fovea
