// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of contents of the compiler's front: every pass in its order.
#include "pipeline.h"

#include <algorithm>

#include "annotate_target.h"
#include "copy_outputs.h"
#include "eliminate_common_subexpressions.h"
#include "eliminate_dead_code.h"
#include "float_outputs.h"
#include "fold_affine.h"
#include "fold_batch_norm.h"
#include "fold_constants.h"
#include "ir/verify.h"
#include "lower_clips.h"
#include "lower_conversions.h"
#include "merge_composites.h"
#include "merge_regions.h"
#include "move_layout.h"
#include "move_to_integers.h"
#include "partition_graph.h"
#include "place_pools.h"
#include "quantize_integers.h"
#include "remove_redundant_casts.h"
#include "remove_redundant_qdq.h"
#include "rescale_joins.h"
#include "same_graph.h"
#include "settle_signs.h"
#include "split_slopes.h"
#include "split_weights.h"
#include "tensor/error.h"
#include "tokens_to_pixels.h"

namespace fovea {
namespace {

struct Pass {
  PassInfo info;
  std::function<Graph(const Graph& graph, const PipelineOptions& options)> run;
};

std::function<Graph(const Graph&, const PipelineOptions&)> plain(Graph (*pass)(const Graph&)) {
  return [pass](const Graph& graph, const PipelineOptions&) { return pass(graph); };
}

Graph lower(const Graph& graph, const PipelineOptions& options) { return lower_clips(graph, options.rounding); }

Graph quantize_whole(const Graph& graph, const PipelineOptions& options) {
  return quantize_integers(eliminate_dead_code(graph), options.rounding);
}

/// What no output needs is no reader.
Graph fold(const Graph& graph, const PipelineOptions&) { return fold_affine(eliminate_dead_code(graph)); }

Graph slopes(const Graph& graph, const PipelineOptions&) { return split_slopes(eliminate_dead_code(graph)); }

Graph split(const Graph& graph, const PipelineOptions&) { return split_weights(eliminate_dead_code(graph)); }

Graph rescale(const Graph& graph, const PipelineOptions& options) {
  return rescale_joins(eliminate_dead_code(graph), options.rounding);
}

Graph merge(const Graph& graph, const PipelineOptions& options) {
  return merge_composites(graph, options.rounding, options.targets);
}

Graph annotate(const Graph& graph, const PipelineOptions& options) { return annotate_target(graph, options.targets); }

const std::vector<Pass>& passes() {
  static const std::vector<Pass> table{
      // The network as ONNX means it, in its simplest form.
      {{"float-outputs", "integers that the network gives as float32 numbers"}, plain(float_outputs)},
      {{"quantize-integers", "products of whole float32 numbers that are rounded to 8 bits, as quantized"},
       quantize_whole},
      {{"tokens-to-pixels", "products with quantized weights, of many rows, as convolutions"}, plain(tokens_to_pixels)},
      {{"move-to-integers", "what moves elements, and max-pool, on integers"}, plain(move_to_integers)},
      {{"fold-constants", "what depends on no input is computed; weights stay integers"}, plain(fold_constants)},
      {{"remove-redundant-casts", "casts to the type that a value has, or had"}, plain(remove_redundant_casts)},
      {{"settle-signs", "int8 activations to uint8, weights to int8 around 0"}, plain(settle_signs)},
      {{"split-slopes", "leaky ReLU behind quantized products, as the larger of two"}, slopes},
      {{"fold-affine", "what scales and moves filters, into quantized convolutions"}, fold},
      {{"lower-conversions", "those of other types than uint8 with one scale, as elementwise operators"},
       plain(lower_conversions)},
      {{"lower-clips", "clips before quantize; gone, or relu, where quantization clips anyway"}, lower},
      {{"remove-redundant-qdq", "quantize(dequantize(q)) of the same parameters"}, plain(remove_redundant_qdq)},
      {{"move-layout", "reshape and transpose cancelled, merged, or moved into weights"}, plain(move_layout)},
      {{"split-weights", "weights of nine bits as sums of int8 ones, for channels that are repeated"}, split},
      {{"place-pools", "max-pool behind quantize, and before a join"}, plain(place_pools)},
      {{"eliminate-common-subexpressions", "what is computed twice is computed once"},
       plain(eliminate_common_subexpressions)},
      {{"rescale-joins", "convolutions at the scale of the join that reads them"}, rescale},
      {{"fold-batch-norm", "batch normalization into float32 convolutions"}, plain(fold_batch_norm)},
      {{"eliminate-dead-code", "what no output needs"}, plain(eliminate_dead_code)},
      {{"copy-outputs", "outputs that nothing computes are layers too"}, plain(copy_outputs)},
      // From here on, what one runtime call computes is one composite.
      {{"merge-composites", "patterns of operators to composites, by layers/layer_kinds.def"}, merge},
      {{"annotate-target", "accelerator or CPU, and why"}, annotate},
      {{"merge-regions", "neighbouring composites of one target"}, plain(merge_regions)},
      {{"partition", "each region a function of its own"}, plain(partition_graph)},
  };
  return table;
}

void check_pass_name(const std::string& name) {
  const auto& infos = list_passes();
  const bool is_known =
      name.empty() || std::any_of(infos.begin(), infos.end(), [&](const PassInfo& info) { return info.name == name; });
  if (!is_known) {
    user_error("there is no pass " + name + "; foveac --list-passes shows all");
  }
}

}  // namespace

const std::vector<PassInfo>& list_passes() {
  static const std::vector<PassInfo> infos = [] {
    std::vector<PassInfo> result;
    for (const Pass& pass : passes()) {
      result.push_back(pass.info);
    }
    return result;
  }();
  return infos;
}

Graph run_pipeline(const Graph& imported, const PipelineOptions& options) {
  check_pass_name(options.stop_after);
  verify(imported, "import");
  Graph graph = imported;
  for (const Pass& pass : passes()) {
    Graph next = pass.run(graph, options);
    verify(next, pass.info.name);
    if (options.on_pass) {
      options.on_pass(pass.info.name, next, !is_same_graph(graph, next));
    }
    graph = std::move(next);
    if (pass.info.name == options.stop_after) {
      break;
    }
  }
  return graph;
}

}  // namespace fovea
