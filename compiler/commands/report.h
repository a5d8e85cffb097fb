// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a person reads after a compilation.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "requests/compile.h"

namespace fovea {

/// Prints a row a layer: its name, its call, where it runs, and its mapping, or its ONNX node and why it is on the CPU.
/// Below, the regions, the accelerator's predicted cycles and the sizes of activations and weights.
void print_report(const CompileRequest& request, const Network& network, const EmitReport& report, std::ostream& out);

/// Where tensors may stay on chip, says of a batch which ones do; nothing of one picture.
void print_batch(const Network& network, std::ostream& out);

/// Prints <network>.json, which was written to that folder. \pre It was.
void print_report_json(const std::filesystem::path& folder, const Network& network, std::ostream& out);

/// Prints a row a region: its layers, MACs, bytes that cross into it, and why it is on the CPU; below, the
/// accelerator's share of the MACs.
void print_regions(const Network& network, std::ostream& out);

}  // namespace fovea
