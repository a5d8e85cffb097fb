// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text form of the IR, printed and parsed: what goes out comes back the same.
///
///     fn (%0: Tensor[(1, 4), float32] from "input") {
///       %1 = qnn.quantize(%0, 0.03125f, 128u8, axis=1) : Tensor[(1, 4), uint8] from "input/quantize"
///       %2 = composite dla.qlinear_relu(%1) [target=cpu, reason="..."] : Tensor[(1, 2), uint8] from "fc1" {
///         %3 = qnn.dequantize(%1, 0.03125f, 128u8, axis=1) : Tensor[(1, 4), float32]
///         %4 = constant [1, 0, -1, 1, 0, 1, 1, 0] : Tensor[(2, 4), int8]
///         ...
///         return %9
///       }
///       return %2
///     }
///
/// A line is a value: its name, what makes it, its type, and the ONNX node that it comes from. Scalar constants stand
/// where they are read. A constant of equal elements shows one of them: `constant 0 : Tensor[(64,), int32]`. A long one
/// may be in a file beside the text: `constant in "constants.bin" at 64 crc32 873187034 : Tensor[(9,), int8]`. Inside a
/// function, an argument keeps the name that it has outside. Several results show what the network calls them:
/// `return %7 "boxes", %9 "scores"`. `//` starts a comment. The type of a call may be left out;
/// where it is there, it is checked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "constant_file.h"
#include "graph.h"
#include "ops/operator.h"

namespace fovea {

/// Prints every element of every constant.
constexpr std::size_t kAllElements = std::numeric_limits<std::size_t>::max();

/// Prints a graph. Values are numbered in the order of their lines. A constant of more than `most_elements` different
/// elements goes into `long_constants`; without that it is printed as `constant ...`, for people only: such a text
/// can't be parsed again.
std::string print_graph(const Graph& graph, std::size_t most_elements = kAllElements,
                        ConstantFile* long_constants = nullptr);

/// Reads a graph. Values may have any names, %x or %7, each given once and before it is read.
/// \param file  Name of the text, for messages.   \param folder  Where files of constants are.
/// \throws UserError "<file>:<line>: ..." where the text is no graph, the operators don't fit, or a file of constants
///         is not the one that was written with the text.
Graph parse_graph(std::string_view text, const std::string& file, const std::filesystem::path& folder = ".",
                  const std::vector<OwnOperator>& operators = {});

}  // namespace fovea
