// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks ONNX Runtime what networks answer: many at once, in one process of node.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// A float32 tensor, dense.
struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> data;
};

struct Question {
  std::filesystem::path model;
  std::vector<NamedTensor> inputs;
  std::filesystem::path optimized;  ///< Where the graph that ONNX Runtime really runs is to be written; empty: nowhere.
  bool is_optimized = true;         ///< Else every operator is computed as it stands in the file.
};

struct Answer {
  std::vector<NamedTensor> outputs;  ///< In the network's order.
  std::string error;                 ///< ONNX Runtime's words where it refused the network; else empty.
};

/// Writes the numbers, raw and little endian.
void write_tensor(const NamedTensor& tensor, const std::filesystem::path& file);
/// ... that such a file holds.
std::vector<float> read_tensor(const std::filesystem::path& file);

/// Answers in the order of the questions. Files of inputs and outputs are left beside each model.
/// \param folder  For the two lists that go to and fro; it exists.
/// \throws std::runtime_error in one line where ONNX Runtime is not installed or node fails.
std::vector<Answer> ask_onnxruntime(const std::vector<Question>& questions, const std::filesystem::path& folder);

}  // namespace fovea
