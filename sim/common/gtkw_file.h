// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes GTKWave save files, so that a dump opens on the interesting signals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// Signals shown together under a heading.
struct WaveGroup {
  struct Signal {
    std::string name;    ///< Hierarchical: "TOP.irq_o".
    uint32_t width = 1;  ///< In bits; 1 is shown as a line, more as hexadecimal.
  };
  std::string heading;
  std::vector<Signal> signals;
};

/// What a save file shows, by the question that it answers.
struct WaveView {
  std::string name;  ///< A word, for the file's name.
  std::vector<WaveGroup> groups;
};

/// The save file's text for a dump at `dump`.
std::string format_gtkw(const std::filesystem::path& dump, const std::vector<WaveGroup>& groups);

/// Writes `<dump>.<view>.gtkw` for each view, and `<dump>.gtkw` for all of them together.
/// \throws std::runtime_error that names a path that cannot be written.
void write_gtkw(const std::filesystem::path& dump, const std::vector<WaveView>& views);

/// Removes what write_gtkw() wrote.
void remove_gtkw(const std::filesystem::path& dump, const std::vector<WaveView>& views);

}  // namespace fovea
