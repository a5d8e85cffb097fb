// SPDX-License-Identifier: Apache-2.0
/// \file
/// Looks for the words that name files before it looks for the files.
#include "named_files.h"

#include <google/protobuf/message.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "ir/ir_form.h"
#include "ir/path_inside.h"
#include "read_model.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) {
    user_error(path.string() + ": can't be read; give an ONNX file or an IR");
  }
  file.seekg(0, std::ios::end);
  std::string bytes(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

void add_text(const std::string& text, std::set<std::string>& names) {
  const std::string before = "constant in \"";
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    names.insert(text.substr(at, text.find('"', at) - at));
  }
}

void add_json(const std::string& bytes, std::set<std::string>& names) {
  const nlohmann::json json = nlohmann::json::parse(bytes, nullptr, false);
  if (json.is_object() && json.contains("constants") && json["constants"].is_string()) {
    names.insert(json["constants"].get<std::string>());
  }
}

/// Of all tensors in a message, wherever they are: in graphs, in attributes, in functions.
void add_message(const google::protobuf::Message& message, std::set<std::string>& names) {
  if (const auto* tensor = dynamic_cast<const onnx::TensorProto*>(&message)) {
    for (const auto& entry : tensor->external_data()) {
      if (entry.key() == "location") {
        names.insert(entry.value());
      }
    }
    return;
  }
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    }
    if (!field->is_repeated()) {
      add_message(reflection->GetMessage(message, field), names);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      add_message(reflection->GetRepeatedMessage(message, field, i), names);
    }
  }
}

}  // namespace

std::vector<fs::path> named_files(const fs::path& network) {
  const std::string bytes = read_all(network);
  std::set<std::string> names;
  if (const auto form = ir_form_of(network)) {
    form == IrForm::kText ? add_text(bytes, names) : add_json(bytes, names);
  } else if (bytes.find("location") != std::string::npos) {
    add_message(read_model(network), names);
  }
  std::vector<fs::path> files;
  for (const std::string& name : names) {
    std::error_code error;
    if (path_inside(network.parent_path(), name) && fs::is_regular_file(network.parent_path() / name, error)) {
      files.push_back(network.parent_path() / name);
    }
  }
  return files;
}

}  // namespace fovea
