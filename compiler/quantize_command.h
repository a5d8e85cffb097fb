// SPDX-License-Identifier: Apache-2.0
/// \file
/// `foveac quantize`: from a float network to one on 8-bit integers.
#ifndef FOVEA_COMPILER_QUANTIZE_COMMAND_H_
#define FOVEA_COMPILER_QUANTIZE_COMMAND_H_

#include <iosfwd>

#include "command_line.h"

namespace fovea {

/// Writes the quantized network, whole or not at all; prints a row for each value that became integers, what stayed
/// float and why, and how near the outputs are to the float network's. \throws UserError where the network or the
/// calibration data can't be used.
void quantize(const CommandLine& line, std::ostream& out);

}  // namespace fovea

#endif  // FOVEA_COMPILER_QUANTIZE_COMMAND_H_
