// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does dla_counters count what it is told in each busy cycle, one cause each, and start over with a layer, whose first
/// filters may have come before?
#include <algorithm>
#include <array>
#include <random>

#include "Vdla_counters.h"
#include "unit_bench.h"

namespace fovea {
namespace {

constexpr uint32_t kBusBytes = 8;

/// In the order of the register map.
enum Counter {
  kCycles,
  kCompute,
  kPsum,
  kFilter,
  kIfmap,
  kDram,
  kOutput,
  kControl,
  kIfmapBytes,
  kFilterBytes,
  kWriteBytes,
  kReadBursts,
  kWriteBursts,
  kGlbReads,
  kGlbWrites,
  kPasses,
  kCounters
};

class Counters : public UnitBench<Vdla_counters> {
 protected:
  Counters() { reset(); }

  /// A cycle with random inputs, beside the model.
  void random_cycle(std::mt19937& source) {
    const auto one_in = [&](uint32_t n) { return source() % n == 0; };
    const auto cause = static_cast<Counter>(kCompute + source() % 7);
    unit.start_i = one_in(300);
    is_early = is_early ? !one_in(60) : one_in(200);
    unit.early_i = is_early;
    unit.waited_i = one_in(2) ? source() : 0;
    unit.busy_i = !one_in(4);
    unit.compute_i = cause == kCompute;
    unit.psum_i = cause == kPsum;
    unit.filter_i = cause == kFilter;
    unit.ifmap_i = cause == kIfmap;
    unit.dram_i = cause == kDram;
    unit.output_i = cause == kOutput;
    unit.ifmap_beat_i = one_in(3);
    unit.filter_beat_i = one_in(3);
    unit.write_bytes_i = source() % (kBusBytes + 1);
    unit.read_burst_i = one_in(5);
    unit.write_burst_i = one_in(5);
    unit.glb_reads_i = source() % 16;
    unit.glb_writes_i = source() % 15;
    unit.pass_i = one_in(7);
    unit.glb_writes_i += unit.filter_beat_i;
    unit.filter_reads_i = one_in(2) ? 0 : std::min<uint32_t>(unit.glb_reads_i, 2);
    early = is_early ? early : std::array<uint32_t, 3>{};
    const uint32_t filter_beats = unit.filter_beat_i, bursts = unit.read_burst_i, reads = unit.filter_reads_i;
    if (is_early) {
      early[0] += filter_beats;
      early[1] += bursts;
      early[2] += reads;
    }
    if (unit.start_i != 0) {
      model = {};
      model[kCycles] = model[kControl] = unit.waited_i;
      model[kFilterBytes] = early[0] * kBusBytes;
      model[kGlbWrites] = early[0];
      model[kReadBursts] = early[1];
      model[kGlbReads] = early[2];
    } else if (unit.busy_i != 0) {
      count(cause);
      if (is_early) {
        model[kFilterBytes] -= filter_beats * kBusBytes;
        model[kGlbWrites] -= filter_beats;
        model[kReadBursts] -= bursts;
        model[kGlbReads] -= reads;
      }
    }
    cycle();
  }

  void count(Counter cause) {
    ++model[kCycles];
    ++model[cause];
    model[kIfmapBytes] += unit.ifmap_beat_i != 0 ? kBusBytes : 0;
    model[kFilterBytes] += unit.filter_beat_i != 0 ? kBusBytes : 0;
    model[kWriteBytes] += unit.write_bytes_i;
    model[kReadBursts] += unit.read_burst_i;
    model[kWriteBursts] += unit.write_burst_i;
    model[kGlbReads] += unit.glb_reads_i;
    model[kGlbWrites] += unit.glb_writes_i;
    model[kPasses] += unit.pass_i;
  }

  std::array<uint32_t, kCounters> model{};
  bool is_early = false;
  std::array<uint32_t, 3> early{};  ///< Beats and bursts of the layer behind, and its filters' words that were read.
};

TEST_F(Counters, CountWhatTheyAreTold) {
  std::mt19937 source(1);
  for (int i = 0; i < 20'000; ++i) {
    random_cycle(source);
    for (uint32_t c = 0; c < kCounters; ++c) {
      ASSERT_EQ(unit.counters_o[c], model[c]) << "cycle " << i << ", counter " << c;
    }
  }
}

}  // namespace
}  // namespace fovea
