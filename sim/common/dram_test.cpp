// SPDX-License-Identifier: Apache-2.0
/// \file
/// The DRAM's data: in order, strobed, and DECERR for what does not exist.
#include "dram.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea {
namespace {

constexpr uint32_t kDramBase = DeviceMemory::kBase;

/// A memory of one page that holds its own offsets, and a DRAM of 4-byte beats before it.
class DramTest : public testing::Test {
 protected:
  DramTest() {
    for (uint32_t i = 0; i < memory.size(); ++i) {
      *memory.view(kDramBase + i, 1) = static_cast<uint8_t>(i);
    }
  }

  struct Beat {
    uint64_t data;
    uint8_t resp;
    bool last;
    bool operator==(const Beat& other) const { return data == other.data && resp == other.resp && last == other.last; }
  };

  /// Takes read beats for `cycles` cycles, every `pace` cycles.
  std::vector<Beat> take_beats(uint32_t cycles, uint32_t pace = 1) {
    std::vector<Beat> beats;
    for (uint32_t cycle = 0; cycle < cycles; ++cycle) {
      if (dram.pins().rvalid && cycle % pace == 0) {
        beats.push_back({dram.pins().rdata[0], dram.pins().rresp, dram.pins().rlast});
        dram.move_r();
      }
      dram.end_cycle();
    }
    return beats;
  }

  /// Writes one burst and returns its response.
  uint8_t write(uint32_t addr, const std::vector<uint64_t>& words, uint32_t strobes) {
    dram.move_aw(addr, static_cast<uint32_t>(words.size() - 1));
    for (size_t sent = 0; !dram.pins().bvalid;) {
      if (dram.pins().wready) {
        dram.move_w({words[sent++]}, strobes);
      }
      dram.end_cycle();
    }
    const uint8_t resp = dram.pins().bresp;
    dram.move_b();
    dram.end_cycle();
    return resp;
  }

  DeviceMemory memory{4096};
  Dram dram{memory, dram_preset("pipelined"), 4};
};

TEST_F(DramTest, ReadsWordsInOrderAndMarksTheLast) {
  dram.move_ar(kDramBase, 1);
  dram.end_cycle();
  dram.move_ar(kDramBase + 0x10, 0);
  dram.end_cycle();
  const std::vector<Beat> expected = {{0x03020100, 0, false}, {0x07060504, 0, true}, {0x13121110, 0, true}};
  EXPECT_EQ(take_beats(60), expected);
  EXPECT_TRUE(dram.is_idle());
}

TEST_F(DramTest, HoldsABeatUntilItIsTaken) {
  dram.move_ar(kDramBase, 1);
  dram.end_cycle();
  const std::vector<Beat> expected = {{0x03020100, 0, false}, {0x07060504, 0, true}};
  EXPECT_EQ(take_beats(90, 7), expected);
}

TEST_F(DramTest, AnswersOutsideMemoryWithDecodeErrors) {
  dram.move_ar(kDramBase + 4092, 1);
  dram.end_cycle();
  const std::vector<Beat> expected = {{0xfffefdfc, 0, false}, {0, Dram::kDecodeError, true}};
  EXPECT_EQ(take_beats(60), expected);
  EXPECT_EQ(write(0, {1}, 0xf), Dram::kDecodeError);
}

TEST_F(DramTest, OneBadBeatSpoilsTheWholeWriteResponse) {
  EXPECT_EQ(write(kDramBase + 4092, {0x11111111, 0x22222222}, 0xf), Dram::kDecodeError);
  EXPECT_EQ(*memory.view(kDramBase + 4092, 1), 0x11);
  EXPECT_EQ(write(kDramBase, {0}, 0xf), Dram::kOkay);
}

TEST_F(DramTest, WritesOnlyStrobedBytes) {
  EXPECT_EQ(write(kDramBase + 8, {0xaabbccdd}, 0b0110), Dram::kOkay);
  EXPECT_EQ(*memory.view(kDramBase + 8, 1), 8);
  EXPECT_EQ(*memory.view(kDramBase + 9, 1), 0xcc);
  EXPECT_EQ(*memory.view(kDramBase + 10, 1), 0xbb);
  EXPECT_EQ(*memory.view(kDramBase + 11, 1), 11);
}

TEST(Dram, MovesEightByteBeats) {
  DeviceMemory memory(4096);
  *memory.view(kDramBase + 15, 1) = 0x5a;
  Dram dram(memory, dram_preset("pipelined"), 8);
  dram.move_ar(kDramBase + 8, 0);
  for (int i = 0; i < 20; ++i) {
    dram.end_cycle();
  }
  EXPECT_TRUE(dram.pins().rvalid);
  EXPECT_EQ(dram.pins().rdata[0], 0x5aull << 56);
}

}  // namespace
}  // namespace fovea
