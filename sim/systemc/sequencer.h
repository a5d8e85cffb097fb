// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the loop nest of a layer, once, and hands out its passes, filter sets and loads in the order of first use.
#ifndef FOVEA_SIM_SYSTEMC_SEQUENCER_H_
#define FOVEA_SIM_SYSTEMC_SEQUENCER_H_

#include "pass.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// Takes a few cycles a pass, and runs ahead of the array by the depth of the queues. Where it waits is sequencer.cpp's
/// table of steps; every length of a pass is worked out here, so that the units behind only count.
class Sequencer : public Unit {
 public:
  /// Entries of each of its three queues.
  static constexpr size_t kQueueDepth = 4;

  Sequencer(const sc_core::sc_module_name& name, DeviceState& device, Stream<LoadJob>& loads,
            Stream<FilterSet>& filters, Stream<Pass>& passes)
      : Unit(name, device), loads_(loads), filters_(filters), passes_(passes) {}

  void trace(sc_core::sc_trace_file* waves) const override;

  /// The first step of a layer is in the next cycle.
  void start() { started_.notify(clock_.duration(1)); }

 protected:
  void run() override;
  void clear() override { started_.cancel(); }

 private:
  /// What is left of each loop, outermost first.
  struct Loops {
    uint32_t row0 = 0, rows = 0;      ///< Row tile.
    uint32_t m0 = 0, filters = 0;     ///< Filter tile.
    uint32_t c0 = 0, channels = 0;    ///< Chunk.
    uint32_t fold_row0 = 0;           ///< Fold.
    uint32_t group0 = 0;              ///< Group of filters, in its tile.
    uint32_t strip0 = 0;              ///< Strip of rows, in its tile.
    uint32_t top = 0, run_bytes = 0;  ///< Ifmap rows of the row tile: the first, and the bytes of all.
    uint32_t chunk = 0;               ///< Number of the chunk, modulo the buffers.
    uint32_t filter_buffer = 0, filter_addr = 0;
    uint32_t block = 0, loads = 0;
    bool loads_ifmap = false;
  };

  void walk_row_tile(Loops& at);
  void walk_filter_tile(Loops& at);
  void walk_chunk(Loops& at);
  void walk_fold(Loops& at, Pass pass);
  void walk_group(Loops& at, Pass pass);
  void push_strip(const Loops& at, Pass& pass, const FilterSet& set);

  void set_lengths(Pass& pass) const;
  uint32_t chunk_addr(const Loops& at) const;

  /// The next `cycles` cycles are spent in steps that wait for nobody.
  void spend(Cycle cycles) { spent_ += cycles; }

  /// Lets the spent cycles pass, waits for room, and pushes; the step after that is a cycle later.
  void push_load(const LoadJob& job);
  void pass_spent();

  Stream<LoadJob>& loads_;
  Stream<FilterSet>& filters_;
  Stream<Pass>& passes_;
  sc_core::sc_event started_;
  Cycle spent_ = 0;
  Loops at_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_SEQUENCER_H_
