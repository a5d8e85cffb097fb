// SPDX-License-Identifier: Apache-2.0
/// \file
/// Short, unique layer names from ONNX node names: "/module/conv1/0/Conv" -> "conv1".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace fovea {

/// Hands out names, none twice. Each is a C identifier in lower case.
class LayerNames {
 public:
  /// The shortest free name for a layer: the last part of the ONNX name's path that says something
  /// ("/module/conv1/0/Conv"
  /// -> "conv1"), or where that is taken more of the path ("/features/0/Conv" -> "features",
  /// "/features/3/Conv" -> "features_3"), or with a number behind ("conv1_2").
  /// \param fallback  Its name where the path says nothing: "qconv2d".
  std::string take(std::string_view onnx_name, std::string_view fallback);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  ///< The next one to try behind a name.
};

}  // namespace fovea
