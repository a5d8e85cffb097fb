// SPDX-License-Identifier: Apache-2.0
/// The accelerator: registers on an AXI4-Lite slave, DMA on an AXI4 master, one level interrupt.
///
/// docs/machine.md draws these units and what flows between them. Geometry comes from sim/spec/machines/*.json.
`include "dla_assert.svh"
module dla_top
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Rows            = 6,
  parameter int unsigned Cols            = 8,
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned MaxPeFilters   = 16,
  parameter int unsigned GlbBytes        = 65536,
  parameter int unsigned GlbBankBytes    = 2048,
  parameter int unsigned BusBytes        = 4,
  parameter int unsigned PsumLanes       = 1,
  parameter int unsigned IfmapBytesPerCycle  = 4,
  parameter int unsigned FilterBytesPerCycle = 4,
  parameter int unsigned MaxPassFilters  = 128,
  /// Dependent, do not override.
  localparam int unsigned Lanes       = PsumLanes,
  localparam int unsigned IfmapBytes  = IfmapBytesPerCycle,
  localparam int unsigned FilterBytes = FilterBytesPerCycle,
  localparam int unsigned Width       = 8 * BusBytes
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Registers: AXI4-Lite slave.
  input  logic                s_axil_awvalid_i,
  output logic                s_axil_awready_o,
  input  logic [11:0]         s_axil_awaddr_i,
  input  logic                s_axil_wvalid_i,
  output logic                s_axil_wready_o,
  input  logic [31:0]         s_axil_wdata_i,
  input  logic [3:0]          s_axil_wstrb_i,
  output logic                s_axil_bvalid_o,
  input  logic                s_axil_bready_i,
  output logic [1:0]          s_axil_bresp_o,
  input  logic                s_axil_arvalid_i,
  output logic                s_axil_arready_o,
  input  logic [11:0]         s_axil_araddr_i,
  output logic                s_axil_rvalid_o,
  input  logic                s_axil_rready_i,
  output logic [31:0]         s_axil_rdata_o,
  output logic [1:0]          s_axil_rresp_o,
  // DMA: AXI4 master, in order, of one ID.
  output logic                m_axi_arvalid_o,
  input  logic                m_axi_arready_i,
  output logic [31:0]         m_axi_araddr_o,
  output logic [7:0]          m_axi_arlen_o,
  output logic [2:0]          m_axi_arsize_o,
  output logic [1:0]          m_axi_arburst_o,
  output logic                m_axi_arid_o,
  output logic [2:0]          m_axi_arprot_o,
  output logic [3:0]          m_axi_arcache_o,
  input  logic                m_axi_rvalid_i,
  output logic                m_axi_rready_o,
  input  logic [Width-1:0]    m_axi_rdata_i,
  input  logic [1:0]          m_axi_rresp_i,
  input  logic                m_axi_rlast_i,
  input  logic                m_axi_rid_i,
  output logic                m_axi_awvalid_o,
  input  logic                m_axi_awready_i,
  output logic [31:0]         m_axi_awaddr_o,
  output logic [7:0]          m_axi_awlen_o,
  output logic [2:0]          m_axi_awsize_o,
  output logic [1:0]          m_axi_awburst_o,
  output logic                m_axi_awid_o,
  output logic [2:0]          m_axi_awprot_o,
  output logic [3:0]          m_axi_awcache_o,
  output logic                m_axi_wvalid_o,
  input  logic                m_axi_wready_i,
  output logic [Width-1:0]    m_axi_wdata_o,
  output logic [BusBytes-1:0] m_axi_wstrb_o,
  output logic                m_axi_wlast_o,
  input  logic                m_axi_bvalid_i,
  output logic                m_axi_bready_o,
  input  logic [1:0]          m_axi_bresp_i,
  input  logic                m_axi_bid_i,
  output logic                irq_o,
  /// Passes that the array has started, for waves and progress.
  output logic [31:0]         dbg_pass_o,
  /// Events of this cycle, for traces, and with layer_end its error cause, 0 if none; nothing where nobody looks.
  input  logic                dbg_enable_i,
  output events_t             dbg_events_o,
  output logic [7:0]          dbg_cause_o
);
  // Columns of the GLB's regions: a byte of a channel each, words of the filter network, of psums, and output lanes.
  localparam int unsigned     FilterColumns = FilterBytes < BusBytes ? 1 : FilterBytes / BusBytes;
  localparam int unsigned     PsumColumns   = 4 * Lanes < BusBytes ? 1 : 4 * Lanes / BusBytes;
  localparam region_columns_t RegionColumns = {6'd1, 6'(Lanes), 6'(PsumColumns), 6'(FilterColumns), 6'(IfmapBytes)};
  localparam int unsigned     IfmapColumn   = first_column(RegionColumns, RegionIfmap);
  localparam int unsigned     FilterColumn  = first_column(RegionColumns, RegionFilter);
  localparam int unsigned     PsumColumn    = first_column(RegionColumns, RegionPsum);
  localparam int unsigned     OutColumn     = first_column(RegionColumns, RegionOut);
  localparam int unsigned     ResidualColumn = first_column(RegionColumns, RegionResidual);
  localparam int unsigned     ChipColumn    = first_column(RegionColumns, NumRegions);  // of banks of no region
  localparam int unsigned     Columns       = ChipColumn + 1;
  localparam int unsigned     BankWords     = GlbBankBytes / BusBytes;
  localparam int unsigned     CountWidth    = $clog2(Columns + 1);
  localparam int unsigned     TableWidth    = $clog2(256 / BusBytes);   // Words of a table.

  // Control and registers.
  // The command in the registers, and what setup makes of it; the layer that runs took them over. Sequencer and load
  // look at the former: it changes no more until the loads of the layer have been made, and then they
  // may go on with the next.
  layer_t     written, command, layer;
  derived_t   next_derived, derived;
  counters_t  counters;
  dla_error_e setup_error, cause;
  logic start, reset, busy, done, failed, ended, setup_start, setup_done, configure, place, placed;
  logic clear, units_start, running, stop, load_idle, store_idle, layer_done, read_error, write_error;
  logic draining, watched, progress, expired;
  // Lists.
  logic        list_start, list_idle, begins, counts, fetch, fetch_first, fetched, advance, has_next, has_record;
  logic        record, record_error, entry_valid, sequencer_idle, loads_done, last_output;
  logic        filter_fits, prefetch, prefetches, feeds_next, feed_idle, turn, early, keep, array_free;
  logic [15:0] list_limit, list_layer;
  logic [31:0] list_addr, waited, fetch_error_addr, record_addr;
  dla_error_e  fetch_cause;
  logic [6:0]  entry_word;
  logic [Width-1:0] entry_words;
  logic [31:0] watchdog, error_addr, read_error_addr, write_error_addr;

  dla_regs #(
    .GeometryArray({16'(MaxPassFilters), 8'(Cols), 8'(Rows)}),
    .GeometrySpads({8'(MaxPeFilters), 16'(FilterSpadBytes), 8'(IfmapSpadBytes)}),
    .GeometryGlb  ({8'(BusBytes), 8'($clog2(GlbBankBytes)), 16'(GlbBytes / GlbBankBytes)}),
    .GeometryNetworks({8'd0, 8'(FilterBytes), 8'(IfmapBytes), 8'(PsumLanes)}),
    .BusBytes(BusBytes)
  ) u_regs (
    .clk_i, .rst_ni,
    .awvalid_i(s_axil_awvalid_i), .awready_o(s_axil_awready_o), .awaddr_i(s_axil_awaddr_i),
    .wvalid_i(s_axil_wvalid_i), .wready_o(s_axil_wready_o), .wdata_i(s_axil_wdata_i), .wstrb_i(s_axil_wstrb_i),
    .bvalid_o(s_axil_bvalid_o), .bready_i(s_axil_bready_i), .bresp_o(s_axil_bresp_o),
    .arvalid_i(s_axil_arvalid_i), .arready_o(s_axil_arready_o), .araddr_i(s_axil_araddr_i),
    .rvalid_o(s_axil_rvalid_o), .rready_i(s_axil_rready_i), .rdata_o(s_axil_rdata_o), .rresp_o(s_axil_rresp_o),
    .list_start_o(list_start), .list_addr_o(list_addr), .list_limit_o(list_limit), .list_layer_i(list_layer),
    .entry_valid_i(entry_valid), .entry_word_i(entry_word), .entry_words_i(entry_words),
    .start_o(start), .reset_o(reset), .layer_o(written), .watchdog_o(watchdog), .busy_i(busy),
    .draining_i(draining), .done_i(done), .failed_i(failed), .cause_i(cause), .error_addr_i(error_addr),
    .counters_i(counters), .irq_o
  );

  dla_control u_control (
    .clk_i, .rst_ni, .start_i(start), .reset_i(reset), .busy_o(busy), .draining_o(draining),
    .done_o(done), .failed_o(failed), .cause_o(cause), .error_addr_o(error_addr), .ended_o(ended),
    .setup_start_o(setup_start),
    .list_start_i(list_start), .begins_o(begins), .waited_o(waited), .counts_o(counts), .loads_done_i(loads_done),
    .list_limit_i(list_limit), .list_layer_o(list_layer),
    .fetch_o(fetch), .fetch_first_o(fetch_first), .fetched_i(fetched), .fetch_cause_i(fetch_cause),
    .fetch_error_addr_i(fetch_error_addr), .advance_o(advance), .has_next_i(has_next),
    .has_record_i(has_record), .record_o(record), .recording_i(recording), .record_error_i(record_error),
    .record_addr_i(record_addr),
    .setup_done_i(setup_done), .setup_error_i(setup_error), .place_o(place), .placed_i(placed), .configure_o(configure),
    .may_prefetch_i(filter_fits && !command.quant.lookup), .prefetch_o(prefetch),
    .prefetches_o(prefetches), .turn_o(turn), .early_o(early), .keep_o(keep),
    .last_output_i(last_output), .array_free_o(array_free),
    .clear_o(clear), .units_start_o(units_start), .running_o(running), .stop_o(stop),
    .bursts_idle_i(load_idle && store_idle && list_idle),
    .read_error_i(read_error), .read_error_addr_i(read_error_addr),
    .write_error_i(write_error), .write_error_addr_i(write_error_addr),
    .layer_done_i(layer_done), .watched_o(watched), .expired_i(expired)
  );

  // Setup refuses what the array has no room for: nobody else sees the bits that would say it.
  always_comb begin
    command          = written;
    command.map_pe.e = written.map_pe.e & 6'(bits_up_to(Cols));
    command.map_pe.r = written.map_pe.r & 6'(bits_up_to(Rows));
  end

  dla_watchdog u_watchdog (
    .clk_i, .rst_ni, .limit_i(watchdog), .active_i(watched), .progress_i(progress), .expired_o(expired)
  );

  dla_setup #(
    .Rows(Rows), .Cols(Cols), .IfmapSpadBytes(IfmapSpadBytes), .FilterSpadBytes(FilterSpadBytes),
    .MaxPeFilters(MaxPeFilters), .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes),
    .Lanes(Lanes), .FilterBytes(FilterBytes), .MaxPassFilters(MaxPassFilters), .RegionColumns(RegionColumns)
  ) u_setup (
    .clk_i, .rst_ni, .clear_i(clear), .start_i(setup_start), .layer_i(written), .done_o(setup_done),
    .error_o(setup_error), .derived_o(next_derived)
  );
  always_ff @(posedge clk_i) begin
    if (configure) begin
      layer   <= command;
      derived <= next_derived;
    end
  end

  // Entries and records of a list. The bus is a list's own while it fetches or records: no load or store has a burst
  // then, and the next layer's first store waits.
  typedef struct packed {
    logic        valid;
    logic [31:0] addr;
    logic [7:0]  len;
  } request_t;
  typedef struct packed {
    logic                valid;
    logic [Width-1:0]    data;
    logic [BusBytes-1:0] strobe;
    logic                last;
  } write_t;
  request_t list_ar, load_ar, list_aw, store_aw;
  write_t   list_w, store_w;
  logic     fetching, recording;
  assign loads_done    = sequencer_idle && !load_valid && load_idle;
  assign list_w.strobe = '1;
  assign {m_axi_arvalid_o, m_axi_araddr_o, m_axi_arlen_o} = fetching ? list_ar : load_ar;
  // An ofmap on chip is not written to the bus; what is takes its place waits for a record as the bus does.
  logic     ofmap_on_chip, store_awready, store_wready, store_bvalid, chip_answer;
  assign ofmap_on_chip = layer.groups.ofmap_on_chip;
  assign store_awready = (m_axi_awready_i || ofmap_on_chip) && !recording;
  assign store_wready  = (m_axi_wready_i || ofmap_on_chip) && !recording;
  assign store_bvalid  = (ofmap_on_chip ? chip_answer : m_axi_bvalid_i) && !recording;
  always_comb begin
    {m_axi_awvalid_o, m_axi_awaddr_o, m_axi_awlen_o} = recording ? list_aw : store_aw;
    {m_axi_wvalid_o, m_axi_wdata_o, m_axi_wstrb_o, m_axi_wlast_o} = recording ? list_w : store_w;
    if (ofmap_on_chip && !recording) {m_axi_awvalid_o, m_axi_wvalid_o} = '0;
  end
  dla_list #(.BusBytes(BusBytes)) u_list (
    .clk_i, .rst_ni, .clear_i(clear), .idle_o(list_idle),
    .fetch_i(fetch), .first_i(fetch_first), .list_addr_i(list_addr),
    .fetched_o(fetched), .cause_o(fetch_cause), .error_addr_o(fetch_error_addr), .advance_i(advance),
    .has_next_o(has_next), .has_record_o(has_record), .words_valid_o(entry_valid), .word_o(entry_word),
    .words_o(entry_words), .record_i(record), .number_i(list_layer), .counters_i(counters),
    .record_error_o(record_error), .record_addr_o(record_addr), .fetching_o(fetching),
    .arvalid_o(list_ar.valid), .arready_i(m_axi_arready_i), .araddr_o(list_ar.addr), .arlen_o(list_ar.len),
    .rvalid_i(m_axi_rvalid_i), .rdata_i(m_axi_rdata_i), .rerror_i(m_axi_rresp_i[1]), .rlast_i(m_axi_rlast_i),
    .recording_o(recording), .awvalid_o(list_aw.valid), .awready_i(m_axi_awready_i), .awaddr_o(list_aw.addr),
    .awlen_o(list_aw.len), .wvalid_o(list_w.valid), .wready_i(m_axi_wready_i), .wdata_o(list_w.data),
    .wlast_o(list_w.last), .bvalid_i(m_axi_bvalid_i), .berror_i(m_axi_bresp_i[1])
  );

  // Passes, and what they need.
  logic        load_in_valid, load_in_ready, load_valid, load_ready;
  logic        set_in_valid, set_in_ready, set_valid, set_ready;
  logic        pass_in_valid, pass_in_ready, pass_queued, pass_valid, pass_ready;
  load_job_t   load_in, load_job;
  filter_set_t set_in, filter_set;
  pass_t       pass_in, pass;

  dla_sequencer #(
    .Rows(Rows), .Cols(Cols), .BusBytes(BusBytes), .Lanes(Lanes), .IfmapBytes(IfmapBytes), .FilterBytes(FilterBytes)
  ) u_sequencer (
    .clk_i, .rst_ni, .start_i(units_start), .ahead_i(prefetch), .turn_i(turn),
    .clear_i((clear && !keep) || draining), .idle_o(sequencer_idle), .layer_i(command), .derived_i(next_derived),
    .load_valid_o(load_in_valid), .load_ready_i(load_in_ready), .load_o(load_in),
    .filter_valid_o(set_in_valid), .filter_ready_i(set_in_ready), .filter_o(set_in),
    .pass_valid_o(pass_in_valid), .pass_ready_i(pass_in_ready), .pass_o(pass_in)
  );
  dla_fifo #(.data_t(load_job_t), .Depth(4)) u_loads (
    .clk_i, .rst_ni, .clear_i(clear && !keep),
    .in_valid_i(load_in_valid), .in_ready_o(load_in_ready), .in_data_i(load_in),
    .out_valid_o(load_valid), .out_ready_i(load_ready), .out_data_o(load_job)
  );
  dla_fifo #(.data_t(filter_set_t), .Depth(4)) u_sets (
    .clk_i, .rst_ni, .clear_i(clear && !keep),
    .in_valid_i(set_in_valid), .in_ready_o(set_in_ready), .in_data_i(set_in),
    .out_valid_o(set_valid), .out_ready_i(set_ready), .out_data_o(filter_set)
  );
  dla_fifo #(.data_t(pass_t), .Depth(4)) u_passes (
    .clk_i, .rst_ni, .clear_i(clear && !keep),
    .in_valid_i(pass_in_valid), .in_ready_o(pass_in_ready), .in_data_i(pass_in),
    .out_valid_o(pass_queued), .out_ready_i(pass_ready), .out_data_o(pass)
  );
  // Passes of the next layer wait for its start.
  assign pass_valid = pass_queued && pass.turn == turn;

  // DRAM to GLB.
  logic             ifmap_release, filter_release, ifmap_loaded, filter_loaded;
  logic             ifmap_beat, filter_beat, residual_beat, read_burst;
  logic             residual_release, residual_loaded, residual_write, residual_read, table_write;
  logic [IfmapBytes-1:0]    ifmap_write;
  logic [FilterColumns-1:0] filter_write;
  logic [15:0]      load_addr;
  logic [Width-1:0] load_data;
  dla_load #(.BusBytes(BusBytes), .IfmapColumns(IfmapBytes), .FilterColumns(FilterColumns)) u_load (
    .clk_i, .rst_ni, .clear_i(clear), .keep_i(keep), .ahead_i(prefetch), .stop_i(stop), .idle_o(load_idle),
    .layer_i(command), .derived_i(next_derived),
    .job_valid_i(load_valid), .job_ready_o(load_ready), .job_i(load_job),
    .ifmap_release_i(ifmap_release), .filter_release_i(filter_release && feeds_next == prefetches),
    .ifmap_loaded_o(ifmap_loaded), .filter_loaded_o(filter_loaded), .residual_release_i(residual_release),
    .residual_loaded_o(residual_loaded),
    .arvalid_o(load_ar.valid), .arready_i(m_axi_arready_i && !fetching), .araddr_o(load_ar.addr), .arlen_o(load_ar.len),
    .rvalid_i(m_axi_rvalid_i && !fetching), .rready_o(m_axi_rready_o), .rdata_i(m_axi_rdata_i),
    .rerror_i(m_axi_rresp_i[1]), .rlast_i(m_axi_rlast_i), .error_o(read_error), .error_addr_o(read_error_addr),
    .glb_ifmap_write_o(ifmap_write), .glb_filter_write_o(filter_write), .glb_residual_write_o(residual_write),
    .table_write_o(table_write),
    .glb_addr_o(load_addr), .glb_data_o(load_data),
    .ifmap_beat_o(ifmap_beat), .filter_beat_o(filter_beat), .residual_beat_o(residual_beat), .burst_o(read_burst)
  );

  // GLB: who reads and writes the columns.
  logic [Columns-1:0]    glb_read, glb_write;
  logic [15:0]           glb_raddr [Columns], glb_waddr [Columns];
  logic [Width-1:0]      glb_rdata [Columns], glb_wdata [Columns];
  logic [BusBytes-1:0]   glb_wstrobe [Columns];
  logic [CountWidth-1:0] glb_reads, glb_writes;
  logic [IfmapBytes-1:0] ifmap_read;
  logic [15:0]           residual_addr;
  logic                  chip_read, chip_write;
  chip_word_t            chip_raddr;
  logic [IfmapBytes-1:0] chip_ifmap_write;   // of an ofmap in the banks of the ifmap's region
  logic [15:0]           chip_ifmap_waddr, chip_waddr;
  logic [Width-1:0]      chip_wdata;
  logic [BusBytes-1:0]   chip_strobe, chip_rstrobe;
  logic [15:0]           ifmap_addr [IfmapBytes], filter_addr, psum_raddr, psum_waddr, out_raddr, out_waddr;
  logic [Width-1:0]      ifmap_data [IfmapBytes], filter_rdata [FilterColumns], out_rdata [Lanes];
  logic [32*Lanes-1:0]   psum_rdata, psum_wdata;
  logic [PsumColumns*Width-1:0] psum_rword, psum_wword;
  assign psum_rdata = (32 * Lanes)'(psum_rword);
  assign psum_wword = (PsumColumns * Width)'(psum_wdata);
  logic                  filter_read, psum_read, psum_write, ifmap_on_chip;
  assign ifmap_on_chip = layer.groups.ifmap_on_chip;
  logic [Lanes-1:0]      out_read, out_write;
  logic [BusBytes-1:0]   out_strobe;
  logic [7:0]            out_wdata [Lanes];
  always_comb begin
    glb_wstrobe = '{default: '1};
    for (int unsigned k = 0; k < IfmapBytes; k++) begin
      glb_read[IfmapColumn+k]  = ifmap_read[k];
      glb_raddr[IfmapColumn+k] = ifmap_addr[k];
      ifmap_data[k]            = glb_rdata[IfmapColumn+k];
      glb_write[IfmapColumn+k] = ifmap_on_chip ? chip_ifmap_write[k] : ifmap_write[k];
      glb_waddr[IfmapColumn+k] = ifmap_on_chip ? chip_ifmap_waddr : load_addr;
      glb_wdata[IfmapColumn+k] = ifmap_on_chip ? chip_wdata : load_data;
      if (ifmap_on_chip) glb_wstrobe[IfmapColumn+k] = chip_strobe;
    end
    for (int unsigned c = 0; c < FilterColumns; c++) begin
      glb_read[FilterColumn+c]  = filter_read;
      glb_raddr[FilterColumn+c] = filter_addr;
      filter_rdata[c]           = glb_rdata[FilterColumn+c];
      glb_write[FilterColumn+c] = filter_write[c];
      glb_waddr[FilterColumn+c] = load_addr;
      glb_wdata[FilterColumn+c] = load_data;
    end
    for (int unsigned c = 0; c < PsumColumns; c++) begin
      glb_read[PsumColumn+c]         = psum_read;
      glb_raddr[PsumColumn+c]        = psum_raddr;
      psum_rword[Width*c+:Width]     = glb_rdata[PsumColumn+c];
      glb_write[PsumColumn+c]        = psum_write;
      glb_waddr[PsumColumn+c]        = psum_waddr;
      glb_wdata[PsumColumn+c]        = psum_wword[Width*c+:Width];
    end
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      glb_read[OutColumn+lane]  = out_read[lane];
      glb_raddr[OutColumn+lane] = out_raddr;
      out_rdata[lane]           = glb_rdata[OutColumn+lane];
      glb_write[OutColumn+lane] = out_write[lane];
      glb_wstrobe[OutColumn+lane] = out_strobe;
      glb_waddr[OutColumn+lane] = out_waddr;
      glb_wdata[OutColumn+lane] = {BusBytes{out_wdata[lane]}};
    end
    glb_read[ResidualColumn]  = residual_read;
    glb_raddr[ResidualColumn] = residual_addr;
    glb_write[ResidualColumn] = residual_write;
    glb_waddr[ResidualColumn] = load_addr;
    glb_wdata[ResidualColumn] = load_data;
    glb_read[ChipColumn]    = chip_read;
    glb_raddr[ChipColumn]   = word_in_glb(chip_raddr, BankWords, IfmapBytes);
    glb_write[ChipColumn]   = chip_write;
    glb_wstrobe[ChipColumn] = chip_strobe;
    glb_waddr[ChipColumn]   = chip_waddr;
    glb_wdata[ChipColumn]   = chip_wdata;
  end
  // As the layer that is about to start divides it.
  regions_t regions;
  assign regions[RegionIfmap]    = command.glb_ifmap;
  assign regions[RegionFilter]   = command.glb_filter;
  assign regions[RegionPsum]     = command.glb_psum;
  assign regions[RegionOut]      = command.glb_out;
  assign regions[RegionResidual] = command.glb_residual;
  dla_glb #(
    .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .RegionColumns(RegionColumns)
  ) u_glb (
    .clk_i, .rst_ni, .configure_i(configure), .regions_i(regions),
    .kept_i({next_derived.residual_banks, next_derived.ofmap_banks}),
    .configure_filter_i(prefetch), .sets_done_i(!set_valid && feed_idle), .array_free_i(array_free),
    .filter_fits_o(filter_fits), .reads_next_i(feeds_next), .ifmap_halvings_i(next_derived.ifmap_halvings),
    .read_i(glb_read), .raddr_i(glb_raddr), .chip_rstrobe_i(chip_rstrobe), .rdata_o(glb_rdata),
    .write_i(glb_write), .wstrobe_i(glb_wstrobe), .waddr_i(glb_waddr), .wdata_i(glb_wdata),
    .reads_o(glb_reads), .writes_o(glb_writes)
  );

  // Filters to PEs. The last sets of a layer may be followed by the first of the next.
  logic             set_started, set_fed, set_late, flit_valid, flit_bank, bias_valid, scale_valid, param_bank;
  logic [5:0]       flit_first_row, flit_row;
  logic [Cols-1:0]  flit_cols;
  logic [9:0]       flit_addr;
  logic [10:0]      param_word;
  logic [8*FilterBytes-1:0] flit_data, param_data;
  dla_filter_feed #(.Rows(Rows), .Cols(Cols), .BusBytes(BusBytes), .FilterBytes(FilterBytes)) u_filter_feed (
    .clk_i, .rst_ni, .clear_i(clear), .keep_i(keep), .idle_o(feed_idle), .turn_i(turn), .next_o(feeds_next),
    .filters_high_i(feeds_next ? next_derived.filters_high : derived.filters_high),
    .segment_rows_i(6'(feeds_next ? next_derived.segment_rows : derived.segment_rows)),
    .fold_rows_i(feeds_next ? next_derived.fold_rows : derived.fold_rows),
    .set_cols_i(feeds_next ? command.map_pe.e : layer.map_pe.e),
    .set_valid_i(set_valid), .set_ready_o(set_ready), .set_i(filter_set),
    .chunk_loaded_i(filter_loaded), .chunk_released_o(filter_release), .set_started_i(set_started),
    .set_fed_o(set_fed), .late_o(set_late),
    .glb_read_o(filter_read), .glb_addr_o(filter_addr), .glb_data_i(filter_rdata),
    .flit_valid_o(flit_valid), .flit_bank_o(flit_bank), .flit_first_row_o(flit_first_row), .flit_row_o(flit_row),
    .flit_cols_o(flit_cols), .flit_addr_o(flit_addr), .flit_data_o(flit_data),
    .bias_valid_o(bias_valid), .scale_valid_o(scale_valid), .param_bank_o(param_bank), .param_word_o(param_word),
    .param_data_o(param_data)
  );

  // Passes through the array.
  logic               started, started_bank, pass_ended, window_start, slot_start, tile_release, feed_start;
  psums_t             started_pass;
  window_t            feed_pass;
  logic               tile_taken;
  tile_t              taken_tile;
  tiles_t             tiles;
  logic signed [14:0] feed_x;
  logic [3:0]         feed_cols;
  logic [6:0]         feed_ring;
  weight_flit_t       weight_flit;
  ctrl_flit_t         ctrl_flit;
  ifmap_flit_t        ifmap_flit;
  logic [8*IfmapBytes-1:0] ifmap_flit_data;
  logic compute_cycle, psum_cycle, filter_cycle, ifmap_cycle, dram_cycle, output_cycle;
  dla_array_ctrl #(.Rows(Rows), .Cols(Cols)) u_array_ctrl (
    .clk_i, .rst_ni, .clear_i(clear), .keep_i(keep), .running_i(running), .layer_i(layer), .derived_i(derived),
    .pass_valid_i(pass_valid), .pass_ready_o(pass_ready), .pass_i(pass),
    .started_o(started), .psums_o(started_pass), .pass_bank_o(started_bank), .tile_taken_o(tile_taken),
    .tile_o(taken_tile), .ended_o(pass_ended),
    .ifmap_loaded_i(ifmap_loaded), .ifmap_release_o(ifmap_release), .set_fed_i(set_fed), .set_late_i(set_late),
    .set_started_o(set_started), .out_release_i(tile_release),
    .window_start_o(window_start), .feed_start_o(feed_start), .feed_pass_o(feed_pass), .feed_x_o(feed_x),
    .feed_cols_o(feed_cols), .feed_ring_o(feed_ring),
    .weight_o(weight_flit), .ctrl_o(ctrl_flit), .slot_start_o(slot_start),
    .compute_o(compute_cycle), .psum_wait_o(psum_cycle), .filter_wait_o(filter_cycle), .ifmap_wait_o(ifmap_cycle),
    .dram_wait_o(dram_cycle), .output_wait_o(output_cycle)
  );
  dla_tiles u_tiles (
    .clk_i, .rst_ni, .clear_i(clear), .take_i(tile_taken), .tile_i(taken_tile), .tiles_o(tiles)
  );
  dla_ifmap_feed #(.Rows(Rows), .Cols(Cols), .BusBytes(BusBytes), .IfmapBytes(IfmapBytes)) u_ifmap_feed (
    .clk_i, .rst_ni, .clear_i(clear), .layer_i(layer), .derived_i(derived),
    .start_i(feed_start), .pass_i(feed_pass), .x_i(feed_x), .cols_i(feed_cols), .ring_addr_i(feed_ring),
    .glb_read_o(ifmap_read), .glb_addr_o(ifmap_addr), .glb_data_i(ifmap_data),
    .flit_o(ifmap_flit), .data_o(ifmap_flit_data)
  );

  // Psums in and out, and the array between them.
  logic [Lanes-1:0]   psum_in_valid, out_valid;
  logic [5:0]         psum_in_row [Lanes], psum_in_col [Lanes], psum_out_row [Lanes], psum_out_col [Lanes];
  logic signed [31:0] psum_in_data [Lanes], psum_out_data [Lanes], out_data [Lanes];
  logic [8:0]         out_filter [Lanes];
  logic [Lanes-1:0]   out_ends, out_padding;
  logic               commit, out_first, out_new_set;
  dla_psum_in #(
    .Rows(Rows), .Cols(Cols), .Lanes(Lanes), .FilterBytes(FilterBytes), .MaxPassFilters(MaxPassFilters)
  ) u_psum_in (
    .clk_i, .rst_ni, .clear_i(clear), .layer_i(layer), .derived_i(derived),
    .started_i(started), .pass_i(started_pass), .pass_bank_i(started_bank), .slot_start_i(slot_start),
    .bias_valid_i(bias_valid), .bias_bank_i(param_bank), .bias_word_i(param_word), .bias_data_i(param_data),
    .glb_read_o(psum_read), .glb_addr_o(psum_raddr), .glb_data_i(psum_rdata),
    .valid_o(psum_in_valid), .row_o(psum_in_row), .col_o(psum_in_col), .data_o(psum_in_data)
  );
  dla_array #(
    .Rows(Rows), .Cols(Cols), .IfmapSpadBytes(IfmapSpadBytes), .FilterSpadBytes(FilterSpadBytes),
    .Lanes(Lanes), .IfmapBytes(IfmapBytes), .FilterBytes(FilterBytes)
  ) u_array (
    .clk_i, .rst_ni, .clear_i(clear && !keep), .place_i(place), .placed_o(placed),
    .fold_rows_i(next_derived.fold_rows), .sets_r_i(command.map_pe.r), .set_channels_i(command.map_pe.q),
    .whole_groups_i(command.map_loop.g != '0), .filters_high_i(next_derived.filters_high),
    .set_cols_i(command.map_pe.e), .stride_i(command.kernel.u), .zero_point_i(layer.quant.ifmap_zero_point),
    .weight_i(weight_flit), .ctrl_i(ctrl_flit), .ifmap_i(ifmap_flit), .ifmap_data_i(ifmap_flit_data),
    .filter_valid_i(flit_valid), .filter_bank_i(flit_bank), .filter_first_row_i(flit_first_row),
    .filter_row_i(flit_row), .filter_cols_i(flit_cols), .filter_addr_i(flit_addr), .filter_data_i(flit_data),
    .psum_in_valid_i(psum_in_valid), .psum_in_row_i(psum_in_row), .psum_in_col_i(psum_in_col),
    .psum_in_data_i(psum_in_data),
    .psum_out_row_i(psum_out_row), .psum_out_col_i(psum_out_col), .psum_out_data_o(psum_out_data),
    .psum_commit_o(commit)
  );
  dla_psum_out #(.Rows(Rows), .Cols(Cols), .Lanes(Lanes)) u_psum_out (
    .clk_i, .rst_ni, .clear_i(clear), .layer_i(layer), .derived_i(derived), .started_i(started), .pass_i(started_pass),
    .commit_i(commit), .row_o(psum_out_row), .col_o(psum_out_col), .data_i(psum_out_data),
    .glb_write_o(psum_write), .glb_addr_o(psum_waddr), .glb_data_o(psum_wdata),
    .out_valid_o(out_valid), .out_data_o(out_data), .out_filter_o(out_filter), .out_ends_o(out_ends),
    .out_padding_o(out_padding), .out_first_o(out_first), .out_new_set_o(out_new_set)
  );

  // GLB to DRAM.
  logic       tile_valid, tile_index, write_burst;
  assign last_output = tile_valid && tiles[tile_index].last;
  logic [5:0] write_bytes;
  dla_post #(
    .Rows(Rows), .Cols(Cols), .Lanes(Lanes), .BusBytes(BusBytes), .FilterBytes(FilterBytes),
    .MaxPassFilters(MaxPassFilters)
  ) u_post (
    .clk_i, .rst_ni, .clear_i(clear), .keep_i(keep), .layer_i(layer), .derived_i(derived),
    .in_valid_i(out_valid), .in_data_i(out_data), .in_filter_i(out_filter), .in_ends_i(out_ends),
    .in_padding_i(out_padding), .in_first_i(out_first), .in_new_set_i(out_new_set),
    .scale_valid_i(scale_valid), .scale_word_i(param_word), .scale_data_i(param_data), .tiles_i(tiles),
    .table_write_i(table_write), .table_word_i(TableWidth'(load_addr)), .table_data_i(load_data),
    .glb_write_o(out_write), .glb_addr_o(out_waddr), .glb_strobe_o(out_strobe), .glb_data_o(out_wdata),
    .tile_valid_o(tile_valid), .tile_index_o(tile_index)
  );
  dla_store #(.Cols(Cols), .Lanes(Lanes), .BusBytes(BusBytes), .Columns(IfmapBytes)) u_store (
    .clk_i, .rst_ni, .clear_i(clear), .stop_i(stop), .idle_o(store_idle), .done_o(layer_done),
    .layer_i(layer), .derived_i(derived),
    .tile_valid_i(tile_valid), .tile_index_i(tile_index), .tiles_i(tiles), .tile_release_o(tile_release),
    .residual_loaded_i(residual_loaded), .residual_release_o(residual_release),
    .glb_read_o(out_read), .glb_addr_o(out_raddr), .glb_data_i(out_rdata),
    .residual_read_o(residual_read), .residual_addr_o(residual_addr),
    .chip_read_o(chip_read), .chip_word_o(chip_raddr), .chip_strobe_o(chip_rstrobe),
    .residual_data_i(layer.groups.residual_on_chip ? glb_rdata[ChipColumn] : glb_rdata[ResidualColumn]),
    .awvalid_o(store_aw.valid), .awready_i(store_awready), .awaddr_o(store_aw.addr), .awlen_o(store_aw.len),
    .wvalid_o(store_w.valid), .wready_i(store_wready), .wdata_o(store_w.data), .wstrb_o(store_w.strobe),
    .wlast_o(store_w.last),
    .bvalid_i(store_bvalid), .bready_o(m_axi_bready_o), .berror_i(m_axi_bresp_i[1] && !ofmap_on_chip),
    .answer_addr_o(write_error_addr), .error_o(write_error), .bytes_o(write_bytes), .burst_o(write_burst)
  );
  logic    chip_beat;
  chip_word_t chip_burst;
  region_t chip_ifmap;
  assign chip_burst = '{column: write_error_addr[28:24], word: 16'(write_error_addr[23:$clog2(BusBytes)])};
  assign chip_beat  = store_w.valid && store_wready && ofmap_on_chip;
  assign chip_ifmap = ifmap_on_chip ? region_t'(layer.glb_ifmap) : '0;
  dla_chip_write #(.GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .Columns(IfmapBytes)) u_chip_write (
    .clk_i, .rst_ni, .beat_i(chip_beat), .last_i(store_w.last), .data_i(store_w.data), .strobe_i(store_w.strobe),
    .first_i(chip_burst), .answer_o(chip_answer), .ifmap_i(chip_ifmap),
    .ifmap_write_o(chip_ifmap_write), .ifmap_addr_o(chip_ifmap_waddr), .chip_write_o(chip_write),
    .chip_addr_o(chip_waddr), .data_o(chip_wdata), .strobe_o(chip_strobe)
  );

  assign m_axi_arsize_o  = 3'($clog2(BusBytes));
  assign m_axi_awsize_o  = 3'($clog2(BusBytes));
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_arid_o    = 1'b0;
  assign m_axi_awid_o    = 1'b0;
  // Data, not privileged, not secure; to normal memory that no cache holds, answered by the memory itself.
  assign m_axi_arprot_o  = 3'b010;
  assign m_axi_awprot_o  = 3'b010;
  assign m_axi_arcache_o = 4'b0010;
  assign m_axi_awcache_o = 4'b0010;

  assign progress = compute_cycle || (m_axi_arvalid_o && m_axi_arready_i) || (m_axi_rvalid_i && m_axi_rready_o) ||
                    chip_beat || (m_axi_awvalid_o && m_axi_awready_i) || (m_axi_wvalid_o && m_axi_wready_i) ||
                    (m_axi_bvalid_i && m_axi_bready_o);

  dla_counters #(.BusBytes(BusBytes), .GlbWidth(CountWidth)) u_counters (
    .clk_i, .rst_ni, .start_i(begins), .early_i(early), .waited_i(waited), .busy_i(counts),
    .compute_i(compute_cycle), .psum_i(psum_cycle), .filter_i(filter_cycle), .ifmap_i(ifmap_cycle),
    .dram_i(dram_cycle), .output_i(output_cycle),
    .ifmap_beat_i(ifmap_beat), .filter_beat_i(filter_beat), .residual_beat_i(residual_beat),
    .write_bytes_i(write_bytes), .read_burst_i(read_burst), .write_burst_i(write_burst),
    .filter_reads_i(filter_read && feeds_next ? CountWidth'(FilterColumns) : '0), .glb_reads_i(glb_reads),
    .glb_writes_i(glb_writes), .pass_i(started), .counters_o(counters)
  );
  assign dbg_pass_o = counters.passes;
  assign dbg_events_o = !dbg_enable_i ? '0 : '{
    layer_start: begins, layer_end: ended,
    load_queued: load_in_valid && load_in_ready, pass_queued: pass_in_valid && pass_in_ready,
    ifmap_loaded: ifmap_loaded, filter_loaded: filter_loaded, residual_loaded: residual_loaded,
    ifmap_free: ifmap_release,
    set_start: set_valid && set_ready, set_end: set_fed,
    window: window_start, pass_end: pass_ended, pass_start: started,
    tile_start: out_valid[0] && out_first, tile_end: tile_valid, tile_free: tile_release,
    residual_free: residual_release
  };
  assign dbg_cause_o = failed ? cause : '0;

  // Rules of the streams and of the buses.
  `DLA_ASSERT(ListHasTheReadChannels, fetching |-> load_idle)
  `DLA_ASSERT(ListHasTheWriteChannels, recording |-> !store_w.valid)
  `DLA_ASSERT(FiltersComeBehindAll, prefetch |-> loads_done && !(set_valid && filter_set.turn != turn))
  `DLA_ASSERT_STREAM(Load, load_valid, load_ready || clear, load_job)
  `DLA_ASSERT_STREAM(FilterSet, set_valid, set_ready || clear, filter_set)
  `DLA_ASSERT_STREAM(Pass, pass_valid, pass_ready || clear, pass)
  dla_axi_checker #(.BusBytes(BusBytes), .MaxBurstBeats(64)) u_axi_checker (
    .clk_i, .rst_ni,
    .arvalid(m_axi_arvalid_o), .arready(m_axi_arready_i), .araddr(m_axi_araddr_o), .arlen(m_axi_arlen_o),
    .arsize(m_axi_arsize_o), .arburst(m_axi_arburst_o), .arid(m_axi_arid_o), .arprot(m_axi_arprot_o),
    .arcache(m_axi_arcache_o), .rvalid(m_axi_rvalid_i), .rready(m_axi_rready_o),
    .rdata(m_axi_rdata_i), .rresp(m_axi_rresp_i), .rlast(m_axi_rlast_i),
    .rid(m_axi_rid_i),
    .awvalid(m_axi_awvalid_o), .awready(m_axi_awready_i), .awaddr(m_axi_awaddr_o), .awlen(m_axi_awlen_o),
    .awsize(m_axi_awsize_o), .awburst(m_axi_awburst_o), .awid(m_axi_awid_o), .awprot(m_axi_awprot_o),
    .awcache(m_axi_awcache_o), .wvalid(m_axi_wvalid_o), .wready(m_axi_wready_i),
    .wdata(m_axi_wdata_o), .wstrb(m_axi_wstrb_o), .wlast(m_axi_wlast_o), .bvalid(m_axi_bvalid_i),
    .bready(m_axi_bready_o), .bresp(m_axi_bresp_i), .bid(m_axi_bid_i)
  );
  dla_axil_checker #(.AddrWidth(12)) u_axil_checker (
    .clk_i, .rst_ni,
    .awvalid(s_axil_awvalid_i), .awready(s_axil_awready_o), .awaddr(s_axil_awaddr_i), .wvalid(s_axil_wvalid_i),
    .wready(s_axil_wready_o), .wdata(s_axil_wdata_i), .wstrb(s_axil_wstrb_i), .bvalid(s_axil_bvalid_o),
    .bready(s_axil_bready_i), .bresp(s_axil_bresp_o), .arvalid(s_axil_arvalid_i), .arready(s_axil_arready_o),
    .araddr(s_axil_araddr_i), .rvalid(s_axil_rvalid_o), .rready(s_axil_rready_i), .rdata(s_axil_rdata_o),
    .rresp(s_axil_rresp_o)
  );

  `DLA_CHECK_PARAM(RowsFit, Rows >= 2 && Rows <= 64)
  `DLA_CHECK_PARAM(ColsFit, Cols >= 2 && Cols <= 64)
  `DLA_CHECK_PARAM(IfmapSpadFits, IfmapSpadBytes >= 1 && IfmapSpadBytes <= 28)
  `DLA_CHECK_PARAM(FilterSpadFits, FilterSpadBytes >= 1 && FilterSpadBytes <= 1024)
  `DLA_CHECK_PARAM(PeFiltersFit, MaxPeFilters >= 1 && MaxPeFilters <= 63)
  `DLA_CHECK_PARAM(BusIs32To256, BusBytes inside {4, 8, 16, 32})
  `DLA_CHECK_PARAM(PsumLanesFit, PsumLanes inside {1, 2, 4, 8, 16, 32})
  `DLA_CHECK_PARAM(IfmapBytesFit, IfmapBytesPerCycle inside {1, 2, 4, 8, 16, 32})
  `DLA_CHECK_PARAM(FilterBytesFit, FilterBytesPerCycle inside {1, 2, 4, 8, 16, 32})
  `DLA_CHECK_PARAM(GlbIsWholeBanks, GlbBytes % GlbBankBytes == 0 && GlbBytes / GlbBankBytes >= ChipColumn &&
                                    GlbBytes / BusBytes <= 65536)
  `DLA_CHECK_PARAM(PassFiltersFit, MaxPassFilters >= 1 && MaxPassFilters <= 256)
endmodule
