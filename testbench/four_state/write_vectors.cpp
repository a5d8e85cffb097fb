// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes what tb_four_state.v plays to a machine: write_four_state_vectors MACHINE FOLDER.
///
/// steps.hex: what the driver does to run three layers, a step a line. memory.hex: the bytes that it places; all others
/// are unknown. expected.hex: the same bytes afterwards, with the ofmaps of a direct loop nest.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/direct_convolution.h"
#include "bench/number_from_environment.h"
#include "bench/random_layer.h"
#include "recording_backend.h"

namespace fovea {
namespace {

/// A convolution with padding and pooling, one of stride 2 with a filter that is folded on few rows, and a fully
/// connected layer: C, H, W, M, R, S, U, PAD, pool.
constexpr dla_shape kShapes[] = {
    {9, 8, 9, 12, 3, 3, 1, 1, 1, 1, 1, 1, true},
    {5, 11, 9, 9, 7, 5, 2, 2, 2, 2, 2, 2, false},
    {14, 3, 3, 21, 3, 3, 1, 1, 0, 0, 0, 0, false},
};
const uint64_t kSeed = number_from_environment("SEED", 1);

void write_steps(const std::filesystem::path& path, const std::vector<Step>& steps) {
  std::ofstream file(path);
  char line[40];
  for (const Step& step : steps) {
    std::snprintf(line, sizeof line, "%02x%08x%08x%08x\n", static_cast<unsigned>(step.kind), step.offset, step.value,
                  step.mask);
    file << line;
  }
  file << "00" << std::string(24, '0') << "\n";
}

void write_memory(const std::filesystem::path& path, const std::map<uint32_t, uint8_t>& memory) {
  std::ofstream file(path);
  char line[24];
  for (const auto& [addr, byte] : memory) {
    std::snprintf(line, sizeof line, "@%x %02x\n", addr & 0xfffff, byte);
    file << line;
  }
}

void write_vectors(const std::string& machine, const std::filesystem::path& folder) {
  auto owned = std::make_unique<RecordingBackend>();
  const RecordingBackend& backend = *owned;
  const MachineFile file = shipped_machine(machine);
  DeviceBench bench(file, std::move(owned));
  RandomLayers random(file.geometry, kSeed);
  std::map<uint32_t, uint8_t> results;
  for (const dla_shape& shape : kShapes) {
    std::optional<LayerCase> test = random.draw_for(shape);
    if (!test) {
      throw std::runtime_error(machine + ": no mapping for a layer of the four-state run");
    }
    bench.run(*test);
    uint32_t addr = test->layer.ofmap_addr;
    for (const uint8_t byte : convolve_directly(*test)) {
      results[addr++] = byte;
    }
  }
  std::map<uint32_t, uint8_t> expected = backend.memory();
  for (const auto& [addr, byte] : results) {
    expected[addr] = byte;
  }
  write_steps(folder / "steps.hex", backend.steps());
  write_memory(folder / "memory.hex", backend.memory());
  write_memory(folder / "expected.hex", expected);
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_four_state_vectors MACHINE FOLDER\n");
    return 2;
  }
  try {
    fovea::write_vectors(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
