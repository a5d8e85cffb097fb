// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decodes ONNX tensors.
#include "onnx_tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "ir/error.h"

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
                                         {onnx::TensorProto::BOOL, ElementType::kUint8}}};

std::string name_of(int onnx_type) {
  if (!onnx::TensorProto_DataType_IsValid(onnx_type)) {
    return "number " + std::to_string(onnx_type);
  }
  std::string name = onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(onnx_type));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Where a constant's elements are: in bytes as they are in memory, or in a field of its element type.
std::size_t stored_elements(const onnx::TensorProto& proto, ElementType element) {
  if (proto.has_raw_data()) {
    return proto.raw_data().size() / size_bytes(element);
  }
  if (element == ElementType::kFloat32) {
    return static_cast<std::size_t>(proto.float_data_size());
  }
  if (element == ElementType::kInt64) {
    return static_cast<std::size_t>(proto.int64_data_size());
  }
  return static_cast<std::size_t>(proto.int32_data_size());
}

void copy_elements(const onnx::TensorProto& proto, Tensor& tensor) {
  const ElementType element = tensor.type().element;
  if (proto.has_raw_data()) {
    std::memcpy(tensor.bytes().data(), proto.raw_data().data(), tensor.bytes().size());
    return;
  }
  for (int i = 0; i < static_cast<int>(stored_elements(proto, element)); ++i) {
    if (element == ElementType::kFloat32) {
      tensor.set(i, proto.float_data(i));
    } else {
      tensor.set_integer(i, element == ElementType::kInt64 ? proto.int64_data(i) : proto.int32_data(i));
    }
  }
}

}  // namespace

ElementType to_element_type(int onnx_type, const std::string& owner) {
  const auto row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& r) { return r.onnx_type == onnx_type; });
  if (row == kTypes.end()) {
    user_error(owner + ": element type " + name_of(onnx_type) +
               " is not supported; float (float32), uint8, int8, int32 and int64 are");
  }
  return row->element;
}

void check_shape(const Shape& shape, const std::string& owner) {
  constexpr int64_t kMostElements = int64_t{1} << 31;
  int64_t elements = 1;
  for (int64_t size : shape) {
    const bool fits = size >= 0 && (size == 0 || elements <= kMostElements / size);
    if (!fits) {
      user_error(owner + ": has the impossible shape " + to_text(shape) + "; at most 2^31 elements work");
    }
    elements *= size;
  }
}

Tensor to_tensor(const onnx::TensorProto& proto, const std::string& owner) {
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    user_error(owner + ": its data is in another file; save the model as one file, with the data inside");
  }
  TensorType type{{proto.dims().begin(), proto.dims().end()}, to_element_type(proto.data_type(), owner)};
  check_shape(type.shape, owner);
  const std::size_t stored = stored_elements(proto, type.element);
  if (stored != static_cast<std::size_t>(count_elements(type.shape))) {
    user_error(owner + ": holds " + std::to_string(stored) + " elements, but is a " + to_text(type) +
               "; the model is damaged");
  }
  Tensor tensor(std::move(type));
  copy_elements(proto, tensor);
  return tensor;
}

}  // namespace fovea
