// SPDX-License-Identifier: Apache-2.0
/// \file
/// A scripted device for tests: it answers from a list of expected accesses and reports any other.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hal/dla_hal.h"

/// One access: 'r' (answered with value), 'w' (value expected), 'i' (wait_irq; value is max_cycles), and the status
/// given back.
struct RegisterAccess {
  char kind;
  uint32_t offset;
  uint32_t value;
  dla_status_t status = kDlaOk;
};

/// A HAL whose registers follow a script. Expects that the whole script was played when it goes away.
class FakeHal {
 public:
  explicit FakeHal(std::vector<RegisterAccess> script) : script_(std::move(script)) {
    hal_.ctx = this;
    hal_.read32 = [](void* ctx, uint32_t offset, uint32_t* value) {
      const RegisterAccess now = self(ctx).next('r', offset);
      *value = now.value;
      return now.status;
    };
    hal_.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
      const RegisterAccess now = self(ctx).next('w', offset);
      EXPECT_EQ(now.value, value) << "written to register 0x" << std::hex << offset;
      return now.status;
    };
    hal_.wait_irq = [](void* ctx, uint64_t max_cycles) {
      const RegisterAccess now = self(ctx).next('i', 0);
      EXPECT_EQ(now.value, max_cycles);
      return now.status;
    };
  }
  ~FakeHal() { EXPECT_EQ(at_, script_.size()) << "accesses that never came"; }
  FakeHal(const FakeHal&) = delete;
  FakeHal& operator=(const FakeHal&) = delete;

  dla_hal_t* hal() { return &hal_; }

 private:
  static FakeHal& self(void* ctx) { return *static_cast<FakeHal*>(ctx); }

  RegisterAccess next(char kind, uint32_t offset) {
    if (at_ == script_.size()) {
      ADD_FAILURE() << "unexpected access '" << kind << "' of 0x" << std::hex << offset;
      return {kind, offset, 0, kDlaBusError};
    }
    const RegisterAccess expected = script_[at_++];
    EXPECT_EQ(expected.kind, kind) << "access " << at_;
    EXPECT_EQ(expected.offset, offset) << "access " << at_;
    return expected;
  }

  std::vector<RegisterAccess> script_;
  size_t at_ = 0;
  dla_hal_t hal_{};
};
