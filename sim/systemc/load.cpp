// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves chunks from DRAM to the GLB, in the order of the jobs, several bursts in flight.
#include "load.h"

#include <algorithm>
#include <cstring>

namespace fovea {

namespace {

/// A run's beats are counted in 24 bits.
constexpr uint32_t kBeatsMask = 0xffffff;

}  // namespace

Load::Load(const sc_core::sc_module_name& name, DeviceState& device) : Unit(name, device) {
  dma.register_nb_transport_bw(this, &Load::take_answer);
}

void Load::clear() {
  asked_.clear();
  accepted_event_.cancel();
  accepted_in_ = moved_in_ = 0;
  idle_from_ = 0;
  last_beat_ = 0;
  moving_.clear();
  counted_ = {};
  before_ = {};
  is_ahead_ = false;
  residual_word_ = 0;
}

void Load::begin_next() {
  retire(kNever);
  before_ = counted_;
  counted_ = {};
  is_ahead_ = true;
}

bool Load::is_idle() const { return idle_from_ <= clock_.now() && asked_.empty() && last_beat_ <= clock_.now(); }

Cycle Load::last_progress() const {
  Cycle last = std::max(accepted_in_, moved_in_);
  for (const Beats& burst : moving_) {
    last = std::max(last, burst.timing.last_beat_by(clock_.now()));
  }
  return last;
}

void Load::trace(sc_core::sc_trace_file* waves) const {
  trace_as(waves, counted_.bursts, "bursts");
  trace_as(waves, accepted_, "accepted");
}

void Load::run() {
  for (;;) {
    jobs->wait_valid();
    sc_core::sc_port<TokensIn>* const free[kBuffered] = {&free_ifmaps, &free_filters, &free_residuals};
    const Tensor tensor = tensor_of(jobs->front());
    if (tensor < kBuffered) {
      (*free[tensor])->wait_there();
    }
    if (device_.is_stopped()) {
      halt();
    }
    const dla_load job = jobs->pop();
    if (tensor < kBuffered) {
      (*free[tensor])->take();
    }
    residual_word_ = 0;
    idle_from_ = kNever;
    wait_until(clock_, clock_.now() + kDlaLoadJobCycles);
    for (uint32_t channel = 0; channel < job.runs; ++channel) {
      if (!load_run(job, channel)) {
        halt();
      }
    }
    idle_from_ = clock_.now();
  }
}

uint32_t Load::first_address(const dla_load& job, uint32_t channel) const {
  const dla_layer& layer = load_plan().layer;
  const uint32_t tensors[kTensors] = {layer.ifmap_addr, layer.filter_addr, layer.residual_addr, layer.filter_addr};
  return tensors[tensor_of(job)] + job.offset +
         channel * (job.is_residual ? load_plan().residual.stride : load_plan().ifmap.stride);
}

/// The beats of a residual follow each other, whatever run they are of.
uint32_t Load::first_word(const dla_load& job, uint32_t channel) const {
  switch (tensor_of(job)) {
    case kFilter:
      return load_plan().filter_base_word + job.glb_word;
    case kTable:
      return 0;
    case kResidual:
      return load_plan().residual_base_word + job.glb_word + residual_word_;
    default:
      return load_plan().ifmap_word(job.glb_word, job.channel + channel);
  }
}

/// From the run's own step to the cycle after its last request. \return false where the layer was stopped.
bool Load::load_run(const dla_load& job, uint32_t channel) {
  const uint32_t bus_bytes = load_plan().machine.bus_bytes;
  const uint32_t first = first_address(job, channel);
  uint32_t addr = first & ~(bus_bytes - 1);
  // Both ends as the RTL has them: a run may end at the top of the address space.
  uint32_t left = ((first + job.bytes + bus_bytes - 1) / bus_bytes - first / bus_bytes) & kBeatsMask;
  uint32_t word = first_word(job, channel);
  residual_word_ += left;
  bool stopped = device_.is_stopped();
  wait_until(clock_, clock_.now() + kDlaLoadRunCycles);
  while (left > 0 && !stopped) {
    const uint32_t beats = std::min<uint32_t>(
        {left, kDlaReadBurstBeats, (kDlaBurstBoundaryBytes - addr % kDlaBurstBoundaryBytes) / bus_bytes});
    left -= beats;
    request(job, addr, beats, word, left == 0 && channel + 1 == job.runs);
    stopped = device_.is_stopped();
    addr += beats * bus_bytes;
    word += beats;
    wait_until(clock_, clock_.now() + 1);
  }
  if (stopped) {
    idle_from_ = clock_.now();
  }
  return !stopped;
}

/// Holds the request until the cycle in which it is accepted.
void Load::request(const dla_load& job, uint32_t addr, uint32_t beats, uint32_t glb_word, bool last) {
  asked_.push_back({tensor_of(job), last});
  uint8_t* const memory = job.is_table ? table->bytes() : glb->bytes();
  ask(addr, beats, memory + size_t{glb_word} * load_plan().machine.bus_bytes);
  while (!accepted_) {
    sc_core::wait(accepted_event_);
  }
  ++counted_.bursts;
}

/// Makes a request in this cycle; `accepted_` says when it has been accepted.
void Load::ask(uint32_t addr, uint32_t beats, uint8_t* data) {
  const uint32_t bytes = beats * load_plan().machine.bus_bytes;
  Burst& burst = pool_.allocate();
  burst.set_read();
  burst.set_address(addr);
  burst.set_data_length(bytes);
  burst.set_streaming_width(bytes);
  burst.set_data_ptr(data);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  accepted_ = dma->nb_transport_fw(burst, phase, delay) == tlm::TLM_UPDATED;
  accepted_in_ = accepted_ ? clock_.now() : accepted_in_;
}

void Load::fetch_entry(uint32_t addr, uint32_t* words) {
  entry_words_ = words;
  asked_.push_back({kEntry, true});
  ask(addr, dla_list_entry_beats(load_plan().machine.bus_bytes), entry_.data());
}

tlm::tlm_sync_enum Load::take_answer(Burst& burst, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    accepted_ = true;
    accepted_in_ = clock_.now();
    accepted_event_.notify();
    return tlm::TLM_ACCEPTED;
  }
  note_beats(*burst.get_extension<BurstTiming>(), burst.get_data_length() / load_plan().machine.bus_bytes);
  burst.release();
  return tlm::TLM_COMPLETED;
}

void Load::note_beats(const BurstTiming& timing, uint32_t beats) {
  const Asked asked = asked_.front();
  asked_.pop_front();
  last_beat_ = timing.last_beat() + 1;
  retire(clock_.now());
  moving_.push_back({timing, asked.tensor, beats});
  if (asked.tensor == kEntry) {
    std::memcpy(entry_words_, entry_.data(), 4 * kDlaListEntryWords);
    events->entry_comes(timing.last_beat(), timing.failed_in != kNever, timing.failed_addr);
    return;
  }
  if (timing.failed_in != kNever) {
    events->read_fails(timing.failed_in, timing.failed_addr);
  }
  if (asked.last && asked.tensor < kBuffered) {
    put_token(asked.tensor, timing.last_beat() + kDlaLoadedCycles);
  }
}

/// Counts the bursts whose last beats move before `cycle`.
void Load::retire(Cycle cycle) {
  while (!moving_.empty() && moving_.front().timing.last_beat() < cycle) {
    moved_in_ = moving_.front().timing.last_beat();
    counted_.beats[moving_.front().tensor] += moving_.front().beats;
    moving_.pop_front();
  }
}

/// \param cycle  From which on it is seen.
void Load::put_token(Tensor tensor, Cycle cycle) {
  constexpr TransactionKind kKinds[kBuffered] = {TransactionKind::kIfmapLoaded, TransactionKind::kFilterLoaded,
                                                 TransactionKind::kResidualLoaded};
  sc_core::sc_port<TokensOut>* const chunks[kBuffered] = {&ifmaps, &filters, &residuals};
  (*chunks[tensor])->put(cycle);
  note(cycle - 1, kKinds[tensor]);
}

void Load::count(Cycle cycle, dla_counters& counters) const {
  Counted counted = is_ahead_ ? before_ : counted_;
  auto& beats = counted.beats;
  for (const Beats& burst : moving_) {
    beats[burst.tensor] += is_ahead_ ? 0 : burst.timing.beats_before(cycle);
  }
  const uint32_t bus_bytes = load_plan().machine.bus_bytes;
  counters.ifmap_read_bytes = static_cast<uint32_t>(beats[kIfmap] * bus_bytes);
  counters.filter_read_bytes = static_cast<uint32_t>((beats[kFilter] + beats[kTable]) * bus_bytes);
  counters.residual_read_bytes = static_cast<uint32_t>(beats[kResidual] * bus_bytes);
  counters.read_bursts = counted.bursts;
  counters.glb_write_words += static_cast<uint32_t>(beats[kIfmap] + beats[kFilter] + beats[kResidual]);
}

}  // namespace fovea
