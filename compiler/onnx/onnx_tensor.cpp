// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decodes ONNX tensors.
#include "onnx_tensor.h"

#include <algorithm>
#include <array>
#include <bit>

#include "external_data.h"
#include "tensor/error.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores raw data in little endian");

struct TypeRow {
  onnx::TensorProto_DataType onnx_type;
  ElementType element;
};

constexpr std::array<TypeRow, 6> kTypes{{{onnx::TensorProto::FLOAT, ElementType::kFloat32},
                                         {onnx::TensorProto::UINT8, ElementType::kUint8},
                                         {onnx::TensorProto::INT8, ElementType::kInt8},
                                         {onnx::TensorProto::INT32, ElementType::kInt32},
                                         {onnx::TensorProto::INT64, ElementType::kInt64},
                                         {onnx::TensorProto::BOOL, ElementType::kBool}}};

std::string name_of(int onnx_type) {
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
  if (stored != meant) {
    user_error(owner + ": holds " + std::to_string(stored) + (is_raw ? " bytes" : " elements") + ", but is a " +
               to_text(type) + "; the model is damaged");
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
               " is not supported; float (float32), uint8, int8, int32, int64 and bool are");
  }
  return row->element;
}

Tensor to_tensor(const onnx::TensorProto& proto, const std::string& owner, const std::filesystem::path& folder) {
  TensorType type{{proto.dims().begin(), proto.dims().end()}, to_element_type(proto.data_type(), owner)};
  check_shape(type.shape, owner);
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
