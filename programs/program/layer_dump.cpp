// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the output tensor of every layer of a run to a folder.
#include "layer_dump.h"

#include <algorithm>
#include <string>
#include <utility>

#include "network.h"
#include "spec/json_file.h"

namespace fovea {

LayerDump::LayerDump(std::filesystem::path folder) : files_(std::move(folder)) {}

void LayerDump::write(const dla_tensor& tensor) noexcept {
  try {
    if (failure_ == nullptr) {
      write_now(tensor);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

namespace {

/// "f32" of "float32", "u8" of "uint8", "bool".
std::string extension_of(const std::string& type) {
  const std::size_t bits = type.find_first_of("0123456789");
  return bits == std::string::npos ? type : type[0] + type.substr(bits);
}

}  // namespace

void LayerDump::write_now(const dla_tensor& tensor) {
  std::string layer = tensor.name;
  std::replace(layer.begin(), layer.end(), '/', '_');
  const std::string number = std::to_string(index_.size());
  const std::string name = (number.size() < 2 ? "0" : "") + number + "_" + layer + "." + extension_of(tensor.type);
  files_.add(name, bytes_of(tensor));
  index_.push_back({{"file", name},
                    {"name", tensor.name},
                    {"type", tensor.type},
                    {"shape", std::vector<uint32_t>(tensor.shape, tensor.shape + tensor.rank)}});
}

void LayerDump::finish() {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
  files_.add("index.json", json_text(index_));
  files_.commit();
}

}  // namespace fovea
