// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network in this process.
#include "test_network.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fovea {

TestNetwork::TestNetwork(const std::string& name)
    : compiled_(std::make_unique<CompiledNetwork>(std::string(NETS_DIR "/") + name)) {}

TestNetwork TestNetwork::on_cpu(const std::string& name) {
  TestNetwork test(name);
  const uint32_t bytes = test.compiled_->memory_bytes();
  test.memory_ = {std::aligned_alloc(DLA_HOST_MEMORY_ALIGN, bytes), std::free};
  test.host_ = std::make_unique<dla_host_memory>();
  test.hal_ = std::make_unique<dla_hal_t>();
  EXPECT_EQ(dla_host_memory_open(test.host_.get(), test.memory_.get(), bytes, test.hal_.get()), kDlaOk);
  test.load(*test.hal_);
  return test;
}

TestNetwork TestNetwork::on_device(const std::string& backend, const std::string& name, const std::string& machine,
                                   const std::string& dram) {
  TestNetwork test(name);
  BackendOptions options;
  options.machine = read_machine("sim/spec/machines/" + machine + ".json");
  options.dram = dram;
  options.checked = backend == "rtl";
  options.memory_bytes = test.compiled_->memory_bytes();
  test.backend_ = open_backend(backend, options);
  test.load(test.backend_->hal());
  return test;
}

void TestNetwork::load(const dla_hal_t& hal) {
  network_ = std::make_unique<LoadedNetwork>(*compiled_, hal);
  network_->observe(
      {seen_.get(),
       [](void* seen, const dla_layer_record* record) {
         static_cast<Seen*>(seen)->layers.push_back(
             {record->operation, record->name, *record->layer, record->counters, record->predicted_cycles});
       },
       [](void* seen, const dla_tensor* tensor) {
         const auto* data = static_cast<const uint8_t*>(tensor->data);
         static_cast<Seen*>(seen)->tensors.push_back({tensor->name, tensor->type, {data, data + tensor->bytes}});
       }});
}

std::vector<float> TestNetwork::classify(std::span<const float> planes) {
  seen_->tensors.clear();
  seen_->layers.clear();
  return network_->run(normalize(planes, 3, cifar_labels()));
}

const std::vector<uint8_t>& TestNetwork::logits() const {
  static const std::vector<uint8_t> none;
  for (auto tensor = tensors().rbegin(); tensor != tensors().rend(); ++tensor) {
    if (tensor->type == "uint8") {
      return tensor->bytes;
    }
  }
  return none;
}

Labels cifar_labels() { return read_labels("models/vgg8_cifar10_power2.onnx", 10); }

InputFile cifar_pictures() { return read_input_file(SHARED_DIR "/data/cifar10_test100_input.bin"); }

InputFile sample_pictures() { return read_input_file(SAMPLES_FILE); }

}  // namespace fovea
