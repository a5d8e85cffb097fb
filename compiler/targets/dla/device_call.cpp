// SPDX-License-Identifier: Apache-2.0
/// \file
/// One command as a call of the runtime, in the paper's letters.
#include "device_call.h"

#include <algorithm>
#include <sstream>

#include "ir/error.h"
#include "layers/accumulation.h"

namespace fovea {
namespace {

std::string conv_shape_field(const dla_shape& s) {
  std::ostringstream out;
  out << ".shape = {.C = " << s.C << ", .H = " << s.H << ", .W = " << s.W << ", .M = " << s.M << ", .R = " << s.R
      << ", .S = " << s.S << ", .U = " << s.U << ", .PAD = " << s.PAD << ", .pool = " << c_bool(s.pool) << "}";
  return out.str();
}

std::string mapping_field(const dla_mapping& m) {
  internal_check(m.order == kDlaLoopOrderRowsFiltersChannels, "a loop order without a name in C");
  std::ostringstream out;
  out << ".mapping = {.m = " << m.m << ", .n = " << m.n << ", .e = " << m.e << ", .p = " << m.p << ", .q = " << m.q
      << ", .r = " << m.r << ", .t = " << m.t << ", .e_glb = " << m.e_glb
      << ", .ifmap_resident = " << c_bool(m.ifmap_resident)
      << ",\n                  .filter_buffers = " << m.filter_buffers
      << ", .order = kDlaLoopOrderRowsFiltersChannels}";
  return out.str();
}

std::string glb_field(const dla_glb_plan& glb) {
  std::ostringstream out;
  out << std::hex << std::showbase << ".glb = {";
  const std::pair<const char*, const dla_region&> regions[] = {
      {".ifmap", glb.ifmap}, {", .filter", glb.filter}, {", .psum", glb.psum}, {", .out", glb.out}};
  for (const auto& [name, region] : regions) {
    out << name << " = {" << region.base_bytes << ", " << region.size_bytes << "}";
  }
  return out.str() + "}";
}

std::string place(const std::string& arena, std::uint64_t skip) {
  return skip == 0 ? arena : arena + " + " + std::to_string(skip);
}

}  // namespace

CallText device_call_text(const Layer& layer, const Accumulation& sum, const DeviceCall& call, const Places& places) {
  return {"dla_" + layer.composite,
          "dla_qconv2d",
          {".name = " + c_string(call.name),
           ".ifmap = " + place(places.arena(layer.inputs.at(0)), call.ifmap_skip) + ", .ofmap = " +
               place(places.arena(layer.output), call.ofmap_skip) + ", .filter = WEIGHT(" + call.filter + ")",
           conv_shape_field(call.shape), mapping_field(call.plan.mapping), glb_field(call.plan.glb),
           quant_field(sum, places.rounding),
           ".predicted_cycles = " + std::to_string(std::min<std::uint64_t>(call.plan.cost.cycles, UINT32_MAX))}};
}

}  // namespace fovea
