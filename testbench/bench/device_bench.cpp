// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device under test: opens the checked RTL of a machine, and runs one layer after another on it.
#include "device_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "chip_copy.h"

namespace fovea {

namespace {

constexpr uint8_t kCanary = 0xc5;
/// In the rows of an ifmap's or a residual's planes that are not the tensor's.
constexpr uint8_t kOther = 0x3a;
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
       << " zx=" << int{quant.ifmap_zero_point} << " zy=" << int{quant.ofmap_zero_point}
       << "  on chip=" << s.ifmap_on_chip << s.residual_on_chip << s.ofmap_on_chip << s.filters_on_chip
       << " rows=" << s.ifmap_first_row << "/" << s.ifmap_plane_rows << "," << s.residual_first_row << "/"
       << s.residual_plane_rows << "," << s.ofmap_first_row << "/" << s.ofmap_plane_rows << std::hex << "  ifmap at "
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

OutputOffsets output_offsets(const dla_machine& machine, const LayerCase& test) {
  constexpr uint32_t kWordBytes = kDlaMaxBusBytes;
  const dla_shape& s = test.layer.shape;
  const uint32_t words = test.residual_words * kWordBytes;
  const auto first_byte = [&](dla_layer_tensor tensor) {
    const dla_planes planes = dla_planes_of(&machine, &test.layer, tensor);
    return planes.first_row * planes.cols % machine.bus_bytes;
  };
  if (s.ofmap_on_chip) {
    return {0, words + first_byte(kDlaOfmap)};
  }
  if (s.residual && s.residual_on_chip) {
    return {test.ofmap_offset / kWordBytes * kWordBytes + first_byte(kDlaResidual), 0};
  }
  return {test.ofmap_offset, test.ofmap_offset + kMargin + words};
}

/// Of the layer's ofmap before it runs.
std::vector<uint8_t> DeviceBench::ofmap_planes(const LayerCase& test) const {
  const dla_planes ofmap = planes_of(test.layer, kDlaOfmap);
  const std::vector<uint8_t> nothing(ofmap_bytes(test.layer.shape), kCanary);
  return put_into_planes(ofmap, test.residual_in_place ? test.residual : nothing, kCanary);
}

void DeviceBench::place_too(LayerCase& test) {
  dla_layer& layer = test.layer;
  const dla_shape& s = layer.shape;
  std::vector<uint8_t> stream(dla_filter_stream_bytes(&machine(), &layer.shape, &layer.mapping));
  dla_lay_out_filters(&machine(), &layer.shape, &layer.mapping, test.filter.data(), test.bias.data(), test.scale.data(),
                      test.table.data(), stream.data());
  const OutputOffsets offsets = output_offsets(machine(), test);
  if (!s.ifmap_on_chip) {
    const std::vector<uint8_t> ifmap = put_into_planes(planes_of(layer, kDlaIfmap), test.ifmap, kOther);
    layer.ifmap_addr = place_bytes(ifmap.data(), ifmap.size(), test.ifmap_offset);
  }
  layer.filter_addr = place_bytes(stream.data(), stream.size(), 0);
  if (!s.ofmap_on_chip) {
    std::vector<uint8_t> ofmap = ofmap_planes(test);
    ofmap.insert(ofmap.begin(), kMargin, kCanary);
    ofmap.insert(ofmap.end(), kMargin, kCanary);
    layer.ofmap_addr = place_bytes(ofmap.data(), ofmap.size(), offsets.ofmap) + kMargin;
  }
  if (!s.residual || test.residual_in_place) {
    layer.residual_addr = layer.ofmap_addr;
  } else if (!s.residual_on_chip) {
    const std::vector<uint8_t> residual = put_into_planes(planes_of(layer, kDlaResidual), test.residual, kOther);
    layer.residual_addr = place_bytes(residual.data(), residual.size(), offsets.residual);
  }
}

void DeviceBench::note_layer(const std::string& name) {
  if (names_copies_) {
    hal().note_layer(hal().ctx, name.c_str());
  }
}

/// Runs a layer of plan_copy(), whose address in DRAM is filled in.
void DeviceBench::run_copy(const dla_planes& planes, dla_layer& layer) {
  LayerCase copy;
  copy.filter.assign(planes.channels, 1);
  copy.bias.assign(planes.channels, 0);
  std::vector<uint8_t> stream(dla_filter_stream_bytes(&machine(), &layer.shape, &layer.mapping));
  dla_lay_out_filters(&machine(), &layer.shape, &layer.mapping, copy.filter.data(), copy.bias.data(), nullptr, nullptr,
                      stream.data());
  layer.filter_addr = place_bytes(stream.data(), stream.size(), 0);
  note_layer(kCopyLayer);
  const LayerOutcome outcome = start(layer);
  EXPECT_EQ(outcome.status, kDlaOk) << "of a copy";
  EXPECT_EQ(outcome.error, kDlaErrorNone) << "of a copy: " << describe(layer);
}

void DeviceBench::copy_to_chip(const dla_planes& planes, const std::vector<uint8_t>& bytes, const dla_region& kept) {
  std::optional<dla_layer> layer = plan_copy(machine(), planes, CopyTo::kChip, kept);
  ASSERT_TRUE(layer) << "no room for a copy";
  layer->ifmap_addr = place_bytes(bytes.data(), bytes.size(), 0);
  run_copy(planes, *layer);
}

std::vector<uint8_t> DeviceBench::copy_from_chip(const dla_planes& planes, const dla_region& kept) {
  std::vector<uint8_t> bytes(size_t{planes.channels} * planes.plane_rows * planes.cols);
  std::optional<dla_layer> layer = plan_copy(machine(), planes, CopyTo::kDram, kept);
  if (!layer) {
    ADD_FAILURE() << "no room for a copy";
    return bytes;
  }
  layer->ofmap_addr = place_bytes(bytes.data(), bytes.size(), 0);
  run_copy(planes, *layer);
  EXPECT_EQ(hal().mem_read(hal().ctx, layer->ofmap_addr, bytes.data(), static_cast<uint32_t>(bytes.size())), kDlaOk);
  return bytes;
}

/// Runs the layer as one that loads its filters, and leaves them where they are. What it writes does not matter.
void DeviceBench::bring_filters(const LayerCase& test) {
  dla_layer layer = test.layer;
  layer.shape.filters_on_chip = false;
  layer.mapping.stay = std::max(layer.mapping.stay, 1u);
  if (!layer.shape.ofmap_on_chip) {
    const std::vector<uint8_t> ofmap = ofmap_planes(test);
    layer.ofmap_addr = place_bytes(ofmap.data(), ofmap.size(), output_offsets(machine(), test).ofmap + kMargin);
  }
  note_layer(kCopyLayer);
  EXPECT_EQ(start(layer).error, kDlaErrorNone) << "of a layer that brings filters: " << describe(layer);
}

/// What lies on chip when the layer starts.
void DeviceBench::bring_on_chip(const LayerCase& test) {
  const dla_layer& layer = test.layer;
  const dla_shape& s = layer.shape;
  const bool brings_residual = s.residual && s.residual_on_chip && !test.residual_in_place;
  if (s.filters_on_chip) {
    bring_filters(test);
  }
  if (!s.ifmap_on_chip && !s.ofmap_on_chip && !brings_residual) {
    return;
  }
  const dla_region kept = chip_banks(machine(), layer);
  const auto bring = [&](dla_layer_tensor tensor, const std::vector<uint8_t>& bytes) {
    const dla_planes planes = planes_of(layer, tensor);
    copy_to_chip(planes, put_into_planes(planes, bytes, kOther), kept);
  };
  if (s.ifmap_on_chip) {
    bring(kDlaIfmap, test.ifmap);
  }
  if (brings_residual) {
    bring(kDlaResidual, test.residual);
  }
  if (s.ofmap_on_chip) {
    copy_to_chip(planes_of(layer, kDlaOfmap), ofmap_planes(test), kept);
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

LayerOutcome DeviceBench::run(LayerCase& test, const std::string& name) {
  names_copies_ = !name.empty();
  place(test);
  bring_on_chip(test);
  note_layer(name);
  LayerOutcome outcome = start(test.layer);
  take_ofmap(test, outcome);
  return outcome;
}

void DeviceBench::take_ofmap(const LayerCase& test, LayerOutcome& outcome) {
  if (!test.layer.shape.ofmap_on_chip) {
    outcome.ofmap = take_ofmap(test.layer, outcome.wrote_outside);
  } else if (outcome.status == kDlaOk) {
    const dla_planes ofmap = planes_of(test.layer, kDlaOfmap);
    const TensorOfPlanes taken =
        take_out_of_planes(ofmap, copy_from_chip(ofmap, chip_banks(machine(), test.layer)), kCanary);
    outcome.ofmap = taken.tensor;
    outcome.wrote_outside = !taken.others_kept;
  }
}

std::vector<uint8_t> DeviceBench::take_ofmap(const dla_layer& layer, bool& wrote_outside) {
  const dla_planes ofmap = planes_of(layer, kDlaOfmap);
  std::vector<uint8_t> memory(size_t{ofmap.channels} * ofmap.stride + 2 * kMargin);
  EXPECT_EQ(hal().mem_read(hal().ctx, layer.ofmap_addr - kMargin, memory.data(), static_cast<uint32_t>(memory.size())),
            kDlaOk);
  const auto is_canary = [](uint8_t byte) { return byte == kCanary; };
  const TensorOfPlanes taken = take_out_of_planes(ofmap, {memory.begin() + kMargin, memory.end() - kMargin}, kCanary);
  wrote_outside = !std::all_of(memory.begin(), memory.begin() + kMargin, is_canary) ||
                  !std::all_of(memory.end() - kMargin, memory.end(), is_canary) || !taken.others_kept;
  return taken.tensor;
}

}  // namespace fovea
