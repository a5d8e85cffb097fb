// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks at the inputs that a network declares, and at the files that it is to run on.
#include "derive_shapes.h"

#include <algorithm>
#include <vector>

#include "dataset/pictures.h"
#include "onnx/import.h"
#include "program/npy_file.h"
#include "program/port_files.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

bool is_open(const Shape& shape) { return std::ranges::count(shape, 0) != 0; }

/// Whether a run may choose some of an input's shape.
bool is_any_open(const DeclaredInput& input) { return input.has_open_batch || is_open(input.shape); }

/// Whether two shapes differ in the batch only.
bool is_of_another_batch(const Shape& shape, const Shape& declared) {
  return shape.size() == declared.size() && std::equal(shape.begin() + 1, shape.end(), declared.begin() + 1) &&
         shape[0] != declared[0];
}

Shape shape_of_file(const fs::path& file, const DeclaredInput& input) {
  Shape declared = input.shape;
  std::error_code error;
  if (file.extension() == ".npy") {
    Shape shape = read_npy(file).type().shape;
    if (shape.size() + 1 == declared.size()) {
      shape.insert(shape.begin(), 1);
    }
    return shape;
  }
  const auto bytes = static_cast<int64_t>(fs::is_regular_file(file, error) ? fs::file_size(file) : 0);
  int64_t row = static_cast<int64_t>(sizeof(float));
  for (const int64_t size : declared) {
    row *= std::max<int64_t>(size, 1);
  }
  if (bytes > 0 && bytes % row == 0) {
    if (std::ranges::count(declared, 0) == 1) {
      std::ranges::replace(declared, 0, bytes / row);
    } else if (input.has_open_batch) {
      declared[0] = bytes / row;
    }
  }
  return declared;
}

Shape shape_of_picture(const fs::path& file, Shape declared) {
  if (declared.size() == 4) {
    const PictureSize size = read_picture(file).size;
    declared[2] = declared[2] == 0 ? size.height : declared[2];
    declared[3] = declared[3] == 0 ? size.width : declared[3];
  }
  return declared;
}

}  // namespace

NetworkRequest with_derived_shapes(NetworkRequest network, const std::string& tensors, const fs::path& picture) {
  std::error_code error;
  if (network.model.extension() != ".onnx" || !fs::is_regular_file(network.model, error) ||
      (tensors.empty() && picture.empty())) {
    return network;
  }
  const std::vector<DeclaredInput> inputs = declared_inputs(network.model);
  if (std::ranges::none_of(inputs, is_any_open)) {
    return network;
  }
  std::vector<Port> ports;
  for (const DeclaredInput& input : inputs) {
    ports.push_back({inputs.size() == 1 ? "input" : input.name, {}});  // As compiled networks have it.
  }
  const std::vector<fs::path> files =
      tensors.empty() ? std::vector<fs::path>() : read_port_files("--input-raw", tensors, ports);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& declared = inputs[i].shape;
    const Shape shape = tensors.empty() ? shape_of_picture(picture, declared) : shape_of_file(files[i], inputs[i]);
    const bool has_batch = inputs[i].has_open_batch && network.import.batch == 0;
    if (!is_open(shape) && (is_open(declared) || (has_batch && is_of_another_batch(shape, declared)))) {
      network.import.shapes.emplace(inputs[i].name, shape);
    }
  }
  return network;
}

}  // namespace fovea
