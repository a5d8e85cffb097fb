// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a failed assertion does in a unit's bench.
#include "verilated.h"

// It has printed its name; the bench ends.
void vl_stop(const char* filename, int linenum, const char* hier) VL_MT_UNSAFE {
  vl_fatal(filename, linenum, hier, "Verilog $stop");
}
