// SPDX-License-Identifier: Apache-2.0
/// \file
/// Why a layer differs: its first element that does, what that is made of, and what of it is not the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison.h"
#include "receptive_field.h"

namespace fovea {

/// An element as one side has it.
struct ElementOfSide {
  double value = 0;                          ///< As stored.
  std::optional<Quantization> quantization;  ///< What it stands for.
  std::vector<double> accumulators;          ///< Of its own input and weights; empty where they can't be told.
  double step = 1;                           ///< What an accumulator of 1 stands for.
  std::optional<uint8_t> requantized;        ///< What its own layer makes of them.
};

/// A part of an input that the element depends on.
struct ComparedField {
  std::string from;  ///< Who writes the input.
  InputField field;
  std::optional<std::size_t> differing;  ///< Elements of it; nothing where a side does not have the input.
};

struct Explanation {
  std::string layer;      ///< Its name.
  std::string operation;  ///< "qconv2d_relu"; "" where no network is known.
  std::string onnx_name;
  Shape shape, at;  ///< Of the output, without the batch; of the element.
  ElementOfSide a, b;
  std::vector<ComparedField> fields;
  std::vector<std::string> settings;  ///< What the layers compute with that is not the same.
  std::string verdict;                ///< One sentence.
};

/// Explains one pair of a comparison. \pre It differs.
Explanation explain(const Side& a, const Side& b, const Comparison& comparison, std::size_t layer);

}  // namespace fovea
