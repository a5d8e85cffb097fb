// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes dla_info.csv: one row a layer, in the columns that sim/spec/dla.json names.
#include "dla_info_csv.h"

#include <spdlog/fmt/fmt.h>

#include <functional>
#include <string_view>
#include <utility>

#include "files/partial_file.h"
#include "spec/dla_fields.h"
#include "spec/dla_macs.h"

namespace fovea {

namespace {

using Cell = std::function<std::string(const RunInfo&, const LayerInfo&)>;
using Column = std::pair<std::string_view, Cell>;

/// A column of all layers.
template <class Get>
Column column(std::string_view name, Get get) {
  return {name, [get](const RunInfo& run, const LayerInfo& layer) { return fmt::format("{}", get(run, layer)); }};
}

/// A column that says something of the device; empty of layers on the CPU.
template <class Get>
Column device_column(std::string_view name, Get get) {
  return {name, [get](const RunInfo& run, const LayerInfo& layer) {
            return layer.on_cpu ? std::string() : fmt::format("{}", get(run, layer));
          }};
}

#define FOVEA_CELL(expression) \
  []([[maybe_unused]] const RunInfo& run, [[maybe_unused]] const LayerInfo& layer) { return expression; }

/// The cells of a struct of the command, by its members' names.
void add_fields(dla_layer_group of, std::vector<Column>& cells) {
  const dla_field_group& group = dla_layer_groups[of];
  for (const dla_field* field = group.fields; field != group.fields + group.count; ++field) {
    cells.push_back(device_column(field->name, [&group, field](const RunInfo&, const LayerInfo& layer) {
      return dla_get_field(field, reinterpret_cast<const char*>(&layer.command) + group.offset);
    }));
  }
}

std::vector<Column> make_cells() {
  std::vector<Column> cells = {
      column("Operation", FOVEA_CELL(layer.operation)),
      column("Cycles", FOVEA_CELL(cycles_of(layer, run.machine))),
      column("Time(ns)", FOVEA_CELL(static_cast<double>(cycles_of(layer, run.machine)) * 1000 / run.machine.clock_mhz)),
      device_column("Memory read", FOVEA_CELL(dram_read_bytes(layer.counters))),
      device_column("Memory write", FOVEA_CELL(layer.counters.write_bytes)),
      device_column("PAD", FOVEA_CELL(layer.command.shape.pad_top)),
      column("layer", FOVEA_CELL(layer.name)),
      column("backend", FOVEA_CELL(layer.on_cpu ? layer.on_cpu->target : run.backend)),
      column("machine", FOVEA_CELL(run.machine.name)),
      device_column("dram", FOVEA_CELL(run.dram)),
      device_column("rounding", FOVEA_CELL(layer.command.quant.rounding == kDlaFloor ? "floor" : "nearest_even")),
      column("macs", FOVEA_CELL(macs_of(layer))),
      device_column("mac_utilization", FOVEA_CELL(fmt::format("{:.4f}", mac_utilization(layer, run.machine.geometry)))),
      device_column("predicted_cycles",
                    FOVEA_CELL(layer.predicted_cycles == 0 ? std::string() : std::to_string(layer.predicted_cycles))),
#define FOVEA_COUNTER(NAME, name, at) device_column(#name, FOVEA_CELL(layer.counters.name)),
      DLA_FOR_EACH_COUNTER(FOVEA_COUNTER)
#undef FOVEA_COUNTER
  };
  add_fields(kDlaLayerShape, cells);
  add_fields(kDlaLayerMapping, cells);
  return cells;
}

#undef FOVEA_CELL

/// How each column of the specification is filled. Its order is the specification's, not this table's.
const std::vector<Column>& cells() {
  static const std::vector<Column> table = make_cells();
  return table;
}

const Cell& cell_of(std::string_view name) {
  for (const Column& column : cells()) {
    if (column.first == name) {
      return column.second;
    }
  }
  throw std::logic_error("sim/spec/dla.json names a CSV column that dla_info_csv.cpp does not fill: " +
                         std::string(name));
}

const std::vector<Column>& ordered_columns() {
  static const std::vector<Column> columns = {
#define FOVEA_COLUMN(name, in_python) {name, cell_of(name)},
      DLA_FOR_EACH_CSV_COLUMN(FOVEA_COLUMN)
#undef FOVEA_COLUMN
  };
  return columns;
}

/// RFC 4180: a text with a comma, a quote or a line end is quoted.
std::string quote_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

template <class Get>
std::string join_columns(Get get) {
  std::string line;
  for (const Column& column : ordered_columns()) {
    line += (line.empty() ? "" : ",") + quote_cell(get(column));
  }
  return line + "\n";
}

}  // namespace

uint64_t dram_read_bytes(const dla_counters& counters) {
  return uint64_t{counters.ifmap_read_bytes} + counters.filter_read_bytes + counters.residual_read_bytes;
}

uint64_t macs_of(const LayerInfo& layer) {
  return layer.on_cpu ? layer.on_cpu->macs : dla_count_macs(&layer.command.shape);
}

uint64_t cycles_of(const LayerInfo& layer, const MachineFile& machine) {
  if (!layer.on_cpu) {
    return layer.counters.cycles;
  }
  const CpuWork& work = *layer.on_cpu;
  return work.is_cpu() ? machine.cpu_cycles(work.macs, work.bytes) : work.cycles;
}

double mac_utilization(const LayerInfo& layer, const dla_machine& machine) {
  const double slots = static_cast<double>(layer.counters.cycles) * machine.rows * machine.cols;
  return slots == 0 ? 0 : static_cast<double>(dla_count_macs(&layer.command.shape)) / slots;
}

std::vector<std::pair<std::string_view, std::string>> dla_info_cells(const RunInfo& run, const LayerInfo& layer) {
  std::vector<std::pair<std::string_view, std::string>> cells;
  for (const Column& column : ordered_columns()) {
    cells.emplace_back(column.first, column.second(run, layer));
  }
  return cells;
}

std::string format_dla_info(const RunInfo& run, const std::vector<LayerInfo>& layers) {
  std::string text = join_columns([](const Column& column) { return std::string(column.first); });
  for (const LayerInfo& layer : layers) {
    text += join_columns([&](const Column& column) { return column.second(run, layer); });
  }
  return text;
}

void write_dla_info(const std::filesystem::path& path, const RunInfo& run, const std::vector<LayerInfo>& layers) {
  std::error_code ignored;  // What goes wrong here shows when the file is opened.
  std::filesystem::create_directories(path.parent_path(), ignored);
  PartialFile file(path);
  file.out() << format_dla_info(run, layers);
  file.finish();
}

}  // namespace fovea
