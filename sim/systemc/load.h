// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves chunks from DRAM to the GLB, in the order of the jobs, several bursts in flight.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <array>
#include <deque>

#include "burst.h"
#include "glb.h"
#include "layer_run.h"
#include "spec/dla_list.h"
#include "spec/dla_schedule.h"
#include "stream.h"
#include "unit.h"

namespace fovea {

/// A job is taken once its buffer is free; a step later its first run is cut into bursts: a cycle a run, and for each
/// burst the cycles until its request is accepted. Where a chunk's last beat moves in cycle c, its token is seen in c
/// + 2.
class Load : public Unit {
 public:
  Load(const sc_core::sc_module_name& name, DeviceState& device);

  sc_core::sc_port<StreamIn<dla_load>> jobs{"jobs"};
  // Buffers to be filled, and chunks in the GLB.
  sc_core::sc_port<TokensIn> free_ifmaps{"free_ifmaps"}, free_filters{"free_filters"}, free_residuals{"free_residuals"};
  sc_core::sc_port<TokensOut> ifmaps{"ifmaps"}, filters{"filters"}, residuals{"residuals"};
  sc_core::sc_port<GlbWrite> glb{"glb"};
  sc_core::sc_port<GlbWrite> table{"table"};  ///< The table of a layer with lookup.
  sc_core::sc_port<EndingEvents> events{"events"};
  tlm_utils::simple_initiator_socket<Load> dma{"dma"};

  /// No burst is under way in this cycle.
  bool is_idle() const;

  /// Asks for a list's entry in this cycle. \pre is_idle(), up to the entry's last beat.
  void fetch_entry(uint32_t addr, uint32_t* words);

  /// From this cycle on, what is loaded is of the next layer; what is counted is still of the one that runs, until
  /// count_next(). \pre is_idle().
  void begin_next();
  void count_next() { is_ahead_ = false; }

  /// The last cycle up to this one in which a request was accepted or a beat moved.
  Cycle last_progress() const;

  void trace(sc_core::sc_trace_file* waves) const override;
  void count(Cycle cycle, dla_counters& counters) const override;

 protected:
  void run() override;
  void clear() override;

 private:
  using Burst = tlm::tlm_generic_payload;

  /// What a load is of: first what has buffers in the GLB. An entry of a list is no layer's.
  enum Tensor { kIfmap, kFilter, kResidual, kBuffered, kTable = kBuffered, kTensors, kEntry = kTensors };
  static Tensor tensor_of(const dla_load& job) {
    return job.is_table ? kTable : job.is_filter ? kFilter : job.is_residual ? kResidual : kIfmap;
  }

  /// Beats of a burst that has been scheduled.
  struct Beats {
    BurstTiming timing;
    Tensor tensor;
    uint32_t beats;
  };

  void retire(Cycle cycle);
  void put_token(Tensor tensor, Cycle cycle);
  uint32_t first_address(const dla_load& job, uint32_t channel) const;
  uint32_t first_word(const dla_load& job, uint32_t channel) const;
  bool load_run(const dla_load& job, uint32_t channel);
  void request(const dla_load& job, uint32_t addr, uint32_t beats, uint32_t glb_word, bool last);
  void ask(uint32_t addr, uint32_t beats, uint8_t* data);
  tlm::tlm_sync_enum take_answer(Burst& burst, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void note_beats(const BurstTiming& timing, uint32_t beats);

  BurstPool pool_;

  struct Asked {
    Tensor tensor;
    bool last;  ///< Of its job.
  };
  std::deque<Asked> asked_;                        ///< In the order in which they will be answered.
  std::array<uint8_t, kDlaListEntryAlign> entry_;  ///< A list's, as it comes, and
  uint32_t* entry_words_ = nullptr;                ///< where it goes.
  bool accepted_ = false;
  sc_core::sc_event accepted_event_;
  Cycle accepted_in_ = 0;       ///< The last request.
  Cycle moved_in_ = 0;          ///< The last beat of bursts that left `moving_`.
  Cycle idle_from_ = 0;         ///< kNever: a job is under way.
  Cycle last_beat_ = 0;         ///< Of all bursts scheduled so far, plus one.
  std::deque<Beats> moving_;    ///< Bursts whose beats may not all have moved.
  uint32_t residual_word_ = 0;  ///< Of the next beat of a residual, from its buffer on.

  /// Requests that were accepted, and beats of bursts that left `moving_`.
  struct Counted {
    std::array<uint64_t, kTensors + 1> beats{};
    uint32_t bursts = 0;
  };
  Counted counted_;        ///< Of the layer that is loaded, and
  Counted before_;         ///< of the one before it,
  bool is_ahead_ = false;  ///< which still counts.
};

}  // namespace fovea
