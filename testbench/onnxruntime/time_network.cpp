// SPDX-License-Identifier: Apache-2.0
/// \file
/// Times a network on the driver's CPU kernels, for scripts/run_bench: time_network FOLDER INPUT RUNS prints the
/// processor time of a run, in milliseconds. INPUT holds at least as many float32 numbers as the network's largest
/// input, and each input takes those from its start.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>

#include "hal/dla_host_memory.h"
#include "program/network.h"
#include "tensor/error.h"

namespace {

using namespace fovea;

/// Runs before those that count: caches and branch predictors know the network then.
constexpr int kWarmUpRuns = 3;

std::vector<float> read_floats(const char* path, std::size_t count) {
  std::vector<float> values(count);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(float)))) {
    user_error(std::string(path) + ": has fewer numbers than the network takes, " + std::to_string(count));
  }
  return values;
}

double time_network(const char* folder, const char* input_file, int runs) {
  const CompiledNetwork compiled(folder);
  const uint32_t bytes = compiled.memory_bytes();
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(DLA_HOST_MEMORY_ALIGN, bytes), std::free);
  dla_host_memory space{};
  dla_hal_t hal{};
  internal_check(dla_host_memory_open(&space, memory.get(), bytes, &hal) == kDlaOk, "host memory opens");
  LoadedNetwork network(compiled, hal);
  Tensors tensors;
  std::vector<const float*> inputs;
  std::vector<float*> outputs;
  for (const Port& each : network.inputs()) {
    inputs.push_back(tensors.emplace_back(read_floats(input_file, each.size())).data());
  }
  for (const Port& each : network.outputs()) {
    outputs.push_back(tensors.emplace_back(each.size()).data());
  }
  std::clock_t start = 0;
  for (int run = -kWarmUpRuns; run < runs; ++run) {
    start = run == 0 ? std::clock() : start;
    network.run(inputs.data(), outputs.data());
  }
  return static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC / runs;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4 || std::atoi(argv[3]) < 1) {
    std::fprintf(stderr, "time_network FOLDER INPUT RUNS: a compiled network, raw float32, a number\n");
    return 2;
  }
  std::printf("%.4f\n", time_network(argv[1], argv[2], std::atoi(argv[3])));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
