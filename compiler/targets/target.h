// SPDX-License-Identifier: Apache-2.0
/// \file
/// A target: what can run layers, why it may refuse one, and how a layer becomes calls of the runtime.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/c_text.h"
#include "codegen/weight_file.h"
#include "layers/layer_kind.h"
#include "mapping/mapper.h"
#include "nest_rules.h"

namespace fovea {

/// A layer, planned.
struct PlannedLayer {
  const Layer* layer = nullptr;
  std::vector<CallText> calls;               ///< In their order; none of a view.
  std::string mapping;                       ///< For a person; "" where there is none to choose.
  std::string layout;                        ///< What the constants were laid out for, for the model's key.
  std::uint64_t predicted_cycles = 0;        ///< Of all calls; 0 where nothing is predicted.
  std::uint64_t dram_bytes = 0;              ///< Predicted, read and written.
  std::vector<nlohmann::ordered_json> json;  ///< Of each call, for the summary.
  std::optional<std::uint64_t> own_cycles;   ///< That an added target says its call takes; 0: unknown.
};

/// A place to run layers. One object serves one compilation.
class Target {
 public:
  virtual ~Target() = default;

  /// Says which layers it will be asked about, in their order, for what it would rather work out together.
  virtual void expect(const std::vector<std::shared_ptr<const Layer>>&) {}

  /// Why it can't run a layer, in one clause; nothing where it can.
  virtual std::optional<std::string> refuse(const Layer& layer) = 0;

  /// Cycles of a layer that it does not refuse; nothing where it doesn't say. Of several targets the cheapest takes it.
  virtual std::optional<std::uint64_t> cost(const Layer&) { return std::nullopt; }

  /// Whether it would rather run the parts of a layer than the layer that fuses them.
  virtual bool prefers_parts(const Layer&, const std::vector<std::shared_ptr<const Layer>>&) { return false; }

  /// Says which network it will plan, layer by layer, for what it would rather decide of all of them.
  virtual void begin(const Network&) {}

  /// Names of layers, in their order, that take turns: from the first to the last, none of their tensors may have the
  /// place of another. Asked for behind begin().
  virtual std::vector<std::vector<std::string>> together() const { return {}; }

  /// What stays on chip between layers, for the summary; null where nothing may. Asked for behind begin().
  virtual nlohmann::ordered_json on_chip() const { return nullptr; }

  /// Plans a layer that it did not refuse, and adds its constants to `weights`.
  virtual PlannedLayer plan(const Layer& layer, const Places& places, WeightFile& weights) = 0;

  /// What the plan is for, "" where any will do; and how mappings are chosen, "" where there are none.
  virtual std::string machine() const { return ""; }
  virtual std::string mapping_mode() const { return ""; }

  /// Bytes of which tensors and constants have to lie at multiples.
  virtual std::uint64_t alignment() const { return 1; }

  /// Header that emitted code includes for its calls.
  virtual std::string header() const { return "dla_runtime.h"; }

  /// C files of its own, by name: a header, and sources that are compiled with the emitted code.
  virtual std::map<std::string, std::string> files() const { return {}; }
};

/// A layer's nest for the CPU, in the order that it runs in. \throws UserError that names the layer.
using NestScheduler = std::function<Nest(const Nest& nest, const std::string& layer)>;

/// What a target may need to know.
struct TargetOptions {
  std::function<std::shared_ptr<Mapper>()> mapper;     ///< Of the machine to compile for.
  std::function<void(std::size_t layers)> on_mapping;  ///< Called before so many are mapped. May be empty.
  /// Of layers that the CPU runs as loops.
  NestScheduler schedule = [](const Nest& nest, const std::string& layer) {
    return scheduled_for_cpu(nest, layer, {}, false);
  };
  bool keeps_tensors = false;        ///< Activations may stay on chip between layers.
  std::uint32_t residency_seed = 0;  ///< If not 0, which ones do is drawn.
};

/// A row of targets().
struct TargetRow {
  std::string_view name;  ///< In IR, summaries and on the command line.
  std::shared_ptr<Target> (*make)(const TargetOptions& options);
};

/// All targets. The last one, the CPU, refuses nothing.
const std::vector<TargetRow>& targets();

/// A target under its name, ready to compile for.
struct NamedTarget {
  std::string name;
  std::shared_ptr<Target> target;
  bool is_added = false;  ///< By a user (added_target.h), beside the rows.
};

/// What all of their tensors and constants lie at multiples of: bytes, 16 at least, so that any element is aligned.
std::uint64_t alignment_of(const std::vector<NamedTarget>& targets);

/// The target called `name`, and behind it the CPU, which takes what it refuses. \pre there is such a row.
std::vector<NamedTarget> make_targets(std::string_view name, const TargetOptions& options);

/// \name The rows, a folder each.
/// @{
std::shared_ptr<Target> make_dla_target(const TargetOptions& options);
std::shared_ptr<Target> make_cpu_target(const TargetOptions& options);
/// @}

}  // namespace fovea
