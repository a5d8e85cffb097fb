// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a float network to one on 8-bit integers.
#pragma once

#include <filesystem>
#include <string_view>

#include "onnx/import_options.h"
#include "quantize/calibration_data.h"
#include "quantize/options.h"
#include "quantize/quantize.h"

namespace fovea {

struct QuantizeRequest {
  std::filesystem::path model;   ///< Of floats: ONNX, or the text of an IR.
  ImportOptions import;          ///< How it is read.
  std::filesystem::path output;  ///< The ONNX file to write.
  QuantizeOptions options;
  CalibrationSource calibration;
};

/// "minmax", "percentile" or "mse"; kBest has none, as each scale is by one of these.
std::string_view to_text(Calibration method);

/// Writes the quantized network, whole or not at all. \return what became of its values. \throws UserError where the
/// network or the calibration data can't be used, or where what would be written does not compile.
QuantizationReport quantize_file(const QuantizeRequest& request);

}  // namespace fovea
