// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does each lane's byte become the table's two cycles later, whatever the other lane reads, and stay until the next?
#include <array>
#include <random>

#include "Vdla_lookup.h"
#include "unit_bench.h"

namespace fovea {
namespace {

// As the bench is built.
constexpr uint32_t kLanes = 2, kBusBytes = 8;

class Lookup : public UnitBench<Vdla_lookup> {
 protected:
  Lookup() { reset(); }

  void write_table() {
    unit.read_i = 0;
    unit.write_i = 1;
    for (uint32_t word = 0; word < table_.size() / kBusBytes; ++word) {
      uint64_t data = 0;
      for (uint32_t i = 0; i < kBusBytes; ++i) {
        table_[word * kBusBytes + i] = static_cast<uint8_t>(source_());
        data |= uint64_t{table_[word * kBusBytes + i]} << 8 * i;
      }
      unit.word_i = static_cast<uint8_t>(word);
      unit.data_i = data;
      cycle();
    }
    unit.write_i = 0;
  }

  std::mt19937 source_{1};
  std::array<uint8_t, 256> table_{};
};

TEST_F(Lookup, IsTheTablesByte) {
  for (int round = 0; round < 3; ++round) {
    write_table();
    std::array<uint8_t, kLanes> read{}, expected{};
    std::array<bool, kLanes> has_read{}, has_byte{};
    for (int i = 0; i < 2000 && !HasFailure(); ++i) {
      expected = read;
      has_byte = has_read;
      unit.read_i = static_cast<uint8_t>(source_() % 4);
      unit.byte_i = static_cast<uint16_t>(source_());
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((unit.read_i >> lane & 1) != 0) {
          read[lane] = table_[unit.byte_i >> 8 * lane & 0xff];
          has_read[lane] = true;
        }
      }
      cycle();
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if (has_byte[lane]) {
          EXPECT_EQ(unit.byte_o >> 8 * lane & 0xff, expected[lane]) << "lane " << lane;
        }
      }
    }
    unit.read_i = 0;
    cycle();  // The last byte is chosen before the table changes.
  }
}

}  // namespace
}  // namespace fovea
