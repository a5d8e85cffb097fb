// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a trigger fire in the cycle of its event, the first time only, and only while it is armed?
#include "wave_trigger.h"

#include <gtest/gtest.h>

#include "backend.h"

namespace fovea {
namespace {

using Kind = TransactionKind;
constexpr uint64_t kNever = WaveTrigger::kNever;

TEST(WaveTrigger, FiresWhenAStallHasLasted) {
  WaveTrigger trigger("stall=10", 4);
  trigger.note({100, Kind::kPassEnd});
  EXPECT_EQ(trigger.fires_in(), 111u);
  trigger.note({110, Kind::kPassStart});
  EXPECT_EQ(trigger.fires_in(), kNever) << "the stall was too short";
  trigger.note({200, Kind::kPassEnd});
  trigger.note({211, Kind::kPassStart});
  EXPECT_EQ(trigger.fires_in(), 211u);
  trigger.note({300, Kind::kPassEnd});
  EXPECT_EQ(trigger.fires_in(), 211u) << "it has fired";
}

TEST(WaveTrigger, DoesNotTakeTheEndOfALayerForAStall) {
  WaveTrigger trigger("stall=10", 4);
  trigger.note({100, Kind::kPassEnd});
  trigger.note({105, Kind::kLayerEnd});
  EXPECT_EQ(trigger.fires_in(), kNever);
}

TEST(WaveTrigger, FiresForAnError) {
  WaveTrigger any("error", 4), bus_read("error=19", 4);
  for (WaveTrigger* trigger : {&any, &bus_read}) {
    trigger->note({50, Kind::kLayerEnd, 0});
    EXPECT_EQ(trigger->fires_in(), kNever);
    trigger->note({60, Kind::kLayerEnd, 2});
    trigger->note({70, Kind::kLayerEnd, 19});
  }
  EXPECT_EQ(any.fires_in(), 60u);
  EXPECT_EQ(bus_read.fires_in(), 70u);
}

TEST(WaveTrigger, FiresForAWrittenAddress) {
  WaveTrigger memory("write=0x80000043", 4), reg("write=0x14", 4);
  for (WaveTrigger* trigger : {&memory, &reg}) {
    trigger->note({5, Kind::kReadRequest, 0x80000040, 4});
    trigger->note({6, Kind::kWriteRequest, 0x80000030, 4});
    trigger->note({7, Kind::kWriteRequest, 0x80000040, 1});
    trigger->note({8, Kind::kRegisterWrite, 0x14, 1});
  }
  EXPECT_EQ(memory.fires_in(), 7u);
  EXPECT_EQ(reg.fires_in(), 8u);
}

TEST(WaveTrigger, FiresOnlyWhileItIsArmed) {
  WaveTrigger trigger("write=20", 4), stall("stall=10", 4);
  trigger.arm(100);
  trigger.note({99, Kind::kRegisterWrite, 20, 1});
  EXPECT_EQ(trigger.fires_in(), kNever);
  trigger.note({100, Kind::kRegisterWrite, 20, 1});
  EXPECT_EQ(trigger.fires_in(), 100u);
  stall.arm(200);
  stall.note({10, Kind::kPassEnd});
  EXPECT_EQ(stall.fires_in(), 200u) << "the array has waited long enough by then";
}

TEST(WaveTrigger, SaysWhatThereIs) {
  for (const char* text : {"", "stall", "stall=", "stall=-1", "stall=1x", "pass=3", "error="}) {
    try {
      const WaveTrigger trigger(text, 4);
      ADD_FAILURE() << text;
    } catch (const BackendError& error) {
      EXPECT_EQ(error.what(),
                "trigger " + std::string(text) + ": unknown; choose stall=CYCLES, error, error=CAUSE or write=ADDRESS");
    }
  }
}

}  // namespace
}  // namespace fovea
