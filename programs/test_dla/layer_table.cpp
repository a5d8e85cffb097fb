// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the table of layers.
#include "layer_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "commands/number_text.h"

namespace fovea {
namespace {

constexpr std::array<const char*, 7> kCauses = {"compute", "psum", "filter", "ifmap", "dram", "output", "control"};

/// Sums of the columns, over all runs of a layer or over all layers.
struct Sums {
  std::string name;
  std::string place = {};  ///< "the CPU", or an added target; "" of the accelerator.
  uint64_t macs = 0, cycles = 0, read = 0, written = 0;
  std::array<uint64_t, kCauses.size()> causes{};

  void add(const LayerInfo& layer, const MachineFile& machine) {
    const dla_counters& c = layer.counters;  // All 0 of a layer on the CPU.
    macs += macs_of(layer);
    cycles += cycles_of(layer, machine);
    read += dram_read_bytes(c);
    written += c.write_bytes;
    const std::array<uint32_t, kCauses.size()> by_cause = {c.compute_cycles, c.psum_cycles, c.filter_cycles,
                                                           c.ifmap_cycles,   c.dram_cycles, c.output_cycles,
                                                           c.control_cycles};
    std::transform(causes.begin(), causes.end(), by_cause.begin(), causes.begin(), std::plus<uint64_t>());
  }
};

std::string percent(uint64_t part, uint64_t whole) {
  char text[16];
  const double share = whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof text, "%.1f%%", share);
  return text;
}

/// A name that leaves room for figures: of a longer one the beginning and the end.
std::string short_name(const std::string& name) {
  constexpr std::size_t kMost = 40, kBegin = 12;
  const std::string between = "...";
  return name.size() <= kMost
             ? name
             : name.substr(0, kBegin) + between + name.substr(name.size() - (kMost - kBegin - between.size()));
}

/// Shares of the causes that took part, computing first.
std::string causes_text(const Sums& sums) {
  std::string text;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (sums.causes[i] * 1000 >= sums.cycles && sums.cycles > 0) {
      text += std::string(text.empty() ? "" : ", ") + kCauses[i] + " " + percent(sums.causes[i], sums.cycles);
    }
  }
  return text;
}

using Rows = std::vector<std::vector<std::string>>;

/// A row without what only the accelerator counts.
void add_cycles(Rows& rows, const Sums& sums, const std::string& words) {
  rows.push_back({short_name(sums.name), with_commas(sums.macs), with_commas(sums.cycles), "", "", "", words});
}

void add_row(Rows& rows, const Sums& sums, const dla_machine& machine) {
  const uint64_t offered = sums.cycles * machine.rows * machine.cols;
  rows.push_back({short_name(sums.name), with_commas(sums.macs), with_commas(sums.cycles), percent(sums.macs, offered),
                  with_commas(sums.read), with_commas(sums.written), causes_text(sums)});
}

/// A layer of that name, in the order in which the names came first.
Sums& sums_of(std::vector<Sums>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Sums& row) { return row.name == name; });
  return found != rows.end() ? *found : rows.emplace_back(Sums{.name = name});
}

/// "lists: 2, of 5 and 1 layers", over all runs; nothing without lists.
std::string lists_text(const std::vector<LayerInfo>& layers) {
  std::vector<uint32_t> sizes;
  for (const LayerInfo& layer : layers) {
    if (layer.list != 0) {
      sizes.resize(std::max<std::size_t>(sizes.size(), layer.list));
      ++sizes[layer.list - 1];
    }
  }
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < sizes.size() ? ", " : " and ") + std::to_string(sizes[i]);
  }
  return sizes.empty() ? "" : "lists: " + std::to_string(sizes.size()) + ", of " + text + " layers\n";
}

/// What a picture of a batch takes; nothing of one alone.
std::string batch_text(const Sums& all, std::size_t batch, std::size_t pictures) {
  return batch < 2 ? ""
                   : "above, " + with_commas(batch) + " pictures at once; a picture takes " +
                         with_commas(all.cycles / pictures) + " cycles and " +
                         with_commas((all.read + all.written) / pictures) + " DRAM bytes\n";
}

/// Which CPU it is, as declared.
std::string cpu_text(const MachineFile& machine) {
  char text[200];
  std::snprintf(text, sizeof text,
                "CPU: %s, %g MHz, %g cycles a MAC and %g a byte moved, as declared; its cycles are given at %g MHz\n",
                machine.cpu.name.c_str(), machine.cpu.clock_mhz, machine.cpu.cycles_per_mac,
                machine.cpu.cycles_per_byte, machine.clock_mhz);
  return text;
}

}  // namespace

void print_layer_table(std::ostream& out, const std::vector<LayerInfo>& layers, const MachineFile& machine,
                       const RunFigures& figures, std::size_t batch, std::size_t pictures) {
  std::vector<Sums> rows;
  std::vector<Sums> targets;  // That a user has added.
  Sums device{.name = "accelerator"}, cpu{.name = "CPU"}, all{.name = "all"};
  for (const LayerInfo& layer : layers) {
    Sums& row = sums_of(rows, layer.name);
    row.place = !layer.on_cpu ? "" : layer.on_cpu->is_cpu() ? "the CPU" : layer.on_cpu->target;
    Sums& of = !layer.on_cpu ? device : layer.on_cpu->is_cpu() ? cpu : sums_of(targets, layer.on_cpu->target);
    for (Sums* sums : {&row, &of, &all}) {
      sums->add(layer, machine);
    }
  }
  const bool has_several = cpu.cycles != 0 || !targets.empty();
  Rows table = {{"layer", "MACs", "cycles", "MACs/PE", "DRAM read", "DRAM write", "cycles by cause"}};
  for (const Sums& row : rows) {
    if (!row.place.empty()) {
      add_cycles(table, row, "on " + row.place);
    } else {
      add_row(table, row, machine.geometry);
    }
  }
  if (!has_several) {
    add_row(table, all, machine.geometry);
  } else {
    add_row(table, device, machine.geometry);
    std::string shares = "accelerator " + percent(device.cycles, all.cycles);
    for (const Sums& target : targets) {
      add_cycles(table, target, percent(target.macs, all.macs) + " of the MACs");
      shares += ", " + target.name + " " + percent(target.cycles, all.cycles);
    }
    if (cpu.cycles != 0) {
      add_cycles(table, cpu, percent(cpu.macs, all.macs) + " of the MACs");
      shares += ", CPU " + percent(cpu.cycles, all.cycles);
    }
    add_cycles(table, all, shares);
  }
  print_columns(table, out, "lrrrrrl");
  out << (cpu.cycles == 0 ? "" : cpu_text(machine));
  out << batch_text(all, batch, pictures) << figures_text(figures, machine) << lists_text(layers);
}

void print_host_table(std::ostream& out, const HostTimes& times) {
  const std::vector<std::pair<std::string, double>> layers = times.medians();
  const double all = std::accumulate(layers.begin(), layers.end(), 0.0,
                                     [](double sum, const auto& layer) { return sum + layer.second; });
  Rows table = {{"layer", "ms", "of all"}};
  const auto add = [&](const std::string& name, double seconds) {
    table.push_back({short_name(name), with_digits(1000 * seconds, 4), with_digits(100 * seconds / all, 1) + "%"});
  };
  for (const auto& [name, seconds] : layers) {
    add(name, seconds);
  }
  add("all", all);
  print_columns(table, out, "lrr");
  out << "on this computer, one core: the median of " << times.runs() << " runs\n";
}

}  // namespace fovea
