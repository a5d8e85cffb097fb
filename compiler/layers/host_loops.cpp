// SPDX-License-Identifier: Apache-2.0
/// \file
/// Calls of loops, and what they are made of.
#include "host_loops.h"

#include "float_end.h"
#include "loops/c_nest.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"

namespace fovea {
namespace {

/// The nest, and a function that hands it its pointers.
std::string definition_text(const Layer& layer, const LoopNest& loops) {
  std::string arguments;
  for (std::size_t i = 0; i < loops.constants.size(); ++i) {
    arguments += "inputs[" + std::to_string(i) + "], ";
  }
  return c_intrinsics(loops.nest) + std::string(vectors_of(loops.nest)) + c_function(loops.nest, "nest_" + layer.name) +
         "static void run_" + layer.name + "(const void *const *inputs, void *y) { nest_" + layer.name + "(" +
         arguments + "y); }\n";
}

}  // namespace

LoopNest loops_of(const Layer& layer, const Definition& definition, const std::vector<HostConstant>& constants) {
  LoopNest loops;
  loops.constants.emplace_back();
  std::vector<std::string> names{"x"};
  for (const HostConstant& constant : constants) {
    loops.constants.push_back(constant.tensor);
    names.push_back(constant.name);
  }
  loops.nest = lower(std::string(layer.kind->name), definition, names, layer.output_type);
  verify_nest(loops.nest);
  return loops;
}

CallText loops_call(const Layer& layer, const LoopNest& loops, const Places& places) {
  std::string list;
  std::size_t next = 0;
  for (std::size_t i = 0; i < loops.constants.size(); ++i) {
    const NestBuffer& buffer = loops.nest.buffers[i];
    const std::string place = loops.constants[i] != nullptr
                                  ? ".x = WEIGHT(" + layer.name + "_" + buffer.name + "), .is_constant = true"
                                  : places.float_end("x", layer.inputs[next++]);
    list += "\n          {" + place + ", .bytes = " + std::to_string(size_bytes(buffer)) + "},";
  }
  CallText call{"dla_nest_cpu",
                "dla_nest_cpu",
                {name_field(layer) + ", .run = run_" + layer.name, places.float_end("y", layer.output),
                 type_fields(layer.output_type), shape_fields(layer.output_type),
                 ".inputs = (const struct dla_nest_input[]){" + list + "\n      }",
                 ".count = " + std::to_string(loops.constants.size())}};
  call.definition = definition_text(layer, loops);
  return call;
}

std::vector<HostConstant> loop_constants(const LoopNest& loops) {
  std::vector<HostConstant> constants;
  for (std::size_t i = 0; i < loops.constants.size(); ++i) {
    if (loops.constants[i] != nullptr) {
      constants.push_back({loops.nest.buffers[i].name, loops.constants[i]});
    }
  }
  return constants;
}

std::vector<HostConstant> host_constants_of(const Layer& layer, dla_rounding rounding) {
  const LayerKind& kind = *layer.kind;
  if (kind.host_loops != nullptr) {
    return loop_constants(kind.host_loops(layer, rounding));
  }
  return kind.host_constants == nullptr ? std::vector<HostConstant>() : kind.host_constants(layer, rounding);
}

Expression rounded(const Expression& x, dla_rounding rounding, int64_t least, int64_t most) {
  const Expression whole = rounding == kDlaFloor ? floor(float32(x)) : round(float32(x));
  return integer(clamped(whole, static_cast<double>(least), static_cast<double>(most)));
}

Expression dequantized(const Expression& x, const Quantization& by) {
  const Expression steps = real(x - integer_number(by.zero_point()));
  return float32(float32(steps) * static_cast<double>(by.scale()));
}

}  // namespace fovea
