// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and parses a model file; where that fails, walks its fields to say why.
#include "read_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <string>

#include "files/read_file.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using google::protobuf::internal::WireFormatLite;

/// The field of ModelProto that came after libonnx 1.12: `configuration`, for several devices.
constexpr int kLaterField = 26;

enum class Verdict { kWhole, kTruncated, kForeign };

/// Walks the top-level fields: a model has only fields that ModelProto knows, each as long as it says.
Verdict judge(const std::string& bytes) {
  const auto* fields = onnx::ModelProto::descriptor();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  while (stream.CurrentPosition() < static_cast<int>(bytes.size())) {
    const uint32_t tag = stream.ReadTag();
    const int number = WireFormatLite::GetTagFieldNumber(tag);
    const bool is_known = fields->FindFieldByNumber(number) != nullptr || number == kLaterField;
    if (tag == 0 || !is_known) {
      return Verdict::kForeign;
    }
    if (!WireFormatLite::SkipField(&stream, tag)) {
      return Verdict::kTruncated;
    }
  }
  return Verdict::kWhole;
}

}  // namespace

onnx::ModelProto read_model(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, "an ONNX file, with large weights in files beside it");
  if (bytes.empty()) {
    user_error(path.string() + ": is empty; give an ONNX file");
  }
  switch (judge(bytes)) {
    case Verdict::kForeign:
      user_error(path.string() + ": is not an ONNX model; give a file written by an ONNX exporter");
    case Verdict::kTruncated:
      user_error(path.string() + ": is a truncated ONNX model (" + std::to_string(bytes.size()) +
                 " bytes and more were meant); copy or download it again");
    case Verdict::kWhole:
      break;
  }
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) {
    user_error(path.string() + ": is a damaged ONNX model; copy or download it again");
  }
  if (!model.has_graph() || model.opset_import().empty()) {
    user_error(path.string() + ": is not a whole ONNX model: it holds no " + (model.has_graph() ? "opset" : "graph") +
               "; copy or download it again");
  }
  return model;
}

}  // namespace fovea
