// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a network's labels and normalizes pictures.
#include "labels.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "ir/error.h"

namespace fovea {
namespace {

const std::vector<std::string>& cifar10_names() {
  static const std::vector<std::string> names = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                 "dog",      "frog",       "horse", "ship", "truck"};
  return names;
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

void fill(const nlohmann::json& file, Labels& labels) {
  if (file.contains("labels")) {
    labels.names = file.at("labels").get<std::vector<std::string>>();
  }
  if (file.contains("mean")) {
    labels.mean = file.at("mean").get<std::array<float, 3>>();
  }
  if (file.contains("std")) {
    labels.deviation = file.at("std").get<std::array<float, 3>>();
  }
}

}  // namespace

Labels read_labels(const std::filesystem::path& model, std::size_t outputs) {
  Labels labels;
  const std::filesystem::path path = std::filesystem::path(model).replace_extension(".json");
  if (!model.empty() && std::filesystem::exists(path)) {
    std::ifstream file(path);
    try {
      fill(nlohmann::json::parse(file), labels);
    } catch (const nlohmann::json::exception&) {
      user_error(path.string() +
                 R"(: not a label file; it looks like {"labels": ["cat", ...], "mean": [3], "std": [3]})");
    }
    if (!labels.names.empty() && labels.names.size() != outputs) {
      user_error(path.string() + ": has " + std::to_string(labels.names.size()) + " labels; the network has " +
                 std::to_string(outputs) + " outputs");
    }
  }
  if (labels.names.empty()) {
    labels.names = outputs == cifar10_names().size() ? cifar10_names() : numbered_names(outputs);
  }
  return labels;
}

std::vector<float> normalize(std::span<const float> planes, std::size_t channels, const Labels& labels) {
  std::vector<float> out(planes.begin(), planes.end());
  if (channels != 3) {
    return out;
  }
  const std::size_t plane = out.size() / 3;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (out[i] - labels.mean[i / plane]) / labels.deviation[i / plane];
  }
  return out;
}

}  // namespace fovea
