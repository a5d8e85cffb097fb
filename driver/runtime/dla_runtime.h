// SPDX-License-Identifier: Apache-2.0
/// \file
/// The functions that emitted C calls: one a composite, on the device or, with `_cpu` at the end, on the host.
///
/// C11, freestanding: no allocation, no files, no printing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dla_extern.h"
#include "hal/dla_counters.h"
#include "hal/dla_hal.h"
#include "spec/dla_layer.h"
#include "spec/dla_list.h"
#include "spec/dla_requant.h"

#ifdef __cplusplus
extern "C" {
// A call and the struct of its arguments have one name, as in C; -Wshadow takes that for an accident.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

struct dla_runtime;

/// One device layer that has run, as handed to the observer.
struct dla_layer_record {
  const char* operation;  ///< Name of the composite: "qconv2d_relu_maxpool", ...
  const char* name;       ///< Name of the layer: "conv1".
  const struct dla_layer* layer;
  struct dla_counters counters;
  uint32_t predicted_cycles;  ///< The compiler's prediction; 0: none.
  uint32_t list;              ///< Number of its list in this run, from 1 on; 0: it had a START of its own.
};

/// A device layer, or a slice of one, that waits in a list.
struct dla_listed_layer {
  const char* operation;
  const char* name;
  uint32_t predicted_cycles;
  struct dla_layer layer;
  uint32_t first_row, rows;  ///< Of the ofmap: the slice (spec/dla_slice.h); no rows: all of the layer at once.
};

/// Successive device layers, without a host layer between. They wait here, and run by one START.
struct dla_list {
  uint32_t addr;   ///< Address of entries and records in device memory; 0: there is no room for them yet.
  uint32_t count;  ///< Layers that wait.
  uint32_t lists;  ///< Lists that ran since dla_model_run() began.
  struct dla_listed_layer layers[DLA_LIST_LAYERS];
};
/// Bytes of device memory for a list, at any address.
#define DLA_LIST_BYTES (DLA_LIST_LAYERS * (256u + 128u) + 256u)

/// Dimensions of a tensor, without a batch of 1.
#define DLA_MOST_DIMENSIONS 8u

/// A tensor that a layer has just written, as handed to the observer (DUMP_LAYERS).
struct dla_tensor {
  const char* name;                     ///< Name of the layer.
  const char* type;                     ///< "uint8" or "float32"; of a nest also "bool", "int8", "int32" or "int64".
  uint32_t rank;                        ///< 1 to DLA_MOST_DIMENSIONS.
  uint32_t shape[DLA_MOST_DIMENSIONS];  ///< Without a batch of 1: [C, H, W] or [C].
  bool is_stacked;                      ///< [N, C, ...], and lies as [C, N, ...]: the pictures under each other.
  const void* data;                     ///< Host view; valid during the call only.
  uint32_t bytes;
  const char* target;  ///< That computed it, where a user has added one (dla_target.h); else NULL.
  uint64_t cycles;     ///< Of such a one; 0: unknown.
};

/// Watches a run. Either function may be NULL.
struct dla_observer {
  void* ctx;
  void (*on_layer)(void* ctx, const struct dla_layer_record* record);
  void (*on_tensor)(void* ctx, const struct dla_tensor* tensor);
};

/// A layer of a user's target that is computed outside of the emitted code.
struct dla_target_call {
  const char *target, *layer;
  const void* inputs[DLA_MOST_DIMENSIONS];
  uint32_t input_count;
  void* output;
};

/// What computes such layers.
struct dla_target_functions {
  void* ctx;
  dla_status_t (*compute)(void* ctx, const struct dla_target_call* call);  ///< NULL: nothing does.
};

/// The driver's state. Make one with dla_runtime_open(); the fields are for reading.
struct dla_runtime {
  const dla_hal_t* hal;
  struct dla_machine machine;  ///< From the GEOMETRY registers; all zero where there is no device.
  struct dla_observer observer;
  uint32_t weights_addr, weights_bytes;  ///< Place of the weights in device memory.
  uint32_t arena_addr, arena_bytes;      ///< Place of the activations in device memory.
  uint64_t max_layer_cycles;             ///< Limit of the wait for a layer; 0: derived from its prediction or its MACs.
  enum dla_error last_error;             ///< Cause of the last kDlaRefused.
  uint32_t last_error_addr;              ///< Its address, if the bus answered with an error; else 0.
  const char* last_layer;                ///< Name of the layer that was running when a call failed.
  struct dla_target_functions targets;   ///< The program sets it behind dla_runtime_open().
  uint64_t target_cycles;                ///< Of the layer on a user's target: its call adds what its unit counts.
  /// Gathers device layers in lists; NULL: one START a layer. The program sets it, cleared to 0, before
  /// dla_runtime_load(). The observer then sees a list's layers when all of them have run, and none of their tensors.
  struct dla_list* list;
  /// Of the last kDlaExternFailed: the operator, its ONNX node, and what its function returned.
  const char *failed_op, *failed_node;
  int failed_code;
};

/// A weight file, in memory. Layout of weight.bin, little endian, in this order:
/// magic "FOVEAW01", u32 version (1), u32 header bytes (64), u32 payload bytes, u32 CRC-32 (zlib's) of the payload,
/// u32 CRC-32 of the text "<model>|<machine>|<layout>" that the emitted C repeats as model_key, 36 bytes of zeros; then
/// the payload.
#define DLA_WEIGHTS_MAGIC "FOVEAW01"
#define DLA_WEIGHTS_VERSION 1u
#define DLA_WEIGHTS_HEADER_BYTES 64u

/// An input or output of a network: dense float32 in host memory.
struct dla_port {
  const char* name;
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];  ///< Without the batch: [C, H, W].
};

/// A compiled network. Emitted C defines exactly one, named `dla_model`. With one input and one output it has `run`,
/// otherwise `run_ports` with tables of ports. dla_model_run() and its neighbours hide the difference. A network of an
/// older driver ends after `run`, so `run` is tested first.
struct dla_model {
  uint32_t abi;         ///< DLA_MODEL_ABI.
  const char* name;     ///< Of the network.
  const char* target;   ///< "dla" or "cpu".
  const char* machine;  ///< Machine the plan was made for; "" for the CPU.
  enum dla_rounding rounding;
  uint32_t model_key;                                       ///< Must equal the weight file's.
  uint32_t weights_bytes;                                   ///< Payload of the weight file.
  uint32_t arena_bytes;                                     ///< Peak of the planned arena.
  uint32_t input_rank, input_shape[DLA_MOST_DIMENSIONS];    ///< float32, without the batch: [C, H, W].
  uint32_t output_rank, output_shape[DLA_MOST_DIMENSIONS];  ///< float32, without the batch.
  uint32_t layers;                                          ///< Calls that run() makes, for progress.
  /// Runs the network once. `input` and `output` are host memory, dense.
  dla_status_t (*run)(struct dla_runtime* rt, const float* input, float* output);
  const struct dla_port* inputs;  ///< In the order in which run_ports() takes them.
  uint32_t input_count;
  const struct dla_port* outputs;
  uint32_t output_count;
  dla_status_t (*run_ports)(struct dla_runtime* rt, const float* const* inputs, float* const* outputs);
};
#define DLA_MODEL_ABI 3u

/// Inputs and outputs of a network, in order. The only input of `run` is called "input", its only output "output".
/// \pre i is less than the count.
uint32_t dla_model_input_count(const struct dla_model* model);
uint32_t dla_model_output_count(const struct dla_model* model);
struct dla_port dla_model_input(const struct dla_model* model, uint32_t i);
struct dla_port dla_model_output(const struct dla_model* model, uint32_t i);

/// Runs the network once. \param inputs, outputs  A dense tensor in host memory a port, in order.
dla_status_t dla_model_run(const struct dla_model* model, struct dla_runtime* rt, const float* const* inputs,
                           float* const* outputs);

/// Opens a driver on a backend. Reads ID, VERSION and GEOMETRY; kDlaNoDevice where they are unknown.
/// With `hal->read32` NULL there is no device, and only the `_cpu` calls work.
dla_status_t dla_runtime_open(struct dla_runtime* rt, const dla_hal_t* hal);

/// Checks a weight file against the model, copies its payload to device memory, and reserves the arena.
/// Earlier content of device memory is dropped. \return kDlaBadWeights if dla_weights_problem() is not NULL.
dla_status_t dla_runtime_load(struct dla_runtime* rt, const struct dla_model* model, const void* file,
                              size_t file_bytes);

/// The reason why `file` is not the weight file of `model`, as the end of a sentence; NULL if it is.
const char* dla_weights_problem(const struct dla_model* model, const void* file, size_t file_bytes);

// Every call below returns kDlaBadArg, having done nothing, where a number makes no sense or a tensor would leave the
// arena or the weights; and hands what it wrote to the observer.

/// A layer on the device: a convolution, followed by the operations in its shape and quantization. ReLU is in
/// quant.lowest. Other layers are convolutions too:
/// - Fully connected: filters as large as the ifmap, H = R, W = S, no padding, C * R * S inputs and M outputs. Any
///   factors C, R, S are legal; the compiler takes those that run fastest.
/// - The mean of each channel: such a layer a group, G channels of C * R * S values, one output each, weights of 1, and
///   dla_derive_mean_scale() (spec/dla_requant.h) for a scale. Or, as all filters are alike, a filter for each H / R
///   channels, that lie under each other in a group: C = 1, U = R, W = S, no padding, G H / R channels.
/// - The mean under a window: depthwise, with weights of 1.
/// - A max-pool, and the sum of two tensors: behind a depthwise one with filters of one weight, 1.
struct dla_device_layer {
  const char* operation;  ///< Its name in reports, as the lab names it: "qconv2d_relu_maxpool".
  const char* name;       ///< Of the layer, for reports.
  bool is_flat;           ///< The ofmap is shown as [M].
  uint32_t ifmap,
      ofmap;        ///< Byte offsets in the arena, or where the shape says so addresses on chip (spec/dla_planes.h).
  uint32_t filter;  ///< Byte offset of the filter stream in the weights.
  struct dla_shape shape;
  struct dla_mapping mapping;
  struct dla_glb_plan glb;
  struct dla_quant quant;
  uint32_t predicted_cycles;
  uint32_t residual;  ///< If the shape has one: the same of the tensor to add, [G M, E, F].
  /// Pictures of a batch, a command each; 0: one. In a tensor they are one behind another; or where the shape has
  /// planes of more rows under each other in each plane, from the tensor's offset on.
  uint32_t N;
  /// The ofmap as the observer is told; of rank 0 as the shape says it.
  struct {
    uint32_t rank, shape[DLA_MOST_DIMENSIONS];
    bool is_stacked;  ///< As dla_tensor has it.
  } shown;
};
dla_status_t dla_run_on_device(struct dla_runtime* rt, const struct dla_device_layer* args);

/// Layers that run depth first: a slice of rows of each in turn, then the next slice of each. On chip, a tensor between
/// them may be a ring of its planes' rows. The observer is told of each layer once, with the sums of its slices.
struct dla_depth_first {
  const struct dla_device_layer* const* layers;
  uint32_t count;        ///< Of layers, at most DLA_DEPTH_FIRST_LAYERS.
  uint32_t slices;       ///< At most DLA_LIST_LAYERS commands in all.
  const uint16_t* rows;  ///< [slices][count]: of each layer's ofmap; 0 where it has none in a slice.
};
dla_status_t dla_run_depth_first(struct dla_runtime* rt, const struct dla_depth_first* args);

/// A window that moves over an ifmap, with ONNX's attributes: any size, for the host kernels.
struct dla_window {
  uint32_t kernel[2], strides[2], dilations[2];  ///< Rows, columns.
  uint32_t pads[4];                              ///< Top, left, bottom, right.
};

/// A max-pool behind a convolution: a window of 2 or 3 at a stride of 1 to 3, each 2 where 0; padding never wins.
struct dla_pooling {
  uint32_t size, stride;
  uint32_t pads[4];  ///< Top, left, bottom, right; less than its size.
};

/// How accumulators on the host become outputs: by quant.shift, or at scales of any kind by dla_apply_scale()
/// (spec/dla_requant.h). A scale is f32(f32(sx * sw) / sy), 0 or more and finite.
enum dla_scaling {
  kDlaByShift,
  kDlaByScale,   ///< quant.scale.
  kDlaByScales,  ///< Of each filter its own: float32 at a place in the weights, a multiple of 4.
};

/// A convolution on the host, with any window and groups: filter [M, C / groups, R, S] int8, bias [M] int32. ReLU is in
/// quant.lowest. With `pool`, rows and columns behind the last whole window of `pooling` are dropped. Of N pictures,
/// one behind another in ifmap and ofmap; N = 0 is one, here and below.
struct dla_qconv2d_cpu {
  const char* name;
  uint32_t ifmap,
      ofmap;  ///< Byte offsets in the arena, or where the shape says so addresses on chip (spec/dla_planes.h).
  uint32_t filter, bias;  ///< Byte offsets in the weights; bias a multiple of 4.
  uint32_t C, H, W, M, groups;
  struct dla_window window;
  struct dla_quant quant;
  enum dla_scaling scaling;
  uint32_t scales;  ///< Of kDlaByScales.
  bool pool;
  struct dla_pooling pooling;
  uint32_t N;
};
dla_status_t dla_qconv2d_cpu(struct dla_runtime* rt, const struct dla_qconv2d_cpu* args);

/// Fully connected on the host: ofmap[m] = requantize(bias[m] + sum over c of (ifmap[c] - zero point) * filter[m][c]).
struct dla_qlinear_cpu {
  const char* name;
  uint32_t ifmap, ofmap, filter, bias;  ///< Byte offsets, in the arena and the weights; bias a multiple of 4.
  uint32_t C, M;                        ///< Inputs and outputs.
  struct dla_quant quant;
  enum dla_scaling scaling;
  uint32_t scales;  ///< Of kDlaByScales.
  uint32_t N;
};
dla_status_t dla_qlinear_cpu(struct dla_runtime* rt, const struct dla_qlinear_cpu* args);

/// Any function of uint8 on the host, elementwise: y = table[x], one table for all, or one for each index of an axis.
/// The ofmap may be the ifmap.
struct dla_lookup_cpu {
  const char* name;
  uint32_t ifmap,
      ofmap;  ///< Byte offsets in the arena, or where the shape says so addresses on chip (spec/dla_planes.h).
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];
  uint32_t tables;  ///< Byte offset in the weights of `count` tables of 256 bytes.
  uint32_t count;
  uint32_t run;  ///< Elements in a row that have one table; the next have the next, and behind the last the first.
};
dla_status_t dla_lookup_cpu(struct dla_runtime* rt, const struct dla_lookup_cpu* args);

/// An operand of dla_qbinary_cpu.
struct dla_operand {
  const float* data_host;  ///< float32 in host memory, where it is not NULL.
  uint32_t data;           ///< Else a byte offset in the arena, or of a constant in the weights.
  bool is_constant;        ///< Else an activation.
  bool is_float;           ///< float32, at a multiple of 4, and used as it is; else uint8.
  uint32_t
      shape[DLA_MOST_DIMENSIONS];  ///< As many dimensions as the ofmap; each the ofmap's, or 1: broadcast along it.
  float scale;
  uint8_t zero_point;
};

/// y = a op b on the host, broadcast as numpy does it: of two uint8 operands dla_add_u8() and dla_multiply_u8()
/// (spec/dla_requant.h), where the order of a and b counts for sums; all else as float32 computes it, dla_combine_f32()
/// and dla_round_to_u8(). With ReLU y is at least its zero point. a may be b, and the ofmap an operand of its own
/// shape.
struct dla_qbinary_cpu {
  const char* name;
  enum dla_binary op;
  struct dla_operand a, b;
  uint32_t ofmap;  ///< Byte offset in the arena.
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];
  float ofmap_scale;
  uint8_t ofmap_zero_point;
  bool relu;
  enum dla_rounding rounding;
};
dla_status_t dla_qbinary_cpu(struct dla_runtime* rt, const struct dla_qbinary_cpu* args);

/// One of the tensors that a concatenation takes.
struct dla_concat_input {
  const void* x_host;
  uint32_t x;          ///< Host memory, or where NULL a byte offset in the arena.
  uint32_t run_bytes;  ///< Of a run: the product of its dimensions from the axis on, in bytes.
  bool in_place;       ///< It is where it belongs in the output already; nothing is done.
  bool has_table;      ///< Of uint8: each element becomes what a table has for it,
  uint32_t table;      ///< 256 bytes at that offset in the weights.
};

/// Joins tensors along an axis, on the host: each run of the output is a run of each input, one after another. The
/// output overlaps no input but those in place.
struct dla_concat_cpu {
  const char* name;
  void* y_host;
  uint32_t y;                                 ///< Likewise.
  const char* type;                           ///< "uint8" or "float32".
  uint32_t element_bytes;                     ///< 1 or 4.
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];  ///< Of the output.
  uint32_t runs;                              ///< Product of the dimensions before the axis.
  const struct dla_concat_input* inputs;
  uint32_t count;  ///< Of the inputs.
};
dla_status_t dla_concat_cpu(struct dla_runtime* rt, const struct dla_concat_cpu* args);

/// A loop of an index map. Index i of `size` is at output_step * i in the output, and is read at input_step *
/// (i - first) where first <= i < last; or with has_table at table[i], which is negative where nothing is read.
struct dla_index_map_loop {
  uint32_t size, output_step;
  int32_t input_step;
  uint32_t first, last;
  bool has_table;
  uint32_t table;  ///< Byte offset in the weights of an int32 an index, a multiple of 4.
};
#define DLA_INDEX_MAP_LOOPS 8u

/// Moves elements on the host: slices, pads, transposes, resizes, ... An output element is read at `start` plus the sum
/// of the loops' offsets, in elements; if one of the loops reads nothing, it is `fill`. The loops visit each place of
/// the output once; the innermost is the last. The output does not overlap the input.
struct dla_index_map_cpu {
  const char* name;
  const void* input_host;
  uint32_t input;  ///< Host memory, or where NULL a byte offset in the arena.
  void* output_host;
  uint32_t output;                            ///< Likewise.
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];  ///< Of the output.
  const char* type;        ///< "float32", "uint8", "int8", "int32", "int64" or "bool", as the observer is told.
  uint32_t element_bytes;  ///< 1, 4 or 8.
  uint32_t input_elements, start;
  uint64_t fill;  ///< An element's bits.
  const struct dla_index_map_loop* loops;
  uint32_t count;  ///< 1 to DLA_INDEX_MAP_LOOPS.
};
dla_status_t dla_index_map_cpu(struct dla_runtime* rt, const struct dla_index_map_cpu* args);

/// Float to uint8 and back: dla_quantize_f32() (spec/dla_requant.h), or at a power of two with kDlaFloor toward zero;
/// and scale * (x - zero_point). quantize reads the network's input, dequantize writes its output, or either may use
/// the arena (host pointer NULL). Not a number becomes 0, with kDlaFloor the zero point.
struct dla_quantize {
  const char* name;
  const float* input_host;
  uint32_t input;  ///< Host memory, or where NULL a byte offset in the arena.
  float* output_host;
  uint32_t output;  ///< Likewise.
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];
  float scale;
  uint8_t zero_point;
  enum dla_rounding rounding;  ///< Of quantize.
};
dla_status_t dla_quantize_cpu(struct dla_runtime* rt, const struct dla_quantize* args);
dla_status_t dla_dequantize_cpu(struct dla_runtime* rt, const struct dla_quantize* args);

/// Float32 layers of a quantized network. `x` and `y` are in host memory, or where `_host` is NULL at byte offsets
/// in the arena; weights are byte offsets, multiples of 4.

/// An input of a nest: `bytes` in the arena, float32 values at x_host where that is not NULL, or constants.
struct dla_nest_input {
  const float* x_host;
  uint32_t x;
  bool is_constant;  ///< x is a place in the weights.
  uint32_t bytes;
};

/// What a convolution does with its results before it stores them: loops that the compiler wrote. run() makes `count`
/// elements of y, those of filter m from `first` on, of as many results x, and of the inputs, at most 8. Where filters
/// have one result each, they are the elements of one filter.
struct dla_float_end {
  void (*run)(const void* const* inputs, uint32_t m, uint32_t first, uint32_t count, const float* x, float* y);
  const struct dla_nest_input* inputs;
  uint32_t count;
};

/// end?(relu?(bias[m] + sum of x * filter)), summed in float32 in an order that is the same on all CPUs: filter [M, C /
/// groups, R, S], bias [M], all float32. A fully connected layer is one of H = W = 1. Uses up to 110 KiB of stack, as
/// dla_convolve().
struct dla_float_conv2d_cpu {
  const char* name;
  const float* x_host;
  uint32_t x;
  float* y_host;
  uint32_t y;
  uint32_t filter, bias;
  uint32_t C, H, W, M, groups;
  struct dla_window window;
  bool relu;
  struct dla_float_end end;  ///< Nothing where run is NULL; of one picture only.
  uint32_t N;
};
dla_status_t dla_float_conv2d_cpu(struct dla_runtime* rt, const struct dla_float_conv2d_cpu* args);

/// run(inputs, y): loops that the compiler wrote for one layer. At most 8 inputs; y is none of them.
struct dla_nest_cpu {
  const char* name;
  void (*run)(const void* const* inputs, void* y);
  float* y_host;  ///< Of float32.
  uint32_t y;
  const char* type;        ///< Of y's elements: "float32", "bool", "uint8", "int8", "int32" or "int64".
  uint32_t element_bytes;  ///< 1, 4 or 8.
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];  ///< Of y.
  const struct dla_nest_input* inputs;
  uint32_t count;
};
dla_status_t dla_nest_cpu(struct dla_runtime* rt, const struct dla_nest_cpu* args);

/// An operator that is a C function of the user's (dla_extern.h). Inputs and outputs without dims are left out by the
/// node; the others' data is filled in here. y has all outputs, each at its offset.
struct dla_extern_cpu {
  const char* name;
  int (*run)(const struct dla_extern_call* call);
  const char *op, *node;
  struct dla_extern_tensor* inputs;
  uint32_t input_count;
  const struct dla_nest_input* places;  ///< Of the inputs that are not left out, in order.
  uint32_t place_count;
  struct dla_extern_tensor* outputs;
  uint32_t output_count;
  const uint32_t* offsets;
  const struct dla_extern_attribute* attributes;
  uint32_t attribute_count;
  float* y_host;  ///< Of float32.
  uint32_t y;
  const char* type;
  uint32_t element_bytes;
  uint32_t rank, shape[DLA_MOST_DIMENSIONS];
};
dla_status_t dla_extern_cpu(struct dla_runtime* rt, const struct dla_extern_cpu* args);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
