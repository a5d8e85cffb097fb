// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bus log says when, what, where and how it ended, on standard error.
#include "bus_log.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(BusLog, WritesOneLineAnEvent) {
  uint64_t cycle = 12;
  BusLog log(cycle);
  testing::internal::CaptureStderr();
  log.log_layer("conv1");
  log.log_access("write", 0x14, 1, kDlaOk);
  cycle = 3456;
  log.log_burst("read", 0x80000040u, 16);
  log.log_access("read", 0xfff, 0, kDlaBusError);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "        12  layer conv1\n"
            "        12  reg write 0x014 = 0x00000001\n"
            "      3456  axi read  0x80000040  16 beats\n"
            "      3456  reg read  0xfff = 0x00000000  error response\n");
}

}  // namespace
}  // namespace fovea
