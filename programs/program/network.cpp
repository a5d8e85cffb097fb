// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loads a compiled network and runs it.
#include "network.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

#include "files/read_file.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Room beside weights and arena, for alignment.
constexpr uint64_t kSpareBytes = 1 << 20;

Port port_of(const dla_port& port) { return {port.name, {port.shape, port.shape + port.rank}}; }

void check(dla_status_t status, const std::string& what) {
  if (status != kDlaOk) {
    user_error(what + ": " + dla_status_text(status));
  }
}

}  // namespace

std::size_t Port::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

CompiledNetwork::CompiledNetwork(std::filesystem::path folder) : folder_(std::move(folder)) {
  const std::filesystem::path path = std::filesystem::absolute(folder_ / "model.so");
  if (!std::filesystem::exists(path)) {
    user_error(folder_.string() + ": no compiled network (model.so) there; make one with `make build_model`");
  }
  library_ = std::shared_ptr<void>(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) {
      dlclose(handle);
    }
  });
  if (library_ == nullptr) {
    user_error(path.string() + ": cannot be loaded: " + dlerror());
  }
  model_ = static_cast<const dla_model*>(dlsym(library_.get(), "dla_model"));
  if (model_ == nullptr || model_->abi != DLA_MODEL_ABI) {
    user_error(path.string() + ": not a network of this version; compile it again");
  }
}

uint32_t CompiledNetwork::memory_bytes() const {
  constexpr uint64_t kPage = 4096;
  const uint64_t bytes = uint64_t{model_->weights_bytes} + model_->arena_bytes + kSpareBytes;
  return static_cast<uint32_t>((bytes + kPage - 1) / kPage * kPage);
}

std::vector<std::byte> bytes_of(const dla_tensor& tensor) {
  const auto* from = static_cast<const std::byte*>(tensor.data);
  std::vector<std::byte> bytes(from, from + tensor.bytes);
  if (tensor.is_stacked) {
    const std::size_t pictures = tensor.shape[0], channels = tensor.shape[1],
                      plane = tensor.bytes / pictures / channels;
    for (std::size_t i = 0; i < pictures * channels; ++i) {
      const std::size_t picture = i / channels, channel = i % channels;
      std::copy_n(from + (channel * pictures + picture) * plane, plane, bytes.data() + i * plane);
    }
  }
  return bytes;
}

LoadedNetwork::LoadedNetwork(const CompiledNetwork& network, const dla_hal_t& hal) : model_(&network.model()) {
  check(dla_runtime_open(&runtime_, &hal), "opening the device");
  const std::filesystem::path path = network.folder() / "weight.bin";
  const std::string weights = read_file(path, "a weight file", UINT32_MAX);
  if (const char* problem = dla_weights_problem(model_, weights.data(), weights.size()); problem != nullptr) {
    user_error(path.string() + ": " + problem + "; compile the network again");
  }
  check(dla_runtime_load(&runtime_, model_, weights.data(), weights.size()), path.string());
  for (uint32_t i = 0; i < dla_model_input_count(model_); ++i) {
    inputs_.push_back(port_of(dla_model_input(model_, i)));
  }
  for (uint32_t i = 0; i < dla_model_output_count(model_); ++i) {
    outputs_.push_back(port_of(dla_model_output(model_, i)));
  }
}

void LoadedNetwork::use_lists() {
  list_ = std::make_unique<dla_list>();
  runtime_.list = list_.get();
}

Tensors LoadedNetwork::run(const Tensors& inputs) {
  internal_check(std::equal(inputs.begin(), inputs.end(), inputs_.begin(), inputs_.end(),
                            [](const auto& numbers, const Port& port) { return numbers.size() == port.size(); }),
                 "inputs of the network's sizes");
  Tensors outputs;
  std::vector<const float*> from;
  std::vector<float*> to;
  std::transform(inputs.begin(), inputs.end(), std::back_inserter(from),
                 [](const auto& numbers) { return numbers.data(); });
  for (const Port& port : outputs_) {
    to.push_back(outputs.emplace_back(port.size()).data());
  }
  run(from.data(), to.data());
  return outputs;
}

void LoadedNetwork::run(const float* const* inputs, float* const* outputs) {
  const dla_status_t status = dla_model_run(model_, &runtime_, inputs, outputs);
  if (status != kDlaOk) {
    throw RunError(runtime_.last_layer == nullptr ? "the network" : runtime_.last_layer,
                   dla_status_text(status) + (status == kDlaRefused        ? cause()
                                              : status == kDlaExternFailed ? extern_cause()
                                                                           : ""));
  }
}

std::string LoadedNetwork::cause() const {
  std::string text = std::string(": ") + dla_error_text(runtime_.last_error);
  if (runtime_.last_error_addr != 0) {
    std::array<char, 16> addr{};
    std::snprintf(addr.data(), addr.size(), "0x%08x", runtime_.last_error_addr);
    text += std::string(", at ") + addr.data();
  }
  return text;
}

std::string LoadedNetwork::extern_cause() const {
  return std::string(": ") + runtime_.failed_op + " of node " + runtime_.failed_node + " returned " +
         std::to_string(runtime_.failed_code);
}

std::vector<float> LoadedNetwork::run(std::span<const float> input) {
  internal_check(inputs_.size() == 1 && outputs_.size() == 1, "a network of one input and one output");
  return run(Tensors{{input.begin(), input.end()}}).front();
}

}  // namespace fovea
