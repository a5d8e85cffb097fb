// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a network's outputs are called, and how its pictures are normalized.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// Labels and normalization of a network; CIFAR-10's unless a file says otherwise.
struct Labels {
  std::vector<std::string> names;  ///< One an output.
  std::array<float, 3> mean{0.4914f, 0.4822f, 0.4465f};
  std::array<float, 3> deviation{0.247f, 0.243f, 0.261f};
};

/// Reads `<model>.json` beside a model, where it is there: {"labels": [...], "mean": [3], "std": [3]}, each optional.
/// Without labels: CIFAR-10's for ten outputs, else the output's number.
/// \throws UserError naming the file where it is no such JSON, has not as many labels as there are outputs, or other
/// than three numbers, those of "std" above 0.
Labels read_labels(const std::filesystem::path& model, std::size_t outputs);

/// (pixel - mean) / deviation, a plane a channel, in float32. `planes` is [3, H, W] or, unchanged, anything else.
std::vector<float> normalize(std::span<const float> planes, std::size_t channels, const Labels& labels);

}  // namespace fovea
