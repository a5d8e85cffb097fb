// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the golden data that lie beside the repository.
#include "golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace fovea {

bool has_shared() { return std::filesystem::exists(SHARED_DIR "/golden/manifest.json"); }

std::vector<uint8_t> shared_bytes(const std::string& name) {
  std::ifstream file(std::string(SHARED_DIR "/") + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<std::string>& golden_layers() {
  static const std::vector<std::string> names = {"quantize", "conv1", "conv2", "conv3", "conv4",
                                                 "conv5",    "fc6",   "fc7",   "fc8"};
  return names;
}

}  // namespace fovea
