// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a network's outputs are called, and how its pictures are normalized.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// A number for each channel.
using Channels = std::array<float, 3>;

/// Labels and normalization of a network.
struct Labels {
  std::vector<std::string> names;  ///< One an output; its number where nobody says.
  Channels mean{0, 0, 0};
  Channels deviation{1, 1, 1};
  bool has_names = false, has_normalization = false;  ///< Somebody says.
};

/// What was typed of them: it goes before what the file says.
struct TypedLabels {
  std::filesystem::path names;  ///< A line a label; "": none.
  std::optional<Channels> mean, deviation;
};

/// Reads `<model>.json` beside a model, where it is there: {"labels": [...], "mean": [3], "std": [3]}, each optional;
/// one number stands for all channels. Of what nobody says, outputs are numbered and pixels go from 0 to 1.
/// \throws UserError naming the file where it is no such JSON, has another key, has not as many labels as there are
/// outputs, or numbers that are too few, too many or, of "std", not above 0.
Labels read_labels(const std::filesystem::path& model, std::size_t outputs, const TypedLabels& typed = {});

/// A line on what nobody says, and how to say it; "" where all is said.
std::string note_on_labels(const std::filesystem::path& model, const Labels& labels);

/// "0.5,0.5,0.5", or a number for all channels. \param option  What errors call it.
/// \throws UsageError where it is neither, or not above 0 and `is_positive`.
Channels parse_channels(const std::string& option, const std::string& text, bool is_positive);

/// (pixel - mean) / deviation, a plane a channel, in float32. `planes` is [1, H, W] or [3, H, W], or of other channels,
/// which stay as they are.
std::vector<float> normalize(std::span<const float> planes, std::size_t channels, const Labels& labels);

}  // namespace fovea
