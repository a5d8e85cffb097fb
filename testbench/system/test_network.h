// SPDX-License-Identifier: Apache-2.0
/// \file
/// A compiled network under test: run it in this process, and see every tensor that its layers write.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/backend.h"
#include "dataset/labels.h"
#include "hal/dla_host_memory.h"
#include "program/input_file.h"
#include "program/network.h"

namespace fovea {

/// One tensor that a layer wrote.
struct SeenTensor {
  std::string name, type;
  std::vector<uint8_t> bytes;
};

/// One device layer that ran.
struct SeenLayer {
  std::string operation, name;
  dla_layer command;
  dla_counters counters;
  uint32_t predicted_cycles;
};

class TestNetwork {
 public:
  /// A network of NETS_DIR on the host.
  static TestNetwork on_cpu(const std::string& name);
  /// ... and on a backend (the RTL with its assertions on; SystemC: one at a time in a process).
  static TestNetwork on_device(const std::string& backend, const std::string& name,
                               const std::string& machine = "eyeriss_6x8", const std::string& dram = "pipelined");

  /// Runs a picture (planes of pixel/255); tensors and layers then hold what was seen.
  std::vector<float> classify(std::span<const float> planes);

  const std::vector<SeenTensor>& tensors() const { return seen_->tensors; }
  const std::vector<SeenLayer>& layers() const { return seen_->layers; }

  /// The last uint8 tensor: the logits before dequantization.
  const std::vector<uint8_t>& logits() const;

 private:
  struct Seen {
    std::vector<SeenTensor> tensors;
    std::vector<SeenLayer> layers;
  };
  explicit TestNetwork(const std::string& name);
  void load(const dla_hal_t& hal);

  std::unique_ptr<CompiledNetwork> compiled_;
  std::unique_ptr<Seen> seen_ = std::make_unique<Seen>();
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<void, void (*)(void*)> memory_{nullptr, nullptr};
  std::unique_ptr<dla_host_memory> host_;
  std::unique_ptr<dla_hal_t> hal_;
  std::unique_ptr<LoadedNetwork> network_;
};

/// The 100 pictures of CIFAR-10's test set, or those that the repository draws.
InputFile cifar_pictures();

/// CIFAR-10's, of the file beside our own network.
Labels cifar_labels();
InputFile sample_pictures();

}  // namespace fovea
