// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac quantize`: from a float network to one on 8-bit integers.
#pragma once

#include <iosfwd>
#include <string_view>

#include "command_line.h"
#include "quantize/quantize.h"

namespace fovea {

/// "minmax", "percentile" or "mse"; kBest has none, as each scale is by one of these.
std::string_view to_text(Calibration method);

/// Writes the quantized network, whole or not at all. \return what became of its values. \throws UserError where the
/// network or the calibration data can't be used.
QuantizationReport quantize_to_file(const CommandLine& line);

/// The same; prints a row for each value that became integers, what stayed
/// float and why, and how near the outputs are to the float network's. \throws UserError where the network or the
/// calibration data can't be used.
void quantize(const CommandLine& line, std::ostream& out);

}  // namespace fovea
