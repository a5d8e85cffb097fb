// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a GTKWave save file, so that a dump opens on the interesting signals.
#include "gtkw_file.h"

#include <spdlog/fmt/fmt.h>

#include <fstream>
#include <stdexcept>

namespace fovea {

namespace {

// GTKWave's display flags: right justified, as bits, as hexadecimal, or as a comment line.
constexpr const char* kBits = "@28\n";
constexpr const char* kHex = "@22\n";
constexpr const char* kHeading = "@200\n";

std::string format_signal(const WaveGroup::Signal& signal) {
  return signal.width == 1 ? kBits + signal.name + "\n"
                           : fmt::format("{}{}[{}:0]\n", kHex, signal.name, signal.width - 1);
}

}  // namespace

std::string format_gtkw(const std::filesystem::path& dump, const std::vector<WaveGroup>& groups) {
  std::string text = fmt::format("[dumpfile] \"{}\"\n[timestart] 0\n", std::filesystem::absolute(dump).string());
  for (const WaveGroup& group : groups) {
    text += fmt::format("{}-{}\n", kHeading, group.heading);
    for (const WaveGroup::Signal& signal : group.signals) {
      text += format_signal(signal);
    }
  }
  return text;
}

void write_gtkw(const std::filesystem::path& dump, const std::vector<WaveGroup>& groups) {
  const std::string path = dump.string() + ".gtkw";
  std::ofstream file(path, std::ios::binary);
  file << format_gtkw(dump, groups);
  file.close();
  if (!file) {
    throw std::runtime_error(path + ": cannot write the GTKWave save file; is the folder there and writable?");
  }
}

void remove_gtkw(const std::filesystem::path& dump) { std::filesystem::remove(dump.string() + ".gtkw"); }

}  // namespace fovea
