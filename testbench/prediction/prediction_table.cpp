// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the errors of predicted cycles over random (layer, mapping) pairs as Markdown.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "common/backend.h"
#include "mapping/mapper.h"
#include "prediction.h"
#include "spec/dram_preset.h"
#include "spec/join_names.h"

namespace {

using namespace fovea;

void print_row(const PredictedLayer& layer) {
  std::printf("| %s | %s | %u | %llu | %+.2f | %s |\n", to_text(layer.shape).c_str(), to_text(layer.mapping).c_str(),
              layer.measured.cycles, static_cast<unsigned long long>(layer.predicted.cycles), layer.error_percent(),
              layer.bytes_agree() ? "equal" : "DIFFER");
}

void print_machine(const char* machine, const std::string& dram, const std::vector<PredictedLayer>& layers) {
  const ErrorSummary errors = summarize(layers);
  std::printf("\n## %s, %s: %zu pairs, mean absolute error %.2f %%, worst %.2f %%\n\n", machine, dram.c_str(),
              layers.size(), errors.mean, errors.worst);
  std::printf("| shape | mapping | cycles | predicted | error %% | DRAM bytes |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const PredictedLayer& layer : layers) {
    print_row(layer);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Prints the cost model's errors over random (layer, mapping) pairs.", "prediction_table"};
  std::string backend = backend_names().front(), dram = "pipelined";
  std::uint64_t seed = 1;
  int cases = 300;
  app.add_option("--backend", backend, join_names(backend_names(), " or "))->capture_default_str();
  app.add_option("--dram", dram, join_names(dram_preset_names(), " or "))->capture_default_str();
  app.add_option("--seed", seed, "of the pairs")->capture_default_str();
  app.add_option("--cases", cases, "pairs on both machines together")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const char* machine : {"eyeriss_6x8", "eyeriss_12x14"}) {
    print_machine(machine, dram, measure_random_pairs(machine, backend, dram, seed, cases / 2));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "prediction_table: %s\n", error.what());
  return 1;
}
