// SPDX-License-Identifier: Apache-2.0
/// \file
/// measure_layers: runs layers under given mappings on a simulated device and writes what its counters say.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "command/command_json.h"
#include "common/backend.h"
#include "dif/dla_dif.h"
#include "spec/json_file.h"
#include "tensor/error.h"

namespace {

using namespace fovea;
using Json = nlohmann::ordered_json;

struct Options {
  std::filesystem::path machine, input, output;
  std::string backend = "systemc", dram;
};

/// No layer is near this long; a device that hangs is noticed.
constexpr uint64_t kMostCycles = uint64_t{1} << 36;

void check(dla_status_t status, const char* what) {
  if (status != kDlaOk) {
    throw std::runtime_error(std::string(what) + " failed with status " + std::to_string(status));
  }
}

/// Places tensors of zeros: how long a layer takes does not depend on what it computes.
uint32_t allocate(const dla_hal_t& hal, uint64_t bytes) {
  uint32_t address = 0;
  check(bytes > UINT32_MAX ? kDlaBadArg : hal.mem_alloc(hal.ctx, static_cast<uint32_t>(bytes), 64, &address),
        "placing the tensors");
  return address;
}

dla_layer read_layer(const dla_machine& machine, const Json& json) {
  dla_layer layer{};
  layer.shape = shape_from_json(json.at("shape"));
  layer.mapping = mapping_from_json(json.at("mapping"));
  layer.quant.scale = 1;  // Where the shape is scaled; nobody looks at the outputs.
  dla_error error = dla_check_mapping(&machine, &layer.shape, &layer.mapping);
  if (error == kDlaErrorNone) {
    error = dla_plan_glb(&machine, &layer.shape, &layer.mapping, &layer.glb);
  }
  if (error != kDlaErrorNone) {
    throw std::runtime_error(dla_error_text(error));
  }
  return layer;
}

dla_counters run_layer(const dla_hal_t& hal, const dla_machine& machine, dla_layer layer) {
  const dla_shape& s = layer.shape;
  const dla_passes passes = dla_derive_passes(&machine, &s, &layer.mapping);
  hal.mem_reset(hal.ctx);
  layer.ifmap_addr = allocate(hal, uint64_t{s.C} * s.H * s.W);
  layer.filter_addr = allocate(hal, dla_filter_stream_bytes(&machine, &s, &layer.mapping));
  layer.ofmap_addr = allocate(hal, uint64_t{s.M} * passes.ofmap_plane);
  dla_error error = kDlaErrorNone;
  dla_counters counters{};
  check(dla_write_layer(&hal, &machine, &layer), "writing the layer's registers");
  check(dla_start(&hal), "starting the layer");
  check(dla_wait(&hal, kMostCycles), "waiting for the layer");
  check(dla_read_error(&hal, &error), "reading the error cause");
  check(dla_ack_irq(&hal), "acknowledging the interrupt");
  check(dla_read_counters(&hal, &counters), "reading the counters");
  if (error != kDlaErrorNone) {
    throw std::runtime_error(dla_error_text(error));
  }
  return counters;
}

Json to_json(const dla_counters& counters) {
  Json json;
#define FOVEA_COUNTER(NAME, name, offset) json[#name] = counters.name;
  DLA_FOR_EACH_COUNTER(FOVEA_COUNTER)
#undef FOVEA_COUNTER
  return json;
}

void measure(const Options& options) {
  std::ifstream file(options.input);
  const Json request = Json::parse(file);
  BackendOptions opened;
  opened.machine = read_machine(options.machine);
  opened.dram = options.dram;
  const std::unique_ptr<Backend> backend = open_backend(options.backend, opened);
  check(dla_enable_irq(&backend->hal(), true, true), "enabling the interrupt");
  Json answer = {{"layers", Json::array()}};
  for (const Json& layer : request.at("layers")) {
    const dla_layer command = read_layer(opened.machine.geometry, layer);
    answer["layers"].push_back(to_json(run_layer(backend->hal(), opened.machine.geometry, command)));
  }
  std::ofstream(options.output) << json_text(answer);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs layers under given mappings on a simulated device and writes its counters.", "measure_layers"};
  Options options;
  app.add_option("--machine", options.machine, "machine file")->required();
  app.add_option("--backend", options.backend, "the simulator")->capture_default_str();
  app.add_option("--dram", options.dram, "timing of the memory (default: the machine's)");
  app.add_option("--input", options.input, "JSON: {\"layers\": [{\"shape\": {...}, \"mapping\": {...}}]}")->required();
  app.add_option("--output", options.output, "JSON to write: {\"layers\": [{\"cycles\": ...}]}")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    measure(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "measure_layers: %s\n", fovea::failure_text(error).c_str());
    return 1;
  }
}
