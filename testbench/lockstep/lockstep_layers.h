// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layers that model and RTL are compared on.
#ifndef FOVEA_TESTBENCH_LOCKSTEP_LOCKSTEP_LAYERS_H_
#define FOVEA_TESTBENCH_LOCKSTEP_LOCKSTEP_LAYERS_H_

#include "bench/layer_coverage.h"
#include "bench/random_layer.h"
#include "bench/random_pairs.h"

namespace fovea {

/// Random layers from one seed: small ones, and one in 20, the third the first of them, of a size that networks' have,
/// at most 5 M MACs.
class LockstepLayers {
 public:
  LockstepLayers(const dla_machine& machine, uint64_t seed)
      : machine_(machine), small_(machine, seed), large_(machine, seed, 5'000'000) {}

  LayerCase draw() {
    LayerCase test = drawn_++ % 20 == 2 ? large_.draw() : small_.draw(coverage_);
    coverage_.add(test.layer, dla_derive_passes(&machine_, &test.layer.shape, &test.layer.mapping));
    return test;
  }

 private:
  dla_machine machine_;
  RandomLayers small_;
  RandomPairs large_;
  LayerCoverage coverage_;
  uint64_t drawn_ = 0;
};

}  // namespace fovea

#endif  // FOVEA_TESTBENCH_LOCKSTEP_LOCKSTEP_LAYERS_H_
