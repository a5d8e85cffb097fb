// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the table of device layers.
#include "layer_table.h"

#include <cstdio>
#include <string>

namespace fovea {
namespace {

/// Sums of the columns.
struct Totals {
  uint64_t macs = 0, cycles = 0, read = 0, written = 0;
};

std::string percent(double part, double whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%5.1f%%", whole == 0 ? 0.0 : 100 * part / whole);
  return text;
}

void print_line(std::ostream& out, const char* name, const Totals& t, const dla_machine& machine,
                const std::string& waits) {
  char text[200];
  const double offered = static_cast<double>(t.cycles) * machine.rows * machine.cols;
  std::snprintf(text, sizeof text, "%-12s %12llu %12llu %s %12llu %12llu  ", name,
                static_cast<unsigned long long>(t.macs), static_cast<unsigned long long>(t.cycles),
                percent(static_cast<double>(t.macs), offered).c_str(), static_cast<unsigned long long>(t.read),
                static_cast<unsigned long long>(t.written));
  out << text << waits << "\n";
}

/// Shares of the causes that took part, computing first.
std::string causes(const dla_counters& c) {
  const std::pair<const char*, uint32_t> all[] = {{"compute", c.compute_cycles}, {"psum", c.psum_cycles},
                                                  {"filter", c.filter_cycles},   {"ifmap", c.ifmap_cycles},
                                                  {"dram", c.dram_cycles},       {"output", c.output_cycles},
                                                  {"control", c.control_cycles}};
  std::string text;
  for (const auto& [name, cycles] : all) {
    if (cycles * 1000ull >= c.cycles) {
      text += std::string(text.empty() ? "" : ", ") + name + " " +
              percent(cycles, c.cycles).substr(percent(cycles, c.cycles).find_first_not_of(' '));
    }
  }
  return text;
}

}  // namespace

void print_layer_table(std::ostream& out, const std::vector<LayerInfo>& layers, const dla_machine& machine) {
  out << "layer                MACs       cycles  MACs/PE    DRAM read   DRAM write  cycles by cause\n";
  Totals all;
  for (const LayerInfo& layer : layers) {
    const dla_counters& c = layer.counters;
    const Totals one{count_macs(layer.command.shape), c.cycles, uint64_t{c.ifmap_read_bytes} + c.filter_read_bytes,
                     c.write_bytes};
    print_line(out, layer.name.c_str(), one, machine, causes(c));
    all.macs += one.macs;
    all.cycles += one.cycles;
    all.read += one.read;
    all.written += one.written;
  }
  print_line(out, "all", all, machine, "");
}

}  // namespace fovea
