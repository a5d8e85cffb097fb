// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes a .npy file apart: magic, version, a Python dictionary as text, elements.
#include "npy_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "files/read_file.h"
#include "tensor/error.h"
#include "tensor/nearest_float.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// A file's parts.
struct NpyParts {
  std::string header;
  std::size_t data = 0;  ///< Where the elements begin.
};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  user_error(path.string() + ": " + why);
}

uint8_t byte_at(const std::string& bytes, std::size_t i) { return static_cast<uint8_t>(bytes[i]); }

/// The header's length has two bytes in version 1, four later.
NpyParts split(const std::string& bytes, const std::filesystem::path& path) {
  if (bytes.size() < 12 || std::string_view(bytes.data(), kMagic.size()) != kMagic) {
    refuse(path, "no .npy file; numpy.save writes one");
  }
  const uint8_t version = byte_at(bytes, 6);
  if (version < 1 || version > 3) {
    refuse(path, "version " + std::to_string(version) + " of .npy; 1 to 3 are read");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4, begin = 8 + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{byte_at(bytes, 8 + i)} << (8 * i);
  }
  if (length > bytes.size() - begin) {
    refuse(path, "truncated: it ends within its header");
  }
  return {{bytes.data() + begin, length}, begin + length};
}

/// What `key` of the header's dictionary is, as `pattern` finds it.
std::string field(const NpyParts& parts, const std::string& key, const std::string& pattern,
                  const std::filesystem::path& path) {
  std::smatch found;
  if (!std::regex_search(parts.header, found, std::regex("['\"]" + key + "['\"]\\s*:\\s*" + pattern))) {
    refuse(path, "its header does not say " + key + "; numpy.save writes such files");
  }
  return found[1];
}

constexpr std::string_view kFloat64 = "<f8";

ElementType element_type(const std::string& dtype, const std::filesystem::path& path) {
  static const std::map<std::string, ElementType> kTypes = {{"|b1", ElementType::kBool},
                                                            {"|u1", ElementType::kUint8},
                                                            {"|i1", ElementType::kInt8},
                                                            {"<i4", ElementType::kInt32},
                                                            {"<i8", ElementType::kInt64},
                                                            {"<f4", ElementType::kFloat32},
                                                            {std::string(kFloat64), ElementType::kFloat32}};
  const auto found = kTypes.find(dtype);
  if (found == kTypes.end()) {
    refuse(path, "elements of dtype '" + dtype +
                     "'; bool, uint8, int8, int32, int64, float32 and float64, little endian, are read");
  }
  return found->second;
}

Shape read_shape(const std::string& text, const std::filesystem::path& path) {
  Shape shape;
  const std::regex number("\\d+");
  for (std::sregex_iterator found(text.begin(), text.end(), number), end; found != end; ++found) {
    if (found->str().size() > 10) {
      refuse(path, "a dimension of " + found->str() + " elements");
    }
    shape.push_back(std::stoll(found->str()));
  }
  check_shape(shape, path.string());
  return shape;
}

}  // namespace

Tensor read_npy(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, "a .npy file");
  const NpyParts parts = split(bytes, path);
  const std::string dtype = field(parts, "descr", "['\"]([^'\"]*)['\"]", path);
  const ElementType element = element_type(dtype, path);
  if (field(parts, "fortran_order", "(True|False)", path) == "True") {
    refuse(path, "in Fortran order; save numpy.ascontiguousarray(x)");
  }
  const TensorType type{read_shape(field(parts, "shape", "\\(([^)]*)\\)", path), path), element};
  const std::size_t meant = size_bytes(type) * (dtype == kFloat64 ? 2 : 1);
  if (bytes.size() - parts.data != meant) {
    refuse(path, std::string(bytes.size() - parts.data < meant ? "truncated" : "too long") + ": " +
                     std::to_string(bytes.size() - parts.data) + " bytes behind its header, not " +
                     std::to_string(meant));
  }
  Tensor tensor(type);
  if (dtype == kFloat64) {
    std::size_t at = parts.data;
    for (float& value : tensor.values<float>()) {
      double given = 0;
      std::memcpy(&given, bytes.data() + at, sizeof given);
      value = nearest_float(given);
      at += sizeof given;
    }
    return tensor;
  }
  std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()) + parts.data, meant, tensor.bytes().begin());
  return tensor;
}

}  // namespace fovea
