// SPDX-License-Identifier: Apache-2.0
/// \file
/// The file of long constants that stands beside a graph's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace fovea {

/// The constants of texts: bytes of one file, which stands in the folder of the texts under this name.
class ConstantFile {
 public:
  /// \param alignment  Of each constant in the file, in bytes.
  explicit ConstantFile(std::string name, std::size_t alignment = 1) : name_(std::move(name)), alignment_(alignment) {}

  const std::string& name() const { return name_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  /// Where the tensor's bytes begin. A tensor that several graphs share is in the file once.
  std::size_t add(const std::shared_ptr<const Tensor>& tensor);

 private:
  std::string name_;
  std::size_t alignment_;
  std::vector<std::byte> bytes_;
  std::map<std::shared_ptr<const Tensor>, std::size_t> places_;
};

/// A constant that a text says is in a file beside it.
struct StoredConstant {
  std::string file;    ///< Its name.
  int64_t offset = 0;  ///< Where its bytes begin.
  TensorType type;
  std::int64_t crc32 = 0;  ///< Of its bytes.
};

/// Reads it. \param folder  Of the text.
/// \throws UserError where the file is outside of the folder or can't be read, or holds something else there.
Tensor read_constant(const std::filesystem::path& folder, const StoredConstant& constant);

}  // namespace fovea
