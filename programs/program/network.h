// SPDX-License-Identifier: Apache-2.0
/// \file
/// A compiled network, loaded: the shared object of its emitted C, its weights, and the driver that runs it.
#ifndef FOVEA_PROGRAMS_PROGRAM_NETWORK_H_
#define FOVEA_PROGRAMS_PROGRAM_NETWORK_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "runtime/dla_runtime.h"

namespace fovea {

/// A network in the folder that foveac wrote, with model.so compiled from its model.c.
class CompiledNetwork {
 public:
  /// \throws UserError for a folder without a model.so, or one of another ABI.
  explicit CompiledNetwork(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const dla_model& model() const { return *model_; }

  /// Device memory that it needs: weights, arena, and room for alignment.
  uint32_t memory_bytes() const;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<void> library_;
  const dla_model* model_ = nullptr;
};

/// A compiled network with its weights in device memory, ready to run.
class LoadedNetwork {
 public:
  /// Opens the driver on `hal` and loads the weights. `network` and `hal` must outlive this object.
  /// \throws UserError where there is no device that the driver knows, or the weights are not this network's.
  LoadedNetwork(const CompiledNetwork& network, const dla_hal_t& hal);

  const dla_model& model() const { return *model_; }
  std::size_t input_size() const;   ///< Numbers that the network takes.
  std::size_t output_size() const;  ///< Numbers that it gives.

  /// Watches the layers of later runs.
  void observe(const dla_observer& observer) { runtime_.observer = observer; }

  /// Runs the network once. \param input  input_size() numbers.  \return output_size() numbers.
  /// \throws std::runtime_error that names the layer and what did not happen.
  std::vector<float> run(std::span<const float> input);

  dla_runtime& runtime() { return runtime_; }

 private:
  const dla_model* model_;
  dla_runtime runtime_{};
};

}  // namespace fovea

#endif  // FOVEA_PROGRAMS_PROGRAM_NETWORK_H_
