// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run as a timeline: a track a unit, layers and passes nested, what is in flight and in the GLB as counters.
#include "timeline.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace fovea {

namespace {

using Kind = TransactionKind;

/// What a register access takes on AXI4-Lite.
constexpr uint64_t kAccessCycles = 3;

/// Cycles over which the array's work is counted.
constexpr uint64_t kBusyWindow = 1024;

constexpr const char* kTrackNames[] = {"driver",     "controller", "DMA read",        "DMA write",     "filter feed",
                                       "ifmap feed", "array",      "post-processing", "output gather", "CPU"};

}  // namespace

Timeline::Timeline(const std::filesystem::path& path, const MachineFile& machine)
    : writer_(path), dma_(writer_, kRead, kWrite, machine.geometry.bus_bytes) {
  writer_.name_process(machine.name);
  for (uint32_t track = kDriver; track <= kCpu; ++track) {
    writer_.name_track(track, kTrackNames[track - kDriver]);
  }
}

void Timeline::take_layer(uint64_t cycle, const std::string& name) {
  end_call(cycle);
  call_from_ = cycle;
  layer_ = name;
  set_ = {};
  writer_.begin_span(kDriver, name, cycle);
}

void Timeline::take_cpu_layer(uint64_t cycle, const std::string& name) {
  end_call(cycle);
  writer_.write_instant(kCpu, name, cycle);
}

void Timeline::take(const Transaction& event) {
  dma_.take(event);
  switch (event.kind) {
    case Kind::kRegisterWrite:
    case Kind::kRegisterRead:
      return take_access(event);
    case Kind::kLayerStart:
      layer_from_ = event.cycle + 1;
      writer_.begin_span(kController, layer_, layer_from_);
      array_free_from_ = kNone;
      return;
    case Kind::kLayerEnd:
      return end_layer(event.cycle + 1, event.number);
    case Kind::kSetStart:
      set_ = {event.cycle + 1, event.number};
      return;
    case Kind::kSetEnd:
      return end_unit(kFilter, "set", set_, event.cycle + 1);
    case Kind::kWindow:
      window_ = {event.cycle, event.number};
      return;
    case Kind::kPassStart:
    case Kind::kPassEnd:
      return take_array(event);
    case Kind::kTileStart:
    case Kind::kTileEnd:
    case Kind::kTileFree:
      return take_tile(event);
    case Kind::kInterrupt:
      if (waiting_from_ != kNone) {
        writer_.write_span(kDriver, "wait for the interrupt", waiting_from_, event.cycle + 1);
        access_end_ = event.cycle + 1;
      }
      waiting_from_ = kNone;
      return;
    default:
      return;
  }
}

void Timeline::take_access(const Transaction& event) {
  access_end_ = event.cycle + kAccessCycles;
  writer_.write_span(kDriver,
                     fmt::format("{} {:#05x}", event.kind == Kind::kRegisterWrite ? "write" : "read", event.number),
                     event.cycle, access_end_, {{"value", event.second}});
  waiting_from_ = access_end_;
}

void Timeline::take_array(const Transaction& event) {
  const uint64_t from = event.cycle + 1;
  if (event.kind == Kind::kPassStart) {
    end_unit(kIfmap, "window", window_, from);
    if (array_free_from_ != kNone && array_free_from_ < from) {
      writer_.write_span(kArray, "wait", array_free_from_, from);
    }
    pass_ = {from, event.number};
    return;
  }
  if (pass_.from != kNone) {
    add_busy(pass_.from, from);
    writer_.write_span(kArray, "compute", pass_.from, from);
  }
  end_unit(kController, "pass", pass_, from);
  array_free_from_ = from;
}

void Timeline::take_tile(const Transaction& event) {
  const uint64_t next = event.cycle + 1;
  if (event.kind == Kind::kTileStart) {
    tile_ = {next, event.number};
  } else if (event.kind == Kind::kTileEnd) {
    end_unit(kPost, "tile", tile_, next);
    tiles_.push_back(next);
  } else if (!tiles_.empty()) {
    Unit gathered = {std::max(tiles_.front(), store_free_from_), event.number};
    tiles_.pop_front();
    end_unit(kStore, "tile", gathered, next);
    store_free_from_ = next;
  }
}

void Timeline::end_unit(Track track, const char* name, Unit& unit, uint64_t to) {
  if (unit.from != kNone && unit.from < to) {
    writer_.write_span(track, fmt::format("{} {}", name, unit.number), unit.from, to);
  }
  unit = {};
}

/// What is still under way was dropped with its layer. A filter set may be the next layer's: then it goes on.
void Timeline::end_layer(uint64_t to, uint32_t cause) {
  const Unit set = set_;
  end_unit(kFilter, "set", set_, to);
  set_ = set.from == kNone ? set : Unit{std::max(set.from, to), set.number};
  end_unit(kIfmap, "window", window_, to);
  end_unit(kController, "pass", pass_, to);
  end_unit(kPost, "tile", tile_, to);
  tiles_.clear();
  dma_.end_layer(to);
  writer_.end_span(kController, to, {{"cycles", to - layer_from_}, {"error", cause}});
  layer_from_ = kNone;
}

/// The driver's work on a layer, around its register accesses.
void Timeline::end_call(uint64_t cycle) {
  if (call_from_ != kNone) {
    writer_.end_span(kDriver, std::max(call_from_, std::min(access_end_, cycle)));
  }
  call_from_ = kNone;
  waiting_from_ = kNone;
}

void Timeline::add_busy(uint64_t from, uint64_t to) {
  write_busy_before(from);
  for (; from < to; from = (busy_window_ + 1) * kBusyWindow) {
    write_busy_before(from);
    busy_cycles_ += std::min(to, (busy_window_ + 1) * kBusyWindow) - from;
  }
}

/// Writes the windows that end up to `cycle`, where they differ from what is shown.
void Timeline::write_busy_before(uint64_t cycle) {
  while ((busy_window_ + 1) * kBusyWindow <= cycle) {
    const uint64_t percent = 100 * busy_cycles_ / kBusyWindow;
    if (percent != busy_shown_) {
      writer_.write_counter("array in a pass, %", busy_window_ * kBusyWindow, {{"busy", percent}});
      busy_shown_ = percent;
    }
    busy_cycles_ = 0;
    // Windows without a pass look alike: go on to the last of them.
    ++busy_window_;
    if (busy_shown_ == 0) {
      busy_window_ = std::max(busy_window_, cycle / kBusyWindow);
    }
  }
}

void Timeline::finish(uint64_t cycle) {
  end_call(cycle);
  if (layer_from_ != kNone) {
    end_layer(cycle, 0);
  }
  write_busy_before(cycle + kBusyWindow);
  writer_.finish();
}

}  // namespace fovea
