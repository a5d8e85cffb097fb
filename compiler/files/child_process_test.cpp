// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program started ends with it, however that ends.
#include "child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fovea {
namespace {

TEST(ChildProcess, EndsWithTheOneThatStartedIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[0]);
    run_child({"sh", "-c", "echo begun >&" + std::to_string(ends[1]) + "; exec sleep 60"}, {});
    _exit(0);
  }
  close(ends[1]);
  char text[8];
  ASSERT_EQ(read(ends[0], text, sizeof text), 6);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  pollfd end{ends[0], POLLIN, 0};  // Readable, of nothing, when nobody can write any more.
  ASSERT_EQ(poll(&end, 1, 10000), 1);
  EXPECT_EQ(read(ends[0], text, sizeof text), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace fovea
