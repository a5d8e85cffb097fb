// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a network's labels and normalizes pictures.
#include "labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "files/read_file.h"
#include "spec/json_file.h"
#include "spec/near_name.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::size_t kMostLabelBytes = 1 << 26;

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

/// \throws UserError where it is no such numbers, or not above `above`.
void read_channels(const nlohmann::json& file, const char* key, const std::string& place, float above, Labels& labels,
                   Channels& numbers) {
  if (!file.contains(key)) {
    return;
  }
  const nlohmann::json& value = file.at(key);
  const auto given = value.is_number() ? std::vector{value.get<double>()} : value.get<std::vector<double>>();
  const auto is_wrong = [&](double number) { return !std::isfinite(static_cast<float>(number)) || !(number > above); };
  if ((given.size() != 1 && given.size() != numbers.size()) || std::any_of(given.begin(), given.end(), is_wrong)) {
    user_error(place + ": \"" + key + "\" is " + value.dump() + "; it must be 3 numbers, or 1 for all channels," +
               (above == 0 ? " above 0" : " of float32"));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>(given[given.size() == 1 ? 0 : i]);
  }
  labels.has_normalization = true;
}

void fill(const nlohmann::json& file, const std::string& place, Labels& labels) {
  const std::vector<std::string> keys = {"labels", "mean", "std"};
  for (const auto& [key, value] : file.get<std::map<std::string, nlohmann::json>>()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      user_error(place + ": \"" + key + "\" is not known; labels, mean and std are" + did_you_mean(key, keys));
    }
  }
  if (file.contains("labels")) {
    labels.names = file.at("labels").get<std::vector<std::string>>();
    std::transform(labels.names.begin(), labels.names.end(), labels.names.begin(), shown_text);
  }
  read_channels(file, "mean", place, -std::numeric_limits<float>::infinity(), labels, labels.mean);
  read_channels(file, "std", place, 0, labels, labels.deviation);
}

std::filesystem::path file_beside(std::filesystem::path model) { return model.replace_extension(".json"); }

void read_file_beside(const std::filesystem::path& path, Labels& labels) {
  try {
    fill(read_json(path), path.string(), labels);
  } catch (const JsonError& error) {
    user_error(error.what());
  } catch (const nlohmann::json::exception&) {
    user_error(path.string() +
               R"(: not a label file; it looks like {"labels": ["cat", ...], "mean": [3], "std": [3]})");
  }
}

std::vector<std::string> read_names(const std::filesystem::path& path) {
  std::istringstream file(read_file(path, "a text file, a line a label", kMostLabelBytes));
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    line.erase(line.find_last_not_of('\r') + 1);
    names.push_back(shown_text(line));
  }
  return names;
}

}  // namespace

Labels read_labels(const std::filesystem::path& model, std::size_t outputs, const TypedLabels& typed) {
  Labels labels;
  std::filesystem::path path = file_beside(model);
  if (!model.empty() && std::filesystem::exists(path)) {
    read_file_beside(path, labels);
  }
  if (!typed.names.empty()) {
    path = typed.names;
    labels.names = read_names(path);
  }
  labels.has_names = !labels.names.empty() || !typed.names.empty();
  if (labels.has_names && labels.names.size() != outputs) {
    user_error(path.string() + ": has " + std::to_string(labels.names.size()) + " labels; the network has " +
               std::to_string(outputs) + " outputs");
  }
  if (!labels.has_names) {
    labels.names = numbered_names(outputs);
  }
  labels.mean = typed.mean.value_or(labels.mean);
  labels.deviation = typed.deviation.value_or(labels.deviation);
  labels.has_normalization |= typed.mean || typed.deviation;
  return labels;
}

std::string note_on_labels(const std::filesystem::path& model, const Labels& labels) {
  if (labels.has_names && labels.has_normalization) {
    return "";
  }
  const std::string numbered = "outputs are numbered (--labels names them)";
  const std::string plain = "pixels go from 0 to 1 (--mean and --std normalize them)";
  const std::string file =
      model.empty() ? "" : "; " + file_beside(model).filename().string() + " beside the network works too";
  return (labels.has_names ? plain : labels.has_normalization ? numbered : numbered + ", " + plain) + file;
}

Channels parse_channels(const std::string& option, const std::string& text, bool is_positive) {
  std::vector<float> numbers;
  std::istringstream words(text);
  bool is_good = true;
  for (std::string word; is_good && std::getline(words, word, ',');) {
    std::istringstream digits(word);
    float number = 0;
    is_good = digits >> number && (digits >> std::ws).eof() && std::isfinite(number) && (!is_positive || number > 0);
    numbers.push_back(number);
  }
  if (!is_good || text.empty() || text.back() == ',' || (numbers.size() != 1 && numbers.size() != Channels().size())) {
    throw UsageError(option + " " + text + ": not three " + (is_positive ? "positive numbers" : "numbers") +
                     " with commas between, such as 0.5,0.5,0.5, nor one for all channels");
  }
  return numbers.size() == 1 ? Channels{numbers[0], numbers[0], numbers[0]}
                             : Channels{numbers[0], numbers[1], numbers[2]};
}

std::vector<float> normalize(std::span<const float> planes, std::size_t channels, const Labels& labels) {
  std::vector<float> out(planes.begin(), planes.end());
  if (channels != 1 && channels != 3) {
    return out;
  }
  const std::size_t plane = out.size() / channels;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (out[i] - labels.mean[i / plane]) / labels.deviation[i / plane];
  }
  return out;
}

}  // namespace fovea
