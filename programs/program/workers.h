// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does the same work on many items in several processes, and collects what comes of it in the order of the items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fovea {

/// Calls `work` for items 0 to `count` - 1 and hands each result to `take`, in this order.
/// \param jobs  Processes; 1: this one does everything. Process k works on items k, k + jobs, ...
/// \param wait  Told each item before its result is waited for; not with one process.
/// The processes are forks of this one, so `work` sees what is open here, and nothing that it changes is seen here.
/// \throws std::runtime_error in the words of a `work` that threw, or naming the item, a picture, at which a process
/// died. The other processes have ended then.
void work_in_processes(std::size_t count, unsigned jobs, const std::function<uint32_t(std::size_t item)>& work,
                       const std::function<void(std::size_t item)>& wait,
                       const std::function<void(std::size_t item, uint32_t result)>& take);

}  // namespace fovea
