// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of CPUs.
#include "cpu.h"

namespace fovea {

const std::vector<Cpu>& cpus() {
  static const std::vector<Cpu> table{
#define FOVEA_CPU(name, compiler, flags, runs) {#name, compiler, DLA_C_FLAGS " " flags},
#include "cpus.def"
#undef FOVEA_CPU
  };
  return table;
}

}  // namespace fovea
