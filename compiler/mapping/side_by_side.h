// SPDX-License-Identifier: Apache-2.0
/// \file
/// Work on many inputs, or on many shapes, on all of the host's threads.
#pragma once

#include <cstddef>
#include <functional>

namespace fovea {

/// Threads that run_side_by_side() uses at most.
std::size_t most_threads();

/// Calls `work(index, thread)` for each index below `count`, on `most` threads; a thread's number is below that.
/// Where the host starts no more threads, those that there are do all of it.
/// \throws what one of the calls throws; the others end first.
void run_side_by_side(std::size_t count, const std::function<void(std::size_t index, std::size_t thread)>& work,
                      std::size_t most = most_threads());

}  // namespace fovea
