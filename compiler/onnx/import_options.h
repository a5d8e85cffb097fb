// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a user says of how a network's file is read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "extern.h"
#include "ops/operator.h"
#include "tensor/tensor.h"

namespace fovea {

/// What the network's answers are exact to, where ONNX Runtime computes what is quantized in float32: kept_in_float.h.
enum class Exactness {
  kIntegers,     ///< The file's integers. ONNX Runtime's answer may be a step away beside a tie.
  kOnnxRuntime,  ///< ONNX Runtime: float32 on the CPU.
};

struct ImportOptions {
  std::map<std::string, Shape> shapes;  ///< Of inputs by their names: sizes of dimensions that the file leaves open.
  Exactness exact_to = Exactness::kIntegers;
  /// Called for each node that ONNX Runtime computes in float32, with its name and why. May be empty.
  std::function<void(const std::string& node, const std::string& why)> on_kept_in_float = nullptr;
  int64_t batch = 0;  ///< Pictures at once; 0: as the file says, 1 where it leaves that open.
  /// Takes a line that says which weights are missing, for what looks at shapes only: others stand in. Where it is
  /// empty, such a file is refused.
  std::function<void(const std::string&)> on_missing_data;
  std::vector<Extern> externs = {};         ///< Of operators that the compiler has not.
  std::vector<OwnOperator> operators = {};  ///< Likewise, defined by the user.
};

}  // namespace fovea
