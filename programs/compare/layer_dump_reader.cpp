// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads index.json and the files that it names.
#include "layer_dump_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "files/read_file.h"
#include "ir/path_inside.h"
#include "program/npy_file.h"
#include "spec/json_file.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// An entry of the index, and where it stands, for messages.
struct Entry {
  const Json& json;
  std::string place;

  /// \throws UserError where it is not there or of another type.
  template <typename T>
  T get(const char* key, const char* what) const {
    try {
      const Json& value = json.at(key);
      // The library takes numbers with a point for whole ones, however large they are.
      const bool is_cut_off = (std::is_integral_v<T> && value.is_number_float()) ||
                              (value.is_array() && std::ranges::any_of(value, &Json::is_number_float));
      if (!is_cut_off) {
        return value.get<T>();
      }
    } catch (const Json::exception&) {  // It is said below.
    }
    user_error(place + ": \"" + key + "\" is not " + what);
  }
};

/// Drops the batch, which other runtimes have in front: 1 of [1, C, H, W].
Tensor drop_batch(Tensor tensor) {
  const Shape& shape = tensor.type().shape;
  if (!shape.empty() && (shape.size() < 2 || shape[0] != 1)) {
    return tensor;
  }
  Tensor result({without_batch(shape), tensor.type().element});
  std::ranges::copy(tensor.bytes(), result.bytes().begin());
  return result;
}

Tensor read_raw(const Entry& entry, const fs::path& file) {
  const std::string type = entry.get<std::string>("type", "the name of a type");
  const auto element = parse_element_type(type);
  if (!element) {
    user_error(entry.place + ": elements of type " + type + "; uint8, int8, int32, int64 and float32 are read");
  }
  const TensorType whole{entry.get<Shape>("shape", "a list of dimensions"), *element};
  check_shape(whole.shape, entry.place);
  const std::string bytes = read_file(file, "a tensor");
  if (bytes.size() != size_bytes(whole)) {
    user_error(file.string() + ": " + std::to_string(bytes.size()) + " bytes; " + shape_text(whole.shape) + " " + type +
               " are " + std::to_string(size_bytes(whole)));
  }
  Tensor tensor(whole);
  std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), tensor.bytes().begin());
  return tensor;
}

std::optional<Quantization> read_scale(const Entry& entry, ElementType element) {
  if (!entry.json.contains("scale")) {
    return std::nullopt;
  }
  const auto scale = entry.get<float>("scale", "a number");
  const int64_t zero_point = entry.json.contains("zero_point") ? entry.get<int64_t>("zero_point", "a number") : 0;
  if (!(scale > 0)) {
    user_error(entry.place + ": \"scale\" is not above 0");
  }
  return Quantization{element, {scale}, {zero_point}, 0};
}

LayerValue read_entry(const Entry& entry, const fs::path& folder) {
  const auto given = entry.get<std::string>("file", "a file's name");
  const std::optional<fs::path> inside = path_inside(folder, given);
  if (!inside) {
    user_error(entry.place + ": \"file\" is " + given + ", outside the folder of this dump");
  }
  const fs::path file = folder / given;
  const std::string name = shown_text(entry.get<std::string>("name", "a name"));
  LayerNotes notes;
  if (entry.json.contains("node")) {
    notes.nodes = {shown_text(entry.get<std::string>("node", "a name"))};
  } else {
    notes.names = {name};
  }
  Tensor tensor = file.extension() == ".npy" ? read_npy(file) : read_raw(entry, file);
  notes.quantization = read_scale(entry, tensor.type().element);
  return {name, notes, drop_batch(std::move(tensor)), std::nullopt};
}

std::vector<LayerValue> read_index(const fs::path& folder) {
  const fs::path path = folder / "index.json";
  const Json index = [&] {
    try {
      return read_json(path);
    } catch (const JsonError& error) {
      user_error(error.what());
    }
  }();
  if (!index.is_array()) {
    user_error(path.string() + ": no list of layers; DUMP_LAYERS writes one");
  }
  std::vector<LayerValue> values;
  for (const Json& entry : index) {
    values.push_back(read_entry({entry, path.string() + ": entry " + std::to_string(values.size())}, folder));
  }
  return values;
}

std::vector<fs::path> npy_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".npy") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool has_layer_dump(const fs::path& folder) { return fs::exists(folder / "index.json") || !npy_files(folder).empty(); }

Side read_layer_dump(const fs::path& folder, const std::string& label) {
  Side side;
  side.label = label;
  if (fs::exists(folder / "index.json")) {
    side.values = read_index(folder);
  } else {
    for (const fs::path& file : npy_files(folder)) {
      const std::string name = shown_text(file.stem().string());
      Tensor tensor = drop_batch(read_npy(file));  // Not below: GCC 12 destroys a half-made LayerValue twice.
      side.values.push_back({name, {{}, {name}, std::nullopt}, std::move(tensor), std::nullopt});
    }
  }
  if (side.values.empty()) {
    user_error(folder.string() + ": has no layers");
  }
  return side;
}

}  // namespace fovea
