// SPDX-License-Identifier: Apache-2.0
/// \file
/// The signals of dla_top that a wave viewer opens on, by what is asked of them.
#include "wave_groups.h"

namespace fovea {

namespace {

std::vector<WaveGroup> pass_groups() {
  return {
      {"Clock, interrupt, pass", {{"TOP.clk_i"}, {"TOP.rst_ni"}, {"TOP.irq_o"}, {"TOP.dbg_pass_o", 32}}},
      {"Control",
       {{"TOP.dla_top.u_control.state_q", 4},
        {"TOP.dla_top.u_control.start_i"},
        {"TOP.dla_top.u_control.done_o"},
        {"TOP.dla_top.u_control.failed_o"},
        {"TOP.dla_top.u_control.cause_o", 8}}},
      {"Sequencer",
       {{"TOP.dla_top.u_sequencer.state_q", 5},
        {"TOP.dla_top.u_sequencer.row0_q", 13},
        {"TOP.dla_top.u_sequencer.m0_q", 16},
        {"TOP.dla_top.u_sequencer.c0_q", 16},
        {"TOP.dla_top.u_sequencer.fold_row0_q", 4},
        {"TOP.dla_top.u_sequencer.group0_q", 16},
        {"TOP.dla_top.u_sequencer.strip0_q", 13},
        {"TOP.dla_top.u_sequencer.load_valid_o"},
        {"TOP.dla_top.u_sequencer.filter_valid_o"},
        {"TOP.dla_top.u_sequencer.pass_valid_o"}}},
      {"Array",
       {{"TOP.dla_top.u_array_ctrl.state_q", 2},
        {"TOP.dla_top.u_array_ctrl.started_o"},
        {"TOP.dla_top.u_array_ctrl.slot_start_o"},
        {"TOP.dla_top.u_array_ctrl.f_q", 13},
        {"TOP.dla_top.u_array_ctrl.compute_o"},
        {"TOP.dla_top.u_array_ctrl.psum_wait_o"},
        {"TOP.dla_top.u_array_ctrl.filter_wait_o"},
        {"TOP.dla_top.u_array_ctrl.ifmap_wait_o"},
        {"TOP.dla_top.u_array_ctrl.dram_wait_o"},
        {"TOP.dla_top.u_array_ctrl.output_wait_o"}}},
      {"Events",
       {{"TOP.dbg_events_o.load_queued"},
        {"TOP.dbg_events_o.pass_queued"},
        {"TOP.dbg_events_o.ifmap_loaded"},
        {"TOP.dbg_events_o.filter_loaded"},
        {"TOP.dbg_events_o.set_start"},
        {"TOP.dbg_events_o.set_end"},
        {"TOP.dbg_events_o.window"},
        {"TOP.dbg_events_o.pass_start"},
        {"TOP.dbg_events_o.pass_end"},
        {"TOP.dbg_events_o.tile_start"},
        {"TOP.dbg_events_o.tile_end"},
        {"TOP.dbg_events_o.tile_free"}}},
  };
}

std::vector<WaveGroup> bus_groups(const dla_machine& machine) {
  const uint32_t bus_bits = 8 * machine.bus_bytes;
  return {
      {"Register writes",
       {{"TOP.s_axil_awvalid_i"},
        {"TOP.s_axil_awready_o"},
        {"TOP.s_axil_awaddr_i", 12},
        {"TOP.s_axil_wdata_i", 32},
        {"TOP.s_axil_bvalid_o"},
        {"TOP.s_axil_bresp_o", 2}}},
      {"Register reads",
       {{"TOP.s_axil_arvalid_i"},
        {"TOP.s_axil_arready_o"},
        {"TOP.s_axil_araddr_i", 12},
        {"TOP.s_axil_rvalid_o"},
        {"TOP.s_axil_rdata_o", 32}}},
      {"DRAM read address",
       {{"TOP.m_axi_arvalid_o"}, {"TOP.m_axi_arready_i"}, {"TOP.m_axi_araddr_o", 32}, {"TOP.m_axi_arlen_o", 8}}},
      {"DRAM read data",
       {{"TOP.m_axi_rvalid_i"}, {"TOP.m_axi_rready_o"}, {"TOP.m_axi_rdata_i", bus_bits}, {"TOP.m_axi_rlast_i"}}},
      {"DRAM write address",
       {{"TOP.m_axi_awvalid_o"}, {"TOP.m_axi_awready_i"}, {"TOP.m_axi_awaddr_o", 32}, {"TOP.m_axi_awlen_o", 8}}},
      {"DRAM write data",
       {{"TOP.m_axi_wvalid_o"},
        {"TOP.m_axi_wready_i"},
        {"TOP.m_axi_wdata_o", bus_bits},
        {"TOP.m_axi_wstrb_o", machine.bus_bytes},
        {"TOP.m_axi_wlast_o"},
        {"TOP.m_axi_bvalid_i"},
        {"TOP.m_axi_bresp_i", 2}}},
  };
}

/// Bits that count `words` places.
uint32_t address_bits(uint32_t words) {
  uint32_t bits = 0;
  while ((1u << bits) < words) {
    ++bits;
  }
  return bits;
}

std::vector<WaveGroup> pe_groups(const dla_machine& machine) {
  const auto pe = [](const char* signal) {
    return std::string("TOP.dla_top.u_array.gen_row[0].gen_col[0].u_pe.") + signal;
  };
  const uint32_t filter_bytes = machine.filter_bytes_per_cycle;
  const uint32_t filter_addr_bits = address_bits(2 * ((machine.filter_spad_bytes + filter_bytes - 1) / filter_bytes));
  const uint32_t ifmap_bytes = machine.ifmap_bytes_per_cycle;
  // By which PEs take ifmap words (dla_array.sv): a column, and a row of the pass.
  const uint32_t ifmap_id_bits = address_bits(machine.cols) + address_bits(7 * (machine.cols - 1) + 15);
  return {
      {"Filter spad", {{pe("read0_i")}, {pe("word0_i"), filter_addr_bits}, {pe("word_q"), 8 * filter_bytes}}},
      {"Operands", {{pe("mac1_i")}, {pe("weight1_i"), 10}, {pe("pixel1_i"), 7}, {pe("x_q"), 9}, {pe("w_q"), 8}}},
      {"Accumulator", {{pe("mac2_i")}, {pe("first_q")}, {pe("acc_q"), 32}}},
      {"Psum chain", {{pe("commit3_i")}, {pe("active3_i")}, {pe("psum_i"), 32}, {pe("psum_o"), 32}}},
      {"Ifmap in",
       {{pe("ifmap_valid_i")},
        {pe("ifmap_tag_i"), ifmap_id_bits},
        {pe("ifmap_id_i"), ifmap_id_bits},
        {pe("ifmap_strobe_i"), ifmap_bytes},
        {pe("ifmap_data_i"), 8 * ifmap_bytes}}},
      {"Filters in",
       {{pe("filter_valid_i")},
        {pe("filter_column_i")},
        {pe("filter_addr_i"), filter_addr_bits},
        {pe("filter_data_i"), 8 * filter_bytes}}},
  };
}

}  // namespace

std::vector<WaveView> wave_views(const dla_machine& machine) {
  return {{"passes", pass_groups()}, {"bus", bus_groups(machine)}, {"pe", pe_groups(machine)}};
}

}  // namespace fovea
