// SPDX-License-Identifier: Apache-2.0
/// \file
/// Assertion macros of the RTL: on in checked builds (verilator --assert), gone in all others.
///
/// A module that uses DLA_ASSERT or DLA_ASSERT_STREAM has a clock `clk_i` and an active-low reset `rst_ni`; one without
/// reset uses DLA_ASSERT_CLOCKED, one without clock DLA_ASSERT_ALWAYS. No `;` follows. A failure names the assertion
/// with its hierarchy and stops the simulation; each macro is shown to fail by sim/rtl/test. DLA_CHECK_PARAM is checked
/// at elaboration in every build.
`ifndef DLA_ASSERT_SVH
`define DLA_ASSERT_SVH

// The module cannot be built with these parameters.
`define DLA_CHECK_PARAM(Name, Condition) \
  if (!(Condition)) begin : gen_bad_param_``Name \
    $fatal(1, "parameter check %s does not hold: %s", `"Name`", `"Condition`"); \
  end

// `Property` holds at every rising clock edge out of reset.
`define DLA_ASSERT(Name, Property) \
  Name: assert property (@(posedge clk_i) disable iff (!rst_ni) (Property)) \
    else $error("%m does not hold");

// The same in a module without reset.
`define DLA_ASSERT_CLOCKED(Name, Property) \
  Name: assert property (@(posedge clk_i) (Property)) \
    else $error("%m does not hold");

// `Condition` holds whenever what it reads has settled: for modules of gates alone.
`define DLA_ASSERT_ALWAYS(Name, Condition) \
  always_comb begin \
    Name: assert (Condition) \
      else $error("%m does not hold"); \
  end

// A stream's promise: once `Valid`, it stays valid with the same `Data` until `Ready`.
`define DLA_ASSERT_STREAM(Name, Valid, Ready, Data) \
  `DLA_ASSERT(Name``StaysValid, ((Valid) && !(Ready)) |=> (Valid)) \
  `DLA_ASSERT(Name``HoldsData, ((Valid) && !(Ready)) |=> $stable(Data))

`endif
