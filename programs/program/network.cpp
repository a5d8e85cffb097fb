// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loads a compiled network and runs it.
#include "network.h"

#include <dlfcn.h>

#include <numeric>
#include <stdexcept>
#include <string>

#include "input_file.h"
#include "ir/error.h"

namespace fovea {
namespace {

/// Room beside weights and arena, for alignment.
constexpr uint64_t kSpareBytes = 1 << 20;

std::size_t count(uint32_t rank, const uint32_t* shape) {
  return std::accumulate(shape, shape + rank, std::size_t{1}, std::multiplies<>());
}

void check(dla_status_t status, const std::string& what) {
  if (status != kDlaOk) {
    user_error(what + ": " + dla_status_text(status));
  }
}

}  // namespace

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

LoadedNetwork::LoadedNetwork(const CompiledNetwork& network, const dla_hal_t& hal) : model_(&network.model()) {
  check(dla_runtime_open(&runtime_, &hal), "opening the device");
  const std::filesystem::path path = network.folder() / "weight.bin";
  const std::vector<char> weights = read_bytes(path, "weight file");
  if (const char* problem = dla_weights_problem(model_, weights.data(), weights.size()); problem != nullptr) {
    user_error(path.string() + ": " + problem + "; compile the network again");
  }
  check(dla_runtime_load(&runtime_, model_, weights.data(), weights.size()), path.string());
}

std::size_t LoadedNetwork::input_size() const { return count(model_->input_rank, model_->input_shape); }

std::size_t LoadedNetwork::output_size() const { return count(model_->output_rank, model_->output_shape); }

std::vector<float> LoadedNetwork::run(std::span<const float> input) {
  internal_check(input.size() == input_size(), "input of the network's size");
  std::vector<float> output(output_size());
  const dla_status_t status = model_->run(&runtime_, input.data(), output.data());
  if (status != kDlaOk) {
    const std::string layer = runtime_.last_layer == nullptr ? "the network" : runtime_.last_layer;
    const std::string cause = status == kDlaRefused ? std::string(": ") + dla_error_text(runtime_.last_error) : "";
    throw std::runtime_error(layer + ": " + dla_status_text(status) + cause);
  }
  return output;
}

}  // namespace fovea
