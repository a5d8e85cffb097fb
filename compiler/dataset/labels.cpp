// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a network's labels and normalizes pictures.
#include "labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "spec/json_file.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

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

/// A number for each channel. \throws UserError where it is none, or not above `above`.
void read_channels(const nlohmann::json& file, const char* key, const std::string& place, float above,
                   std::array<float, 3>& numbers) {
  if (!file.contains(key)) {
    return;
  }
  const auto given = file.at(key).get<std::vector<double>>();
  const auto is_wrong = [&](double number) { return !std::isfinite(static_cast<float>(number)) || !(number > above); };
  if (given.size() != numbers.size() || std::any_of(given.begin(), given.end(), is_wrong)) {
    user_error(place + ": \"" + key + "\" is " + file.at(key).dump() + "; it must be 3 numbers" +
               (above == 0 ? " above 0" : ""));
  }
  std::transform(given.begin(), given.end(), numbers.begin(), [](double number) { return static_cast<float>(number); });
}

void fill(const nlohmann::json& file, const std::string& place, Labels& labels) {
  if (file.contains("labels")) {
    labels.names = file.at("labels").get<std::vector<std::string>>();
    std::transform(labels.names.begin(), labels.names.end(), labels.names.begin(), shown_text);
  }
  read_channels(file, "mean", place, -std::numeric_limits<float>::infinity(), labels.mean);
  read_channels(file, "std", place, 0, labels.deviation);
}

}  // namespace

Labels read_labels(const std::filesystem::path& model, std::size_t outputs) {
  Labels labels;
  const std::filesystem::path path = std::filesystem::path(model).replace_extension(".json");
  if (!model.empty() && std::filesystem::exists(path)) {
    try {
      fill(read_json(path), path.string(), labels);
    } catch (const JsonError& error) {
      user_error(error.what());
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
