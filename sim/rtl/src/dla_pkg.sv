// SPDX-License-Identifier: Apache-2.0
/// Types that the units of the accelerator exchange: the layer command, what follows from it, passes, jobs and flits.
///
/// The letters are those of sim/spec/README.md. docs/timing.md gives the cycle at which each of these moves.
package dla_pkg;
  import dla_regs_pkg::*;

  /// The layer command, as the registers hold it while a layer runs.
  typedef layer_regs_t layer_t;

  /// Banks of the GLB.
  typedef struct packed {
    logic [15:0] banks;
    logic [15:0] base_bank;
  } region_t;

  /// A word of a column of the GLB; columns are those of tensors on chip.
  typedef struct packed {
    logic [4:0]  column;
    logic [15:0] word;
  } chip_word_t;

  /// Its number among all words. Both parameters are powers of two.
  function automatic logic [15:0] word_in_glb(input chip_word_t at, input int unsigned bank_words,
                                              input int unsigned columns);
    logic [31:0] in_bank, column;
    in_bank = 32'(at.word) & (bank_words - 1);
    column  = (32'(at.column) & (columns - 1)) << $clog2(bank_words);
    return 16'((32'(at.word) ^ in_bank) << $clog2(columns) | column | in_bank);
  endfunction

  /// What dla_setup works out once a layer. A GLB word is BusBytes wide.
  typedef struct packed {
    logic [8:0]  slot_products;      // of a filter and a whole window: q * S, or C * S of a group
    logic [10:0] column_channels;    // of the PE sets of a column, where each has its own: q * filters_high
    logic [12:0] part_groups;        // groups of channels that are done at once: g * t, or one
    logic [31:0] part_ifmap_bytes;   // in DRAM, from their first channel to the next part's
    logic [12:0] rows_end;           // output rows and columns from here on are a pool's padding
    logic [12:0] cols_end;
    logic [12:0] ofmap_rows;         // rows written: E or windows over them
    logic [12:0] E;                  // output rows computed (with pooling: of whole windows)
    logic [12:0] F;                  // output columns computed (with pooling: of whole windows)
    logic [12:0] ofmap_cols;         // columns written: F or windows over them
    logic [12:0] out_row_words;      // GLB words of them: a row of an output tile begins with one of its own
    logic [24:0] ofmap_stride;       // bytes from a filter's plane to the next one; on chip, in its column
    logic [24:0] residual_stride;    // the same of the residual
    logic        dense;              // outputs in DRAM without a gap between planes, and so is the residual
    logic [3:0]  folds;              // groups of filter rows
    logic [3:0]  fold_rows;          // filter rows in a group; the last may have fewer
    logic [6:0]  filters_high;       // filter sets in a column
    logic [6:0]  segment_rows;       // PEs that accumulate in one column: r * fold_rows
    logic [12:0] chunk_channels;     // q * r, or q * t where PE sets have groups of their own
    logic [8:0]  pass_filters;       // p * t
    logic [23:0] ifmap_plane;        // bytes of a channel's plane; in DRAM the next one begins behind them
    logic [15:0] plane_words;        // GLB words for one channel of a chunk
    logic [15:0] ifmap_word;         // on chip: where the first planes begin, in a column of the region; else 0
    logic [15:0] ifmap_buffers;      // chunks that the ifmap region holds
    logic [2:0]  ifmap_halvings;     // of the columns of the ifmap region: a buffer has too few channels for all
    logic [15:0] ifmap_buffer_words; // from a chunk to the next, in a column: none where all channels are there
    logic [15:0] filter_buffer_words;
    logic [15:0] psum_block_words;
    logic [15:0] out_tile_words;     // of one tile, in one lane
    logic [31:0] chunk_bytes;        // in DRAM, from a chunk's first channel to the next chunk's
    logic [15:0] residual_tile_words; // GLB words for the residual of an output tile
    region_t     ofmap_banks;        // on chip: what it has bytes in, and the banks beside them; else none
    region_t     residual_banks;
  } derived_t;

  /// The quotients among what follows from a layer.
  typedef struct packed {
    logic [12:0] rows;               // output rows and columns, before pooling
    logic [12:0] columns;
    logic [6:0]  filters_high;       // filter sets in a column
    logic [12:0] strips;             // of a row tile
    logic [15:0] chunks;             // of channels
    logic [15:0] groups;             // of p * t filters in a tile of m
  } quotients_t;

  /// What a layer needs, to be compared with what there is. What does not fit in 32 bits is the largest value.
  typedef struct packed {
    logic [31:0] weight_bytes;       // p q S, of a filter spad
    logic [31:0] pass_filters;       // p t
    logic [31:0] filter_sets;        // that fit beside r
    logic [31:0] ifmap_words;        // of a quarter of the ifmap region
    logic [31:0] filter_words;       // of the filter region
    logic [31:0] psum_words;         // of the psum region, if psums are kept
    logic        keeps_psums;
    logic [31:0] out_words;          // of one tile, in one lane
    logic [31:0] held_words;         // of the pooling row, where a window takes one byte
    logic        odd_pool_rows;      // e or e_glb are not rows of whole windows
    logic [31:0] ifmap_bytes;        // of the tensors: in DRAM, or on chip in the column that has most of them
    logic [31:0] ofmap_bytes;
    logic [31:0] residual_bytes;
    logic        ofmap_whole;        // its planes are whole words
    logic        residual_whole;
    logic [31:0] residual_words;     // of the residual of an output tile
  } needs_t;

  /// Bytes of a column.
  typedef struct packed {
    logic [23:0] first_byte;
    logic [23:0] end_byte;           // behind the last one
  } bytes_t;

  /// Where a tensor on chip lies, in the column that has most of it.
  typedef struct packed {
    logic        in_glb;             // and nowhere else
    bytes_t      bytes;
    region_t     banks;              // that have bytes of it, and those beside them
  } extent_t;

  /// How long a pass takes, part by part.
  typedef struct packed {
    logic [12:0] slot_psums;         // psums a slot: e * t
    logic [12:0] slot_words;         // psum network words a slot: ceil(e t / lanes)
    logic [12:0] slot_cycles;        // max(qs, slot_words)
    logic [15:0] compute_cycles;     // p * slot_cycles: a step that waits for nothing
    logic [16:0] step_words;         // ifmap words for the next output column
    logic [16:0] fill_words;         // ifmap words for the first output column
    logic        wait_psum;          // so short that its psums may still be on their way: drain first
  } lengths_t;

  /// One pass of the PE array: at most q*r channels, p*t filters, fold_rows filter rows, e output rows, all F columns.
  typedef struct packed {
    logic        turn;               // of its layer, as a filter set's
    logic [1:0]  real_from;          // output rows before it are a pool's padding
    logic [5:0]  real_to;            // ... and from this one on
    logic        last;               // of the layer
    logic        first_k;            // starts from the biases
    logic        last_k;             // ends in the output
    logic [5:0]  r;                  // channel sets in use
    logic [4:0]  q;                  // channels in a PE
    logic [7:0]  t;                  // filter sets in use
    logic [5:0]  p;                  // filters in a PE
    logic [8:0]  filters;            // that exist: at most p * t
    logic [3:0]  rows;               // filter rows in use
    logic [5:0]  e;                  // output rows in use
    logic [7:0]  products;           // MACs a slot: q * S, or C * S of a group
    logic [12:0] channels;           // of its sets, idle ones of the last set included
    lengths_t    lengths;
    logic        new_filter;         // needs the next filter set
    logic        new_ifmap;          // needs the next ifmap chunk
    logic        release_ifmap;      // last user of its ifmap chunk
    logic [15:0] ifmap_base;         // GLB word of its first channel's plane, in a column
    logic [4:0]  ifmap_channel;      // the column of that channel, modulo 32
    logic [4:0]  ifmap_missing;      // channels of its last set that there are none of, and nothing is read for
    logic [4:0]  ifmap_align;        // byte of the buffer's channel 0, first pixel, in its word
    logic signed [14:0] y;           // first ifmap row, from the top of the unpadded ifmap
    logic signed [27:0] pixel;       // the same as a pixel of the chunk, or on chip of the plane
    logic [15:0] psum_base;          // GLB word of its psum block
    logic [31:0] ofmap_addr;         // of its first output
    logic [5:0]  ofmap_rows;         // rows from there to the end of a plane, or more than it has
    chip_word_t  residual;           // the word of that output's residual, if it is on chip
    logic [5:0]  residual_rows;
    logic [15:0] out_row_stride;     // p * out_row_words: from a row of a lane to the next in the output tile
  } pass_t;

  /// What the ifmap feed needs of a pass.
  typedef struct packed {
    logic [12:0] channels;
    logic [3:0]  rows;
    logic [5:0]  e;
    logic [15:0] ifmap_base;
    logic [4:0]  ifmap_channel;
    logic [4:0]  ifmap_missing;
    logic [4:0]  ifmap_align;
    logic signed [14:0] y;
    logic signed [27:0] pixel;
  } window_t;

  function automatic window_t window_of(input pass_t pass);
    return '{channels: pass.channels, rows: pass.rows, e: pass.e, ifmap_base: pass.ifmap_base,
             ifmap_channel: pass.ifmap_channel, ifmap_missing: pass.ifmap_missing, ifmap_align: pass.ifmap_align,
             y: pass.y, pixel: pass.pixel};
  endfunction

  /// What the psum networks need of it.
  typedef struct packed {
    logic        first_k;
    logic        last_k;
    logic        new_filter;
    logic [5:0]  e;
    logic [5:0]  p;
    logic [12:0] slot_psums;
    logic [15:0] psum_base;
    logic [1:0]  real_from;
    logic [5:0]  real_to;
  } psums_t;

  function automatic psums_t psums_of(input pass_t pass);
    return '{first_k: pass.first_k, last_k: pass.last_k, new_filter: pass.new_filter, e: pass.e, p: pass.p,
             slot_psums: pass.lengths.slot_psums, psum_base: pass.psum_base,
             real_from: pass.real_from, real_to: pass.real_to};
  endfunction

  /// What post-processing and store need of a pass that ends in the output.
  typedef struct packed {
    logic        last;
    logic [8:0]  filters;
    logic [5:0]  e;
    logic [5:0]  p;
    logic [12:0] slot_words;
    logic [15:0] row_stride;         // out_row_stride
    logic [31:0] ofmap_addr;
    logic [5:0]  ofmap_rows;
    chip_word_t  residual;
    logic [5:0]  residual_rows;
  } tile_t;

  function automatic tile_t tile_of(input pass_t pass);
    return '{last: pass.last, filters: pass.filters, e: pass.e, p: pass.p, slot_words: pass.lengths.slot_words,
             row_stride: pass.out_row_stride, ofmap_addr: pass.ofmap_addr, ofmap_rows: pass.ofmap_rows,
             residual: pass.residual, residual_rows: pass.residual_rows};
  endfunction

  /// The output tiles that the GLB holds, by their number.
  localparam int unsigned NumTiles = 2;
  typedef tile_t [NumTiles-1:0] tiles_t;

  /// A filter set to move from the GLB into the PEs.
  typedef struct packed {
    logic        turn;               // of its layer: the next one's in a list differs
    logic        has_bias;
    logic        has_scales;
    logic [7:0]  t;
    logic [5:0]  r;
    logic [3:0]  rows;
    logic [10:0] param_words;        // of biases, and of scales, on the filter network
    logic [10:0] pe_words;           // of one PE: ceil(p q S / FilterBytesPerCycle)
    logic        new_chunk;          // its chunk is loaded for it: it has not stayed in the GLB
    logic        stays;              // the chunk's buffer keeps it
    logic [15:0] glb_base;           // GLB word of the buffer
  } filter_set_t;

  /// A chunk to move from DRAM to the GLB: `count` runs of `bytes`, an ifmap plane apart, or of a residual, whose beats
  /// follow each other, a plane of its own.
  typedef struct packed {
    logic        is_filter;
    logic        is_table;           // of a filter load: the layer's table, which does not go to the GLB
    logic        is_residual;
    logic [31:0] addr;
    logic [23:0] bytes;
    logic [12:0] count;              // channels; 1 for filters; filters of a residual
    logic [15:0] channel;            // first channel in its buffer
    logic [15:0] glb_base;           // GLB word of the buffer (in a column, for ifmaps)
  } load_job_t;

  /// What row 0 of a segment sees first, and each row below it a cycle later.
  typedef struct packed {
    logic       mac;                 // multiply
    logic       first;               // the first product of a slot
    logic       commit;              // last cycle of a slot: the psum moves on
    logic [9:0] weight;              // byte of a half of the filter spad
    logic [6:0] pixel;               // byte of the ifmap spad
    logic       padding;             // no byte of it: the pixel lies beside the ifmap
    logic [5:0] r;                   // channel sets in use
    logic [3:0] rows;                // filter rows in use
  } ctrl_flit_t;

  /// The same a cycle before: the filter spad is a memory that is read with the clock.
  typedef struct packed {
    logic       read;
    logic       bank;                // filter spad half
    logic [9:0] weight;              // byte of it
  } weight_flit_t;

  /// A word of the ifmap network: channels of one pixel, uint8, in the order of the pass, whatever sets they belong to,
  /// but where sets have channels of their own not of sets beside each other. The bytes themselves travel beside it.
  typedef struct packed {
    logic        valid;
    logic [5:0]  wide;               // the sets that it is for, where sets have channels of their own
    logic [10:0] channel;            // first one, of the pass, or of these sets
    logic [5:0]  channels;           // how many there are
    logic [8:0]  row;                // ifmap row of the pass: PE (i, j) of a set takes row j * U + i
    logic [6:0]  addr;               // of its column in the ifmap spads
  } ifmap_flit_t;

  /// Where in the array a psum enters and leaves. Psums of a slot move in this order: filter set by filter set,
  /// row by row.
  typedef struct packed {
    logic [5:0] e;                   // output row
    logic [5:0] high;                // segment
    logic [5:0] row;                 // first PE row of the segment
    logic [5:0] first_col;           // first PE column of the set
    logic [5:0] col;                 // PE column
    logic [8:0] filter;              // filter of the pass: set * p + slot
  } place_t;

  /// Regions of the GLB, and how many columns each has: banks side by side, a word of each in a cycle.
  localparam int unsigned RegionIfmap  = 0;
  localparam int unsigned RegionFilter = 1;
  localparam int unsigned RegionPsum   = 2;
  localparam int unsigned RegionOut    = 3;
  localparam int unsigned RegionResidual = 4;
  localparam int unsigned NumRegions   = 5;
  localparam int unsigned NumKept      = 2;  // tensors on chip, beside the ifmap: ofmap and residual
  typedef region_t [NumKept-1:0] kept_t;
  typedef logic [NumRegions-1:0][5:0] region_columns_t;

  typedef region_t [NumRegions-1:0] regions_t;

  /// The number of a region's first column; of region NumRegions, how many columns there are.
  function automatic int unsigned first_column(input region_columns_t columns, input int unsigned region);
    first_column = 0;
    for (int unsigned r = 0; r < region; r++) first_column = first_column + {26'd0, columns[r]};
  endfunction

  /// Ifmap columns of a first window that are brought: those left of the ifmap are not, but for the last of the window.
  function automatic logic [3:0] window_cols_of(input layer_t layer);
    return layer.kernel.s > layer.padding.left ? layer.kernel.s - layer.padding.left : 4'd1;
  endfunction

  /// Rows and columns of a pool's window, and its stride; 1 where nothing is pooled.
  function automatic logic [1:0] pool_size(input kernel_reg_t kernel);
    return !kernel.pool ? 2'd1 : kernel.pool_size == 2'd3 ? 2'd3 : 2'd2;
  endfunction
  function automatic logic [1:0] pool_stride(input kernel_reg_t kernel);
    return !kernel.pool ? 2'd1 : kernel.pool_stride == 2'd0 ? 2'd2 : kernel.pool_stride;
  endfunction

  /// Words of the pooling row, of Lanes / 2 bytes each, at least one: dla_pool_words() of sim/spec/dla_machine.h.
  function automatic int unsigned pooling_row_words(input int unsigned lanes, input int unsigned cols,
                                                    input int unsigned max_pass_filters);
    int unsigned pairs;
    pairs = max_pass_filters * ((cols + 1) / 2);
    return lanes <= 2 ? pairs : pairs / (lanes / 2) + 63;
  endfunction

  /// log2 of the words of the pooling row that a word of psums takes, or with one lane a window: more where every row
  /// ends a window, and windows share two columns.
  function automatic logic [1:0] pooling_row_span(input kernel_reg_t kernel, input int unsigned lanes);
    return pool_stride(kernel) != 2'd1 ? 2'd0 : 2'(lanes != 1) + 2'(pool_size(kernel) == 2'd3);
  endfunction

  /// From the first row of a tile of so many output rows to the next tile's.
  function automatic logic [12:0] row_step(input kernel_reg_t kernel, input logic [12:0] rows);
    return rows + 13'(pool_stride(kernel)) - 13'(pool_size(kernel));
  endfunction

  /// Rows of each plane of a tensor of so many rows; the command says 0 where it has no others.
  function automatic logic [12:0] plane_rows_of(input logic [11:0] plane, input logic [12:0] rows);
    return plane == '0 ? rows : 13'(plane);
  endfunction

  /// A number of rows divided by a pool's stride.
  function automatic logic [12:0] per_stride(input kernel_reg_t kernel, input logic [12:0] rows);
    unique case (pool_stride(kernel))
      2'd1:    return rows;
      2'd2:    return rows >> 1;
      default: return 13'((28'(rows) * 28'd10923) >> 15);
    endcase
  endfunction

  /// The same for rows of a strip.
  function automatic logic [5:0] strip_per_stride(input kernel_reg_t kernel, input logic [5:0] rows);
    unique case (pool_stride(kernel))
      2'd1:    return rows;
      2'd2:    return rows >> 1;
      default: return 6'((12'(rows) * 12'd43) >> 7);
    endcase
  endfunction

  /// Ones in as many low bits as hold numbers up to `most`. What a machine cannot reach is masked where it is worked
  /// out: the fields of these types are as wide as the largest machine needs, and the bits that no value of a smaller
  /// one has are constant in it.
  function automatic int unsigned bits_up_to(input int unsigned most);
    return 2 ** $clog2(most + 1) - 1;
  endfunction

  /// Ifmap words for the first output column of a pass, at most: of e R' r q S bytes, a word a byte.
  function automatic int unsigned most_fill_words(input int unsigned rows, input int unsigned cols);
    return 28 * rows * cols;
  endfunction

  /// Clamps `value` to at most `limit`.
  function automatic logic [15:0] min16(input logic [15:0] value, input logic [15:0] limit);
    return value < limit ? value : limit;
  endfunction

  function automatic logic [15:0] max16(input logic [15:0] a, input logic [15:0] b);
    return a > b ? a : b;
  endfunction

  /// What happens in a cycle, for traces: TransactionKind of sim/common/transaction.h, a bit each.
  typedef struct packed {
    logic residual_free;
    logic tile_free;
    logic tile_end;
    logic tile_start;
    logic pass_start;
    logic pass_end;
    logic window;
    logic set_end;
    logic set_start;
    logic ifmap_free;
    logic residual_loaded;
    logic filter_loaded;
    logic ifmap_loaded;
    logic pass_queued;
    logic load_queued;
    logic layer_end;
    logic layer_start;
  } events_t;

  /// A real number: value * 2^(exponent - 150), rounded to the 24 bits of a float32; the first of them is set, or none.
  typedef struct packed {
    logic              negative;
    logic signed [9:0] exponent;
    logic [23:0]       value;
  } real_t;

  function automatic real_t real_of(input logic [31:0] float32);
    return '{negative: float32[31], exponent: $signed({2'b0, float32[30:23]}),
             value: float32[30:23] == '0 ? '0 : {1'b1, float32[22:0]}};
  endfunction
endpackage
