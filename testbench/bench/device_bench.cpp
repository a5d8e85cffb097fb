// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device under test: opens the checked RTL of a machine, and runs one layer after another on it.
#include "device_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace fovea {

namespace {

constexpr uint8_t kCanary = 0xc5;
/// Bytes watched before and after the ofmap.
constexpr uint32_t kMargin = 64;
/// No layer of these tests is near this long.
constexpr uint64_t kMaxCycles = 200'000'000;

}  // namespace

std::string describe(const dla_layer& layer) {
  const dla_shape& s = layer.shape;
  const dla_mapping& m = layer.mapping;
  const dla_quant& quant = layer.quant;
  std::ostringstream text;
  text << "G=" << s.G << " C=" << s.C << " H=" << s.H << " W=" << s.W << " M=" << s.M << " R=" << s.R << " S=" << s.S
       << " U=" << s.U << " V=" << s.V << " pads=" << s.pad_top << "," << s.pad_left << "," << s.pad_bottom << ","
       << s.pad_right << " pool=" << s.pool << " scaled=" << s.scaled << " filter_scales=" << s.filter_scales
       << " lookup=" << s.lookup << "  m=" << m.m << " e=" << m.e << " p=" << m.p << " q=" << m.q << " r=" << m.r
       << " t=" << m.t << " g=" << m.g << " e_glb=" << m.e_glb << " resident=" << m.ifmap_resident
       << " filter_buffers=" << m.filter_buffers << " stay=" << m.stay << " fold_rows=" << m.fold_rows
       << "  shift=" << quant.shift << " rounding=" << quant.rounding << " scale=" << quant.scale
       << " lowest=" << int{quant.lowest} << " headroom=" << int{quant.headroom} << " residual=" << s.residual
       << " first=" << quant.residual_first << " conv_scale=" << quant.conv_scale
       << " residual_scale=" << quant.residual_scale << " sum_offset=" << quant.sum_offset
       << " sum_lowest=" << int{quant.sum_lowest} << " sum_headroom=" << int{quant.sum_headroom}
       << " zx=" << int{quant.ifmap_zero_point} << " zy=" << int{quant.ofmap_zero_point} << std::hex << "  ifmap at "
       << layer.ifmap_addr << ", filters at " << layer.filter_addr << ", ofmap at " << layer.ofmap_addr
       << ", residual at " << layer.residual_addr;
  return text.str();
}

MachineFile shipped_machine(const std::string& name) { return read_machine("sim/spec/machines/" + name + ".json"); }

MachineFile machine_of(const std::string& name) {
  const std::filesystem::path file = "testbench/machines/" + name + ".json";
  return std::filesystem::exists(file) ? read_machine(file) : shipped_machine(name);
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> scenarios;
  for (const std::string& backend : backend_names()) {
    for (const char* machine : kMachines) {
      scenarios.push_back({backend, machine});
    }
  }
  return scenarios;
}

BackendOptions bench_options(const std::string& machine, const std::string& dram) {
  BackendOptions options;
  options.machine = machine_of(machine);
  options.dram = dram;
  options.memory_bytes = DeviceBench::kMemoryBytes;
  options.checked = true;
  return options;
}

std::string name_of(const Scenario& scenario) {
  return scenario.backend + "_" + scenario.machine + "_" + scenario.dram;
}

uint32_t ofmap_bytes(const dla_shape& shape) {
  const uint32_t rows = dla_pooled(&shape, dla_unpooled_rows(&shape));
  const uint32_t plane = shape.mean ? 1 : rows * dla_pooled(&shape, dla_unpooled_cols(&shape));
  return dla_groups(&shape) * shape.M * plane;
}

DeviceBench::DeviceBench(const std::string& machine, const std::string& dram)
    : DeviceBench(bench_options(machine, dram)) {}

DeviceBench::DeviceBench(const Scenario& scenario)
    : DeviceBench(machine_of(scenario.machine),
                  open_backend(scenario.backend, bench_options(scenario.machine, scenario.dram))) {}

DeviceBench::DeviceBench(const BackendOptions& options) : DeviceBench(options.machine, open_backend("rtl", options)) {}

DeviceBench::DeviceBench(const MachineFile& machine, std::unique_ptr<Backend> backend)
    : machine_(machine), backend_(std::move(backend)) {
  EXPECT_EQ(dla_enable_irq(&hal(), true, true), kDlaOk);
}

uint32_t DeviceBench::read(uint32_t offset) {
  uint32_t value = 0;
  EXPECT_EQ(hal().read32(hal().ctx, offset, &value), kDlaOk);
  return value;
}

uint32_t DeviceBench::place_bytes(const void* data, size_t bytes, uint32_t offset) {
  uint32_t addr = 0;
  const auto size = static_cast<uint32_t>(bytes);
  EXPECT_EQ(hal().mem_alloc(hal().ctx, size + offset, 4096, &addr), kDlaOk);
  EXPECT_EQ(hal().mem_write(hal().ctx, addr + offset, data, size), kDlaOk);
  return addr + offset;
}

void DeviceBench::place(LayerCase& test) {
  hal().mem_reset(hal().ctx);
  place_too(test);
}

void DeviceBench::place_too(LayerCase& test) {
  dla_layer& layer = test.layer;
  std::vector<uint8_t> stream(dla_filter_stream_bytes(&machine(), &layer.shape, &layer.mapping));
  dla_lay_out_filters(&machine(), &layer.shape, &layer.mapping, test.filter.data(), test.bias.data(), test.scale.data(),
                      test.table.data(), stream.data());
  std::vector<uint8_t> canaries(ofmap_bytes(layer.shape) + 2 * kMargin, kCanary);
  if (test.residual_in_place) {
    std::copy(test.residual.begin(), test.residual.end(), canaries.begin() + kMargin);
  }
  layer.ifmap_addr = place_bytes(test.ifmap.data(), test.ifmap.size(), test.ifmap_offset);
  layer.filter_addr = place_bytes(stream.data(), stream.size(), 0);
  layer.ofmap_addr = place_bytes(canaries.data(), canaries.size(), test.ofmap_offset) + kMargin;
  layer.residual_addr = layer.ofmap_addr;
  if (layer.shape.residual && !test.residual_in_place) {
    constexpr uint32_t kWordBytes = kDlaMaxBusBytes;
    const uint32_t offset = test.ofmap_offset + kMargin + test.residual_words * kWordBytes;
    layer.residual_addr = place_bytes(test.residual.data(), test.residual.size(), offset);
  }
}

LayerOutcome DeviceBench::start(const dla_layer& layer) {
  LayerOutcome outcome;
  const auto attempt = [&](dla_status_t status) { return (outcome.status = status) == kDlaOk; };
  if (attempt(dla_write_layer(&hal(), &machine(), &layer)) && attempt(dla_start(&hal())) &&
      attempt(dla_wait(&hal(), kMaxCycles)) && attempt(dla_read_error(&hal(), &outcome.error)) &&
      attempt(dla_ack_irq(&hal()))) {
    attempt(dla_read_counters(&hal(), &outcome.counters));
  }
  return outcome;
}

LayerOutcome DeviceBench::run(LayerCase& test) {
  place(test);
  LayerOutcome outcome = start(test.layer);
  outcome.ofmap = take_ofmap(test.layer, outcome.wrote_outside);
  return outcome;
}

std::vector<uint8_t> DeviceBench::take_ofmap(const dla_layer& layer, bool& wrote_outside) {
  std::vector<uint8_t> memory(ofmap_bytes(layer.shape) + 2 * kMargin);
  EXPECT_EQ(hal().mem_read(hal().ctx, layer.ofmap_addr - kMargin, memory.data(), static_cast<uint32_t>(memory.size())),
            kDlaOk);
  const auto is_canary = [](uint8_t byte) { return byte == kCanary; };
  wrote_outside = !std::all_of(memory.begin(), memory.begin() + kMargin, is_canary) ||
                  !std::all_of(memory.end() - kMargin, memory.end(), is_canary);
  return {memory.begin() + kMargin, memory.end() - kMargin};
}

}  // namespace fovea
