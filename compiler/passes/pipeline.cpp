// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of contents of the compiler's front: every pass in its order.
#include "pipeline.h"

#include <algorithm>
#include <chrono>
#include <span>

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
#include "spec/near_name.h"
#include "split_slopes.h"
#include "split_weights.h"
#include "tensor/error.h"
#include "tokens_to_pixels.h"

namespace fovea {
namespace {

/// What comes before the first pass.
constexpr const char* kImport = "import";

struct Pass {
  PassInfo info;
  std::function<Graph(const Graph& graph, const PipelineOptions& options)> run;
  const AddedPass* added = nullptr;  ///< Of a user.
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
  return merge_composites(graph, options.rounding, options.targets, options.passes.fusions, options.passes.on_fusion);
}

Graph annotate(const Graph& graph, const PipelineOptions& options) { return annotate_target(graph, options.targets); }

const std::vector<Pass>& passes() {
  static const std::vector<Pass> table{
      // The network as ONNX means it, in its simplest form.
      {{"float-outputs", "integers that the network gives as float32 numbers", kRequired}, plain(float_outputs)},
      {{"quantize-integers", "products of whole float32 numbers that are rounded to 8 bits, as quantized", kFaster},
       quantize_whole},
      {{"tokens-to-pixels", "products with quantized weights, of many rows, as convolutions", kFaster},
       plain(tokens_to_pixels)},
      {{"move-to-integers", "what moves elements, and max-pool, on integers", kSimpler}, plain(move_to_integers)},
      {{"fold-constants", "what depends on no input is computed; weights stay integers", kRequired},
       plain(fold_constants)},
      {{"remove-redundant-casts", "casts to the type that a value has, or had", kSimpler},
       plain(remove_redundant_casts)},
      {{"settle-signs", "int8 activations to uint8, weights to int8 around 0", kRequired}, plain(settle_signs)},
      {{"split-weights", "weights of nine bits as sums of int8 ones, for channels that are repeated", kFaster}, split},
      {{"split-slopes", "leaky ReLU behind quantized products, as the larger of two", kFaster}, slopes},
      {{"fold-affine", "what scales and moves filters, into quantized convolutions", kFaster}, fold},
      {{"lower-conversions", "those of other types than uint8 with one scale, as elementwise operators", kRequired},
       plain(lower_conversions)},
      {{"lower-clips", "clips before quantize; gone, or relu, where quantization clips anyway", kSimpler}, lower},
      {{"remove-redundant-qdq", "quantize(dequantize(q)) of the same parameters", kSimpler},
       plain(remove_redundant_qdq)},
      {{"move-layout", "reshape and transpose cancelled, merged, or moved into weights", kFaster}, plain(move_layout)},
      {{"place-pools", "max-pool behind quantize, and before a join", kFaster}, plain(place_pools)},
      {{"eliminate-common-subexpressions", "what is computed twice is computed once", kSimpler},
       plain(eliminate_common_subexpressions)},
      {{"rescale-joins", "convolutions at the scale of the join that reads them", kFaster}, rescale},
      {{"fold-batch-norm", "batch normalization into float32 convolutions", kSimpler}, plain(fold_batch_norm)},
      {{"eliminate-dead-code", "what no output needs", kSimpler}, plain(eliminate_dead_code)},
      {{"copy-outputs", "outputs that nothing computes are layers too", kRequired}, plain(copy_outputs)},
      // From here on, what one runtime call computes is one composite.
      {{"merge-composites", "patterns of operators to composites, by layers/layer_kinds.def", kRequired}, merge},
      {{"annotate-target", "accelerator or CPU, and why", kRequired}, annotate},
      {{"merge-regions", "neighbouring composites of one target", kRequired}, plain(merge_regions)},
      {{"partition", "each region a function of its own", kRequired}, plain(partition_graph)},
  };
  return table;
}

std::size_t place_of(const std::vector<Pass>& order, const std::string& argument, const std::string& name) {
  const auto found = std::ranges::find(order, name, [](const Pass& pass) { return pass.info.name; });
  if (found == order.end()) {
    std::vector<std::string> names;
    for (const Pass& pass : order) {
      names.push_back(pass.info.name);
    }
    throw UsageError(argument + name + ": there is no such pass; foveac --passes lists all" +
                     did_you_mean(name, names));
  }
  return static_cast<std::size_t>(found - order.begin());
}

void add_pass(std::vector<Pass>& order, const AddedPass& added) {
  const std::string& name = added.info.name;
  if (name == kImport || std::ranges::count(order, name, [](const Pass& pass) { return pass.info.name; }) != 0) {
    throw UsageError("pass " + name + ": there is one of this name; give it another");
  }
  std::size_t place = added.after == kImport ? 0 : place_of(order, "pass " + name + ": after=", added.after) + 1;
  while (place < order.size() && order[place].added != nullptr && order[place].added->after == added.after) {
    ++place;
  }
  const auto run = [&added](const Graph& graph, const PipelineOptions&) { return added.run(graph); };
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), {added.info, run, &added});
}

/// \pre The context outlives the result.
std::vector<Pass> ordered(const PassContext& context) {
  check_fusions(context.fusions);
  std::vector<Pass> order = passes();
  for (const AddedPass& added : context.added) {
    add_pass(order, added);
  }
  for (const std::string& name : context.required) {
    place_of(order, "required pass ", name);
  }
  for (const std::string& name : context.disabled) {
    if (order[place_of(order, "disabled pass ", name)].info.level == kRequired) {
      throw UsageError("disabled pass " + name +
                       ": no network is compiled without it; foveac --passes shows which ones are");
    }
    if (std::ranges::count(context.required, name) != 0) {
      throw UsageError("disabled pass " + name + ": it is required too; leave one out");
    }
  }
  return order;
}

/// A user's pass may not change what the network takes and gives.
void check_ends(const char* what, const Graph& before, const std::vector<NodeId>& ids, const Graph& after,
                const std::vector<NodeId>& new_ids, const std::string& place) {
  if (ids.size() != new_ids.size()) {
    user_error("the graph has " + std::to_string(new_ids.size()) + " " + what + "s, not the " +
               std::to_string(ids.size()) + " that it had (" + place + ")");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (before[ids[i]].type != after[new_ids[i]].type) {
      user_error(describe(after, new_ids[i]) + ": " + what + " " + std::to_string(i) + " is a " +
                 to_text(after[new_ids[i]].type) + ", not the " + to_text(before[ids[i]].type) + " that it was (" +
                 place + ")");
    }
  }
}

void verify_added(const AddedPass& pass, const Graph& before, const Graph& after) {
  const std::string place = "after the pass " + pass.info.name + (pass.place.empty() ? "" : ", " + pass.place);
  refuse_broken(after, place);
  check_ends("input", before, before.inputs(), after, after.inputs(), place);
  check_ends("output", before, before.outputs(), after, after.outputs(), place);
}

/// Runs one pass, verifies what it made, and reports it.
Graph run_pass(const Pass& pass, const Graph& graph, const PipelineOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Graph next = pass.run(graph, options);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  if (pass.added != nullptr) {
    verify_added(*pass.added, graph, next);
  } else {
    verify(next, pass.info.name);
  }
  if (options.passes.on_pass) {
    options.passes.on_pass({pass.info, next, !is_same_graph(graph, next), graph.size(), time.count()});
  }
  return next;
}

}  // namespace

std::vector<PassInfo> list_passes(const PassContext& context) {
  std::vector<PassInfo> infos;
  for (const Pass& pass : ordered(context)) {
    infos.push_back(pass.info);
  }
  return infos;
}

void check_pass_name(const std::string& argument, const std::string& name, const PassContext& context) {
  place_of(ordered(context), argument, name);
}

Graph run_pipeline(const Graph& imported, const PipelineOptions& options) {
  const std::vector<Pass> order = ordered(options.passes);
  const std::size_t end =
      options.stop_after.empty() ? order.size() : place_of(order, "stop after ", options.stop_after) + 1;
  const std::size_t begin = options.start_after.empty() ? 0 : place_of(order, "start after ", options.start_after) + 1;
  verify(imported, kImport);
  Graph graph = imported;
  for (const Pass& pass : std::span(order).first(end).subspan(begin)) {
    if (options.passes.runs(pass.info)) {
      graph = run_pass(pass, graph, options);
    }
  }
  return graph;
}

}  // namespace fovea
