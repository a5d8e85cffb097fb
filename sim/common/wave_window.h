// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decides, cycle by cycle, whether waves are dumped.
#ifndef FOVEA_SIM_COMMON_WAVE_WINDOW_H_
#define FOVEA_SIM_COMMON_WAVE_WINDOW_H_

#include <cstdint>
#include <limits>

#include "backend.h"

namespace fovea {

/// The window of WaveOptions. Cycles count from reset, or from the start of the chosen layer, each time it runs.
class WaveWindow {
 public:
  explicit WaveWindow(const WaveOptions& options)
      : layer_(options.layer),
        from_(options.from_cycle),
        length_(options.cycles == 0 ? std::numeric_limits<uint64_t>::max() : options.cycles) {
    set_origin(layer_.empty(), 0);
  }

  /// The layer called `name` starts in cycle `now`.
  void note_layer(const char* name, uint64_t now) {
    if (!layer_.empty()) {
      set_origin(layer_ == name, now);
    }
  }

  bool contains(uint64_t cycle) const { return is_open_ && cycle >= first_ && cycle - first_ < length_; }

 private:
  void set_origin(bool is_open, uint64_t origin) {
    is_open_ = is_open;
    first_ = origin + from_;
  }

  std::string layer_;
  uint64_t from_, length_;
  bool is_open_ = false;
  uint64_t first_ = 0;
};

}  // namespace fovea

#endif  // FOVEA_SIM_COMMON_WAVE_WINDOW_H_
