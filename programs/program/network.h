// SPDX-License-Identifier: Apache-2.0
/// \file
/// A compiled network, loaded: the shared object of its emitted C, its weights, and the driver that runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/dla_runtime.h"
#include "spec/shown_text.h"

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

/// A tensor that a network takes or gives.
struct Port {
  std::string name;
  std::vector<uint32_t> shape;  ///< Without the batch.

  std::size_t size() const;  ///< Numbers in it.
};

/// A layer that failed while the network ran; what() names it, and what did not happen.
class RunError : public std::runtime_error {
 public:
  RunError(const std::string& layer, const std::string& what)
      : std::runtime_error(shown_text(layer + ": " + what)), layer_(layer) {}

  const std::string& layer() const { return layer_; }

 private:
  std::string layer_;
};

/// The numbers of each input, or of each output, in order.
using Tensors = std::vector<std::vector<float>>;

/// The bytes that the observer is shown, in the order of their shape.
std::vector<std::byte> bytes_of(const dla_tensor& tensor);

/// A compiled network with its weights in device memory, ready to run.
class LoadedNetwork {
 public:
  /// Opens the driver on `hal` and loads the weights. `network` and `hal` must outlive this object.
  /// \throws UserError where there is no device that the driver knows, or the weights are not this network's.
  LoadedNetwork(const CompiledNetwork& network, const dla_hal_t& hal);

  const dla_model& model() const { return *model_; }
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  /// Watches the layers of later runs.
  void observe(const dla_observer& observer) { runtime_.observer = observer; }

  /// From now on, device layers in a row run as one list, by one START. Their tensors are not observed.
  void use_lists();

  /// Runs the network once. \param inputs  As many tensors, of the sizes, as inputs() says.
  /// \throws RunError
  Tensors run(const Tensors& inputs);

  /// The same on the caller's memory: a dense tensor an input or output, in order.
  void run(const float* const* inputs, float* const* outputs);

  /// The same for a network of one input and one output.
  std::vector<float> run(std::span<const float> input);

  dla_runtime& runtime() { return runtime_; }

 private:
  /// What the device said of the layer that it refused.
  std::string cause() const;
  /// What the user's function said of the operator that it computes.
  std::string extern_cause() const;

  const dla_model* model_;
  std::vector<Port> inputs_, outputs_;
  dla_runtime runtime_{};
  std::unique_ptr<dla_list> list_;
};

}  // namespace fovea
