// SPDX-License-Identifier: Apache-2.0
/// A list's bus side: fetches an entry, which is a layer's command and where the next is, and writes a layer's record.
///
/// An entry is four words, {next, record, 0, 0}, and the layer registers in order, in one burst. A record is four
/// words, {number, 0, 0, 0}, and the counters in order, likewise. docs/machine.md has the layout.
/// Fetching and recording may go on at once: they are on channels of their own. A record is what the counters are when
/// the layer has ended, whatever they count while it is written.
`include "dla_assert.svh"
module dla_list
  import dla_regs_pkg::*;
#(
  parameter int unsigned BusBytes = 4,
  /// Dependent, do not override.
  localparam int unsigned BusShift    = $clog2(BusBytes),
  localparam int unsigned Words       = BusBytes / 4,
  localparam int unsigned HeadWords   = 4,
  localparam int unsigned EntryBeats  = (HeadWords + NumLayerRegs + Words - 1) / Words,
  localparam int unsigned RecordBeats = (HeadWords + NumCounters + Words - 1) / Words
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Forgets what was fetched. Only while idle.
  input  logic                  clear_i,
  /// No burst is under way.
  output logic                  idle_o,
  // Fetching: the first entry, or the one that the current one names.
  input  logic                  fetch_i,
  input  logic                  first_i,
  input  logic [31:0]           list_addr_i,
  /// An entry is there, or can't be: why, and of a bus error where.
  output logic                  fetched_o,
  output dla_error_e            cause_o,
  output logic [31:0]           error_addr_o,
  /// What was fetched is the current entry from now on.
  input  logic                  advance_i,
  /// Of the current entry.
  output logic                  has_next_o,
  output logic                  has_record_o,
  // Its command: layer registers from number word_o on, modulo 128, a beat of them; those in front of the first and
  // behind the last are none.
  output logic                  words_valid_o,
  output logic [6:0]            word_o,
  output logic [8*BusBytes-1:0] words_o,
  // Recording.
  /// In the layer's last cycle.
  input  logic                  record_i,
  input  logic [15:0]           number_i,
  /// Whole in the cycle behind it.
  input  counters_t             counters_i,
  output logic                  record_error_o,
  output logic [31:0]           record_addr_o,
  // AXI4: the read channels are its own while fetching_o, the write channels while recording_o.
  output logic                  fetching_o,
  output logic                  arvalid_o,
  input  logic                  arready_i,
  output logic [31:0]           araddr_o,
  output logic [7:0]            arlen_o,
  input  logic                  rvalid_i,
  input  logic [8*BusBytes-1:0] rdata_i,
  input  logic                  rerror_i,
  input  logic                  rlast_i,
  output logic                  recording_o,
  output logic                  awvalid_o,
  input  logic                  awready_i,
  output logic [31:0]           awaddr_o,
  output logic [7:0]            awlen_o,
  output logic                  wvalid_o,
  input  logic                  wready_i,
  output logic [8*BusBytes-1:0] wdata_o,
  output logic                  wlast_o,
  input  logic                  bvalid_i,
  input  logic                  berror_i
);
  // Fetching.
  typedef enum logic [1:0] {NoFetch, AskEntry, TakeEntry} fetch_e;
  fetch_e      fetch_q;
  logic [31:0] addr_q;
  logic [5:0]  beat_q;
  logic        there_q, take;
  dla_error_e  cause_q;
  logic [31:0] error_addr_q, next_q, record_q, current_next_q, current_record_q;
  logic [31:0] fetch_addr;
  logic        bad_addr, bad_head;
  assign fetch_addr  = first_i ? list_addr_i : current_next_q;
  assign bad_addr    = fetch_addr[7:0] != '0 || fetch_addr == '0;
  assign fetching_o  = fetch_q != NoFetch;
  assign arvalid_o   = fetch_q == AskEntry;
  assign araddr_o    = addr_q;
  assign arlen_o     = 8'(EntryBeats - 1);
  assign take        = fetch_q == TakeEntry && rvalid_i;

  // Words of this beat, numbered from the entry's first on.
  logic [6:0]       first_word;
  logic [31:0]      word [Words];
  assign first_word = 7'(beat_q) << $clog2(Words);
  for (genvar k = 0; k < Words; k++) begin : gen_word
    assign word[k] = rdata_i[32*k+:32];
  end
  always_comb begin
    bad_head = 1'b0;
    if (take) begin
      for (int unsigned k = 0; k < Words; k++) begin
        if (first_word + 7'(k) == 7'd0) bad_head |= word[k][7:0] != '0;
        if (first_word + 7'(k) == 7'd1) bad_head |= word[k][6:0] != '0;
        if (first_word + 7'(k) inside {7'd2, 7'd3}) bad_head |= word[k] != '0;
      end
    end
  end
  assign words_valid_o = take && first_word + 7'(Words) > 7'(HeadWords);
  assign word_o        = first_word - 7'(HeadWords);
  assign words_o       = rdata_i;

  assign fetched_o     = there_q;
  assign cause_o       = cause_q;
  assign error_addr_o  = error_addr_q;
  assign has_next_o    = current_next_q != '0;
  assign has_record_o  = current_record_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetch_q <= NoFetch;
      there_q <= 1'b0;
      cause_q <= ErrorNone;
      beat_q  <= '0;
    end else begin
      unique case (fetch_q)
        NoFetch: begin
          if (fetch_i) begin
            fetch_q <= bad_addr ? NoFetch : AskEntry;
            there_q <= bad_addr;
            cause_q <= bad_addr ? ErrorBadList : ErrorNone;
          end else if (clear_i || advance_i) begin
            there_q <= 1'b0;
            cause_q <= ErrorNone;
          end
        end
        AskEntry: if (arready_i) fetch_q <= TakeEntry;
        default: begin
          if (rvalid_i) begin
            beat_q <= rlast_i ? '0 : beat_q + 1'b1;
            if (rerror_i && cause_q != ErrorBusRead) cause_q <= ErrorBusRead;
            else if (bad_head && cause_q == ErrorNone) cause_q <= ErrorBadList;
            if (rlast_i) begin
              fetch_q <= NoFetch;
              there_q <= 1'b1;
            end
          end
        end
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      addr_q       <= fetch_addr;
      error_addr_q <= '0;
    end
    if (take) begin
      for (int unsigned k = 0; k < Words; k++) begin
        if (first_word + 7'(k) == 7'd0) next_q <= word[k];
        if (first_word + 7'(k) == 7'd1) record_q <= word[k];
      end
      if (rerror_i && cause_q != ErrorBusRead) error_addr_q <= addr_q + (32'(beat_q) << BusShift);
    end
    if (advance_i) begin
      current_next_q   <= next_q;
      current_record_q <= record_q;
    end
  end

  // Recording.
  typedef enum logic [1:0] {NoRecord, AskRecord, SendRecord, AwaitAnswer} record_e;
  record_e     record_state_q;
  logic [4:0]  record_beat_q;
  logic        ended_q;
  logic [31:0] record_addr_q;
  logic [15:0] number_q;
  counters_t   counters_q;
  assign recording_o    = record_state_q != NoRecord;
  assign awvalid_o      = record_state_q == AskRecord;
  assign awaddr_o       = record_addr_q;
  assign awlen_o        = 8'(RecordBeats - 1);
  assign wvalid_o       = record_state_q == SendRecord;
  assign wlast_o        = record_beat_q == 5'(RecordBeats - 1);
  logic [6:0] record_word;
  assign record_word    = 7'(record_beat_q) << $clog2(Words);
  always_comb begin
    wdata_o = '0;
    if (wvalid_o) begin
      for (int unsigned k = 0; k < Words; k++) begin
        if (record_word + 7'(k) == 7'd0) wdata_o[32*k+:32] = 32'(number_q);
        for (int unsigned i = 0; i < NumCounters; i++) begin
          if (record_word + 7'(k) == 7'(HeadWords + i)) wdata_o[32*k+:32] = counters_q[32*i+:32];
        end
      end
    end
  end
  assign record_error_o = recording_o && bvalid_i && berror_i;
  assign record_addr_o  = record_addr_q;
  always_ff @(posedge clk_i) begin
    if (record_i) begin
      record_addr_q <= current_record_q;
      number_q      <= number_i;
    end
    if (ended_q) counters_q <= counters_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      record_state_q <= NoRecord;
      record_beat_q  <= '0;
      ended_q        <= 1'b0;
    end else begin
      ended_q <= record_i;
      unique case (record_state_q)
        NoRecord:  if (record_i) record_state_q <= AskRecord;
        AskRecord: if (awready_i) record_state_q <= SendRecord;
        SendRecord: begin
          if (wready_i) begin
            record_beat_q <= wlast_o ? '0 : record_beat_q + 1'b1;
            if (wlast_o) record_state_q <= AwaitAnswer;
          end
        end
        default: if (bvalid_i) record_state_q <= NoRecord;
      endcase
    end
  end

  assign idle_o = !fetching_o && !recording_o;

  `DLA_ASSERT(FetchesOneAtATime, fetch_i |-> !fetching_o)
  `DLA_ASSERT(AdvancesToWhatIsThere, advance_i |-> there_q && cause_q == ErrorNone)
  `DLA_ASSERT(RecordsOneAtATime, record_i |-> !recording_o)
  `DLA_ASSERT(EntryIsOneBurst, take |-> rlast_i == (beat_q == 6'(EntryBeats - 1)))
  `DLA_CHECK_PARAM(EntryHasRoom, HeadWords + NumLayerRegs <= 64)
  `DLA_CHECK_PARAM(RecordHasRoom, HeadWords + NumCounters <= 32)
endmodule
