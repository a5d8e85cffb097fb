// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decodes ONNX tensors.
#include "onnx_tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "external_data.h"
#include "tensor/error.h"
#include "tensor/nearest_float.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores raw data in little endian");

struct TypeRow {
  onnx::TensorProto_DataType onnx_type;
  ElementType element;
};

constexpr std::array<TypeRow, 7> kTypes{{{onnx::TensorProto::FLOAT, ElementType::kFloat32},
                                         {onnx::TensorProto::DOUBLE, ElementType::kFloat32},
                                         {onnx::TensorProto::UINT8, ElementType::kUint8},
                                         {onnx::TensorProto::INT8, ElementType::kInt8},
                                         {onnx::TensorProto::INT32, ElementType::kInt32},
                                         {onnx::TensorProto::INT64, ElementType::kInt64},
                                         {onnx::TensorProto::BOOL, ElementType::kBool}}};

/// The numbers of types of 4 bits, which libonnx before 1.16 has no names for.
constexpr int kUint4 = 21, kInt4 = 22;

constexpr std::array<NarrowType, 4> kNarrowTypes{
    {{onnx::TensorProto::UINT16, 16, ElementType::kInt32, 0, UINT16_MAX},
     {onnx::TensorProto::INT16, 16, ElementType::kInt32, INT16_MIN, INT16_MAX},
     {kUint4, 4, ElementType::kUint8, 0, 15},
     {kInt4, 4, ElementType::kInt8, -8, 7}}};

std::string name_of(int onnx_type) {
  if (onnx_type == kUint4 || onnx_type == kInt4) {
    return onnx_type == kUint4 ? "uint4" : "int4";
  }
  if (!onnx::TensorProto_DataType_IsValid(onnx_type)) {
    return "number " + std::to_string(onnx_type);
  }
  std::string name = onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(onnx_type));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Elements in the field of an element type.
std::size_t stored_elements(const onnx::TensorProto& proto, ElementType element) {
  if (element == ElementType::kFloat32) {
    return static_cast<std::size_t>(proto.float_data_size());
  }
  if (element == ElementType::kInt64) {
    return static_cast<std::size_t>(proto.int64_data_size());
  }
  return static_cast<std::size_t>(proto.int32_data_size());
}

/// A constant's elements are as bytes, as they are in memory, or in a field of their type. UserError where they are
/// not as many as the shape says.
void check_stored(const onnx::TensorProto& proto, const TensorType& type, const std::string& owner) {
  const bool is_raw = proto.has_raw_data();
  const std::size_t stored = is_raw ? proto.raw_data().size() : stored_elements(proto, type.element);
  const std::size_t meant = is_raw ? size_bytes(type) : static_cast<std::size_t>(count_elements(type.shape));
  if (stored == 0 && meant != 0) {
    user_error(owner + ": is " + type_text(type) + ", but the model does not hold it; export the model with it");
  }
  if (stored != meant) {
    user_error(owner + ": holds " + std::to_string(stored) + (is_raw ? " bytes" : " elements") + ", but is " +
               type_text(type) + "; the model is damaged");
  }
}

void copy_elements(const onnx::TensorProto& proto, Tensor& tensor, const std::string& owner) {
  const ElementType element = tensor.type().element;
  if (proto.has_raw_data()) {
    std::copy(proto.raw_data().begin(), proto.raw_data().end(), reinterpret_cast<char*>(tensor.bytes().data()));
    return;
  }
  for (int i = 0; i < static_cast<int>(stored_elements(proto, element)); ++i) {
    if (element == ElementType::kFloat32) {
      tensor.set(i, proto.float_data(i));
      continue;
    }
    const int64_t value = element == ElementType::kInt64 ? proto.int64_data(i) : proto.int32_data(i);
    const auto [least, most] = range_of(element);
    if (value < least || value > most) {
      user_error(owner + ": holds " + std::to_string(value) + ", which is no " + std::string(to_text(element)) +
                 "; the model is damaged");
    }
    tensor.set_integer(i, value);
  }
}

/// A constant's bytes, in a file, as they are in memory, or in the field of its type, which `append` writes; as many as
/// `count` elements of so many bits take.
template <typename Append>
std::vector<uint8_t> read_packed(const onnx::TensorProto& proto, int bits, int64_t count, const std::string& owner,
                                 const std::filesystem::path& folder, const Append& append) {
  const TensorType packed{{(count * bits + 7) / 8}, ElementType::kUint8};
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    const Tensor bytes = read_external_data(proto, packed, owner, folder);
    return {bytes.values<uint8_t>().begin(), bytes.values<uint8_t>().end()};
  }
  std::vector<uint8_t> bytes(proto.raw_data().begin(), proto.raw_data().end());
  if (!proto.has_raw_data()) {
    append(bytes);
  }
  if (bytes.size() != size_bytes(packed)) {
    user_error(owner + ": holds " + std::to_string(bytes.size()) + " bytes, but is " + std::to_string(count) +
               " elements of " + name_of(proto.data_type()) + "; the model is damaged");
  }
  return bytes;
}

/// Of a type of few bits: in int32_data a byte or two each.
std::vector<uint8_t> read_narrow(const onnx::TensorProto& proto, const NarrowType& type, int64_t count,
                                 const std::string& owner, const std::filesystem::path& folder) {
  return read_packed(proto, type.bits, count, owner, folder, [&](std::vector<uint8_t>& bytes) {
    for (const int32_t word : proto.int32_data()) {
      for (int bit = 0; bit < std::max(type.bits, 8); bit += 8) {
        bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(word) >> bit));
      }
    }
  });
}

/// Numbers of float64, each as the float32 nearest to it.
Tensor read_doubles(const onnx::TensorProto& proto, Shape shape, const std::string& owner,
                    const std::filesystem::path& folder) {
  const auto append = [&](std::vector<uint8_t>& bytes) {
    const auto* first = reinterpret_cast<const uint8_t*>(proto.double_data().data());
    bytes.assign(first, first + static_cast<std::size_t>(proto.double_data_size()) * sizeof(double));
  };
  const std::vector<uint8_t> bytes = read_packed(proto, 64, count_elements(shape), owner, folder, append);
  Tensor tensor({std::move(shape), ElementType::kFloat32});
  const auto values = tensor.values<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    values[i] = nearest_float(value);
  }
  return tensor;
}

/// The first element in the low bits of the first byte.
Tensor unpack(const std::vector<uint8_t>& bytes, const NarrowType& type, Shape shape) {
  Tensor tensor({std::move(shape), type.element});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(tensor.type().shape)); ++i) {
    const std::size_t bit = i * static_cast<std::size_t>(type.bits);
    const int64_t value = type.bits == 4 ? bytes[bit / 8] >> bit % 8 & 15 : bytes[bit / 8] | bytes[bit / 8 + 1] << 8;
    tensor.set_integer(i, value > type.most ? value - (int64_t{1} << type.bits) : value);
  }
  return tensor;
}

/// A bool is a byte of 0 or 1; in memory others would be neither true nor false.
void check_bools(const Tensor& tensor, const std::string& owner) {
  const auto is_other = [](std::byte byte) { return byte > std::byte{1}; };
  if (tensor.type().element == ElementType::kBool && std::ranges::any_of(tensor.bytes(), is_other)) {
    user_error(owner + ": holds bytes other than 0 and 1, which are no bool; the model is damaged");
  }
}

}  // namespace

ElementType to_element_type(int onnx_type, const std::string& owner) {
  const auto row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& r) { return r.onnx_type == onnx_type; });
  if (row == kTypes.end()) {
    user_error(owner + ": element type " + name_of(onnx_type) +
               " is not supported; float (float32), double (as float32), uint8, int8, int32, int64 and bool are");
  }
  return row->element;
}

const NarrowType* find_narrow_type(int onnx_type) {
  const auto* row = std::ranges::find(kNarrowTypes, onnx_type, &NarrowType::onnx_type);
  return row == kNarrowTypes.end() ? nullptr : row;
}

Tensor to_tensor(const onnx::TensorProto& proto, const std::string& owner, const std::filesystem::path& folder) {
  if (const NarrowType* narrow = find_narrow_type(proto.data_type())) {
    Shape shape{proto.dims().begin(), proto.dims().end()};
    check_shape(shape, owner);
    const std::vector<uint8_t> bytes = read_narrow(proto, *narrow, count_elements(shape), owner, folder);
    return unpack(bytes, *narrow, std::move(shape));
  }
  TensorType type{{proto.dims().begin(), proto.dims().end()}, to_element_type(proto.data_type(), owner)};
  check_shape(type.shape, owner);
  if (proto.data_type() == onnx::TensorProto::DOUBLE) {
    return read_doubles(proto, std::move(type.shape), owner, folder);
  }
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    Tensor tensor = read_external_data(proto, std::move(type), owner, folder);
    check_bools(tensor, owner);
    return tensor;
  }
  check_stored(proto, type, owner);
  Tensor tensor(std::move(type));
  copy_elements(proto, tensor, owner);
  check_bools(tensor, owner);
  return tensor;
}

}  // namespace fovea
