// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds constants without data, looks at who reads them, and makes numbers for them.
#include "missing_data.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "external_data.h"
#include "onnx_tensor.h"
#include "tensor/error.h"
#include "tensor/tensor.h"
#include "value_links.h"

namespace fovea {
namespace {

/// Where a node reads a constant.
struct Reader {
  const onnx::NodeProto* node;
  int place;
};

/// Operators whose constants, but for the first input, decide a shape or what they compute.
constexpr std::array<std::string_view, 6> kDeciding{"Clip", "OneHot", "Range", "Resize", "Slice", "Upsample"};

/// Whether an operator's float constants may be scales.
bool has_scales(std::string_view op) { return op.find("uantize") != op.npos || op.starts_with("Q"); }

bool decides(const onnx::TensorProto& constant, const Reader& reader) {
  const std::string& op = reader.node->op_type();
  if (constant.data_type() == onnx::TensorProto::INT64) {
    return !(op.starts_with("Gather") && reader.place == 1);
  }
  const bool is_one = std::ranges::all_of(constant.dims(), [](int64_t size) { return size == 1; });
  const bool is_scale = has_scales(op) && is_one && constant.data_type() == onnx::TensorProto::FLOAT;
  return is_scale || (reader.place > 0 && std::ranges::count(kDeciding, op) != 0);
}

/// Numbers that have no pattern, but are the same each time: splitmix64, from a name on.
class Numbers {
 public:
  explicit Numbers(const std::string& name) {
    for (const char letter : name) {
      state_ = (state_ ^ static_cast<uint8_t>(letter)) * 0x100000001b3;
    }
  }

  /// From 0 to 2^bits - 1.
  int64_t next(int bits) {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<int64_t>((z ^ z >> 31) >> (64 - bits));
  }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

class Filling {
 public:
  Filling(const onnx::GraphProto& graph, const std::filesystem::path& folder) : graph_(graph), folder_(folder) {
    for (const onnx::NodeProto& node : graph.node()) {
      for (int place = 0; place < node.input_size(); ++place) {
        readers_[node.input(place)].push_back({&node, place});
      }
    }
    for (const onnx::ValueInfoProto& output : graph.output()) {
      readers_[output.name()];
    }
    for (const onnx::TensorProto& initializer : graph.initializer()) {
      note(initializer.name(), initializer);
    }
    for (const onnx::NodeProto& node : graph.node()) {
      if (const onnx::TensorProto* held = held_tensor(node)) {
        note(node.output(0), *held);
      }
    }
  }

  bool is_empty() const { return missing_.empty(); }

  /// "net.onnx: w and 2 other constants have no data, as weights.bin is not beside the model".
  std::string text(const std::string& name) const {
    const std::size_t others = missing_.size() - 1;
    return name + ": " + first_ +
           (others == 0 ? " has"
                        : " and " + std::to_string(others) + " other constant" + (others == 1 ? "" : "s") + " have") +
           " no data" + (first_file_.empty() ? "" : ", as " + first_file_ + " is not beside the model");
  }

  /// What to do about it.
  std::string advice() const {
    return first_file_.empty() ? "export the model with its weights" : "put that file there";
  }

  onnx::GraphProto filled() {
    onnx::GraphProto graph = graph_;
    for (onnx::TensorProto& initializer : *graph.mutable_initializer()) {
      fill(initializer.name(), initializer);
    }
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      if (held_tensor(node) != nullptr) {
        fill(node.output(0), *node.mutable_attribute(0)->mutable_t());
      }
    }
    return graph;
  }

 private:
  void note(const std::string& name, const onnx::TensorProto& constant) {
    const std::optional<std::string> missing =
        readers_.count(name) == 0 ? std::nullopt : missing_data(constant, folder_);
    if (missing) {
      first_ = missing_.empty() ? name : first_;
      first_file_ = missing_.empty() ? *missing : first_file_;
      missing_[name] = &constant;
    }
  }

  bool reads(const std::string& name, std::string_view op, int place) const {
    return std::ranges::any_of(
        readers_.at(name), [&](const Reader& reader) { return reader.node->op_type() == op && reader.place == place; });
  }

  /// Of an int32 constant: a bias is not 0, so that it costs what it will; but 0 is one at any scale.
  bool is_bias(const std::string& name) const {
    const bool has_scale = std::ranges::all_of(readers_.at(name), [&](const Reader& reader) {
      return reader.node->input_size() > 1 && missing_.count(reader.node->input(1)) == 0;
    });
    return reads(name, "QLinearConv", 8) || reads(name, "QGemm", 6) ||
           (reads(name, "DequantizeLinear", 0) && has_scale);
  }

  void fill(const std::string& name, onnx::TensorProto& constant) const {
    const auto found = missing_.find(name);
    if (found == missing_.end() ||
        std::ranges::any_of(readers_.at(name), [&](const Reader& reader) { return decides(*found->second, reader); })) {
      return;
    }
    const Shape shape(constant.dims().begin(), constant.dims().end());
    check_shape(shape, name);
    const auto count = static_cast<std::size_t>(count_elements(shape));
    if (const std::optional<std::string> data = numbers(name, constant, count)) {
      constant.set_raw_data(*data);
      constant.set_data_location(onnx::TensorProto::DEFAULT);
      constant.clear_external_data();
    }
  }

  /// As raw data; nothing of a type that has no stand-ins. Integers of one dimension are zero points or their like.
  std::optional<std::string> numbers(const std::string& name, const onnx::TensorProto& constant,
                                     std::size_t count) const {
    Numbers numbers(name);
    const bool is_flat = constant.dims_size() < 2;
    const auto data = [count](auto next) {
      std::vector<decltype(next())> values(count);
      std::ranges::generate(values, next);
      return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(next()));
    };
    switch (constant.data_type()) {
      case onnx::TensorProto::FLOAT:  // A scale, a variance: small, and above 0.
        return data([&] { return static_cast<float>(1024 + numbers.next(10)) / 131072; });
      case onnx::TensorProto::UINT8:
        return data([&] { return static_cast<uint8_t>(128 + (is_flat ? 0 : numbers.next(7) - 64)); });
      case onnx::TensorProto::INT8:
        return data([&] { return static_cast<int8_t>(is_flat ? 0 : numbers.next(7) - 64); });
      case onnx::TensorProto::INT32:
        return data([&, value = int32_t{is_bias(name)}] { return value; });
      case onnx::TensorProto::INT64:
        return data([] { return int64_t{0}; });
      default:
        return std::nullopt;
    }
  }

  const onnx::GraphProto& graph_;
  const std::filesystem::path& folder_;
  std::map<std::string, std::vector<Reader>> readers_;
  std::map<std::string, const onnx::TensorProto*> missing_;
  std::string first_, first_file_;
};

}  // namespace

std::optional<onnx::GraphProto> fill_missing_data(const onnx::GraphProto& graph, const std::string& name,
                                                  const std::filesystem::path& folder,
                                                  const std::function<void(const std::string&)>& say) {
  Filling filling(graph, folder);
  if (filling.is_empty()) {
    return std::nullopt;
  }
  if (!say) {
    user_error(filling.text(name) + "; " + filling.advice() + ", or look at shapes only: foveac check and foveac map");
  }
  say(filling.text(name) + "; figures are of shapes only");
  return filling.filled();
}

}  // namespace fovea
