// SPDX-License-Identifier: Apache-2.0
/// \file
/// The forms that a graph has in a file, by the ending of the file's name.
#pragma once

#include <filesystem>
#include <optional>

namespace fovea {

enum class IrForm {
  kText,  ///< text.h: .txt, .fovea.
  kJson,  ///< graph_json.h: .json.
};

/// Nothing of a file with another ending, as of an ONNX file.
inline std::optional<IrForm> ir_form_of(const std::filesystem::path& file) {
  const std::filesystem::path ending = file.extension();
  return ending == ".txt" || ending == ".fovea" ? std::optional(IrForm::kText)
         : ending == ".json"                    ? std::optional(IrForm::kJson)
                                                : std::nullopt;
}

}  // namespace fovea
