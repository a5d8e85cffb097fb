// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do results come in the order of the items, whoever worked on them, and is a process that fails reported?
#include "workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace fovea {
namespace {

void ignore(std::size_t) {}

/// The results that are taken, in order; what goes wrong, in words.
std::string run(std::size_t count, unsigned jobs, const std::function<uint32_t(std::size_t)>& work) {
  std::string taken;
  try {
    work_in_processes(count, jobs, work, ignore, [&](std::size_t item, uint32_t result) {
      taken += std::to_string(item) + ":" + std::to_string(result) + " ";
    });
  } catch (const std::runtime_error& error) {
    return taken + error.what();
  }
  return taken;
}

uint32_t square(std::size_t item) { return static_cast<uint32_t>(item * item); }

TEST(Workers, ResultsComeInOrder) {
  for (const unsigned jobs : {1u, 2u, 3u, 8u}) {
    EXPECT_EQ(run(5, jobs, square), "0:0 1:1 2:4 3:9 4:16 ") << jobs;
  }
  EXPECT_EQ(run(0, 2, square), "");
}

TEST(Workers, EachItemIsWorkedOnOnceInAProcessOfItsOwn) {
  const auto parent = static_cast<uint32_t>(getpid());
  std::vector<uint32_t> processes;
  work_in_processes(
      6, 3, [](std::size_t) { return static_cast<uint32_t>(getpid()); }, ignore,
      [&](std::size_t, uint32_t process) { processes.push_back(process); });
  ASSERT_EQ(processes.size(), 6u);
  for (std::size_t item = 0; item < 3; ++item) {
    EXPECT_NE(processes[item], parent);
    EXPECT_EQ(processes[item], processes[item + 3]);
  }
  EXPECT_NE(processes[0], processes[1]);
}

TEST(Workers, WhatIsThrownIsThrownHere) {
  const auto fail = [](std::size_t item) -> uint32_t {
    return item == 2 ? throw std::runtime_error("conv1: the interrupt did not come") : square(item);
  };
  EXPECT_EQ(run(5, 2, fail), "0:0 1:1 conv1: the interrupt did not come");
  EXPECT_EQ(run(5, 1, fail), run(5, 2, fail));
}

TEST(Workers, AProcessThatDiesIsReported) {
  const auto crash = [](std::size_t item) { return item == 3 ? static_cast<uint32_t>(raise(SIGKILL)) : square(item); };
  EXPECT_EQ(run(5, 2, crash), "0:0 1:1 2:4 picture 3: its process was killed (Killed)");
  const auto leave = [](std::size_t item) -> uint32_t { return item == 1 ? (_exit(4), 0) : square(item); };
  EXPECT_EQ(run(5, 2, leave), "0:0 picture 1: its process ended with status 4");
}

}  // namespace
}  // namespace fovea
