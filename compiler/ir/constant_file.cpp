// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects constants, and reads one.
#include "constant_file.h"

#include <fstream>
#include <optional>

#include "checksum.h"
#include "path_inside.h"
#include "tensor/error.h"

namespace fovea {

std::size_t ConstantFile::add(const std::shared_ptr<const Tensor>& tensor) {
  const std::size_t next = (bytes_.size() + alignment_ - 1) / alignment_ * alignment_;
  const auto [place, is_new] = places_.emplace(tensor, next);
  if (is_new) {
    bytes_.resize(next);
    bytes_.insert(bytes_.end(), tensor->bytes().begin(), tensor->bytes().end());
  }
  return place->second;
}

Tensor read_constant(const std::filesystem::path& folder, const StoredConstant& constant) {
  const std::string& name = constant.file;
  const std::optional<std::filesystem::path> path = path_inside(folder, name);
  if (!path) {
    user_error("this constant is in " + name + ", outside the folder of this text; put it there");
  }
  std::error_code error;
  const auto size = std::filesystem::file_size(*path, error);
  if (error) {
    user_error("this constant is in " + name + ", which can't be read; put it into the folder of this text");
  }
  const bool is_inside = constant.offset >= 0 && static_cast<std::size_t>(constant.offset) <= size &&
                         size_bytes(constant.type) <= size - static_cast<std::size_t>(constant.offset);
  Tensor tensor(is_inside ? constant.type : TensorType{{0}, constant.type.element});
  std::ifstream file(*path, std::ios::binary);
  file.seekg(constant.offset)
      .read(reinterpret_cast<char*>(tensor.bytes().data()), static_cast<std::streamsize>(tensor.bytes().size()));
  if (!is_inside || !file || constant.crc32 != int64_t{checksum(tensor.bytes())}) {
    user_error("this constant is not what " + name + " holds at " + std::to_string(constant.offset) +
               "; take both files from one run of the compiler");
  }
  return tensor;
}

}  // namespace fovea
