// SPDX-License-Identifier: Apache-2.0
/// \file
/// An ONNX model while it is written: nodes, constants and the names of values.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "layers/onnx_call.h"

namespace fovea {

class OnnxWriter {
 public:
  /// \param reserved  Names of values that only input(), output() and write() with that result give.
  OnnxWriter(const std::string& network, const std::vector<std::string>& reserved);

  /// A name that no value has yet: `wanted`, or with a number behind.
  std::string take_value_name(const std::string& wanted);
  /// ... that no node has yet.
  std::string take_node_name(const std::string& wanted);

  void input(const std::string& name, const TensorType& type);
  void output(const std::string& name, const TensorType& type);

  /// An initializer; one for all equal ones, but for int8: ONNX Runtime makes a uint8 one of each by its name, and
  /// fails where two operators read it. \return its name.
  std::string constant(const std::string& wanted, const Tensor& tensor);

  /// Adds nodes one behind another. \param node  Name of number `named`, taken; others are called after it.
  /// \param inputs  Names of the values that operands are places of. \param result  Name of the last one's.
  void write(const std::vector<OnnxCall>& calls, const std::string& node, const std::vector<std::string>& inputs,
             const std::string& result, std::size_t named = 0);

  /// The model as the bytes of its file. Nothing may follow.
  std::string finish();

 private:
  onnx::ModelProto model_;
  std::set<std::string> values_, nodes_;
  std::map<std::string, std::string> constants_;  ///< Names by content.
};

}  // namespace fovea
