// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes GTKWave save files, so that a dump opens on the interesting signals.
#include "gtkw_file.h"

#include <spdlog/fmt/fmt.h>

#include "files/partial_file.h"

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

namespace {

std::string gtkw_path(const std::filesystem::path& dump, const std::string& view) {
  return dump.string() + (view.empty() ? "" : ".") + view + ".gtkw";
}

void write(const std::string& path, const std::string& text) {
  PartialFile file(path);
  file.out() << text;
  file.finish();
}

}  // namespace

void write_gtkw(const std::filesystem::path& dump, const std::vector<WaveView>& views) {
  std::vector<WaveGroup> all;
  for (const WaveView& view : views) {
    all.insert(all.end(), view.groups.begin(), view.groups.end());
  }
  write(gtkw_path(dump, ""), format_gtkw(dump, all));
  for (const WaveView& view : views) {
    write(gtkw_path(dump, view.name), format_gtkw(dump, view.groups));
  }
}

void remove_gtkw(const std::filesystem::path& dump, const std::vector<WaveView>& views) {
  for (const WaveView& view : views) {
    std::filesystem::remove(gtkw_path(dump, view.name));
  }
  std::filesystem::remove(gtkw_path(dump, ""));
}

}  // namespace fovea
