// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the file that a constant names, and reads its part of it.
#include "external_data.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>

#include "ir/path_inside.h"
#include "ir/text_number.h"
#include "tensor/error.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class ExternalData {
 public:
  ExternalData(const onnx::TensorProto& proto, const std::string& owner) : proto_(proto), owner_(owner) {}

  /// Whether the file that is named is not there.
  bool is_missing(const fs::path& folder) const {
    const std::optional<fs::path> path = path_inside(folder, location());
    std::error_code error;
    return !location().empty() && path.has_value() && !fs::exists(*path, error);
  }

  std::string location() const { return entry("location"); }

  Tensor read(TensorType type, const fs::path& folder) const {
    const fs::path path = find(folder);
    const uint64_t file = fs::file_size(path), offset = std::min(number_of("offset", 0), file);
    const uint64_t length = number_of("length", file - offset);
    check(length == size_bytes(type), "its data is " + std::to_string(length) + " bytes of " + location() +
                                          ", but it is " + type_text(type) + "; export the model again");
    check(offset == number_of("offset", 0) && length <= file - offset,
          location() + " ends after " + std::to_string(file) + " bytes, before its data does; copy the file again");
    Tensor tensor(std::move(type));
    std::ifstream stream(path, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    stream.read(reinterpret_cast<char*>(tensor.bytes().data()), static_cast<std::streamsize>(length));
    check(static_cast<bool>(stream), location() + " can't be read; make it readable");
    return tensor;
  }

 private:
  void check(bool condition, const std::string& problem) const {
    if (!condition) {
      user_error(owner_ + ": " + problem);
    }
  }

  std::string entry(const std::string& key) const {
    const auto& entries = proto_.external_data();
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const auto& each) { return each.key() == key; });
    return found == entries.end() ? "" : found->value();
  }

  uint64_t number_of(const std::string& key, uint64_t fallback) const {
    const std::string text = entry(key);
    const std::optional<uint64_t> parsed = text.empty() ? fallback : parse_number<uint64_t>(text);
    check(parsed.has_value(),
          "the " + key + " of its data, " + text + ", is no number of bytes; export the model again");
    return *parsed;
  }

  /// The file, which links must not lead out of the model's folder.
  fs::path find(const fs::path& folder) const {
    check(!location().empty(), "its data is in another file, but the model does not say in which; export it again");
    const std::optional<fs::path> path = path_inside(folder, location());
    check(path.has_value(),
          "its data is in " + location() + ", outside the model's folder; put that file beside the model");
    std::error_code error;
    check(fs::is_regular_file(*path, error),
          "its data is in " + location() + ", which is no file; put that file beside the model");
    return *path;
  }

  const onnx::TensorProto& proto_;
  const std::string& owner_;
};

}  // namespace

Tensor read_external_data(const onnx::TensorProto& proto, TensorType type, const std::string& owner,
                          const fs::path& folder) {
  return ExternalData(proto, owner).read(std::move(type), folder);
}

std::optional<std::string> missing_data(const onnx::TensorProto& proto, const fs::path& folder) {
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    const ExternalData data(proto, proto.name());
    return data.is_missing(folder) ? std::optional(data.location()) : std::nullopt;
  }
  const bool holds_elements = std::ranges::all_of(proto.dims(), [](int64_t size) { return size > 0; });
  const bool has_data = !proto.raw_data().empty() || proto.float_data_size() != 0 || proto.int32_data_size() != 0 ||
                        proto.int64_data_size() != 0 || proto.double_data_size() != 0 ||
                        proto.uint64_data_size() != 0 || proto.string_data_size() != 0;
  return holds_elements && !has_data ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace fovea
