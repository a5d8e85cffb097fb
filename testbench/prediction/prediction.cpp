// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs random layers with random mappings on a backend, beside what the cost model says of them.
#include "prediction.h"

#include <algorithm>
#include <cmath>

#include "bench/random_pairs.h"

namespace fovea {

double PredictedLayer::error_percent() const {
  return 100.0 * (static_cast<double>(predicted.cycles) - measured.cycles) / measured.cycles;
}

bool PredictedLayer::bytes_agree() const {
  const DramBytes& bytes = predicted.dram_bytes;
  return bytes.ifmap == measured.ifmap_read_bytes && bytes.filter == measured.filter_read_bytes &&
         bytes.residual == measured.residual_read_bytes && bytes.ofmap == measured.write_bytes;
}

std::vector<PredictedLayer> measure_random_pairs(const std::string& machine, const std::string& backend,
                                                 const std::string& dram, std::uint64_t seed, int count) {
  BackendOptions options;
  options.dram = dram;
  options.machine = shipped_machine(machine);
  options.memory_bytes = 16u << 20;
  DeviceBench bench(options.machine, open_backend(backend, options));
  RandomPairs pairs(bench.machine(), seed);
  std::vector<PredictedLayer> layers;
  for (int i = 0; i < count; ++i) {
    LayerCase test = pairs.draw();
    const LayerOutcome outcome = bench.run(test);
    const dla_layer& layer = test.layer;
    layers.push_back({layer.shape, layer.mapping,
                      predict_layer(bench.machine(), layer.shape, layer.mapping, dram_preset(dram)), outcome.counters,
                      outcome.status == kDlaOk && outcome.error == kDlaErrorNone});
  }
  return layers;
}

ErrorSummary summarize(const std::vector<PredictedLayer>& layers) {
  ErrorSummary summary;
  for (const PredictedLayer& layer : layers) {
    const double error = std::fabs(layer.error_percent());
    summary.mean += error / static_cast<double>(layers.size());
    summary.worst = std::max(summary.worst, error);
  }
  return summary;
}

}  // namespace fovea
