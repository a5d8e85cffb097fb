// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps the layers of a network: each shape once, and by a tuning record where there is one. The header for all users
/// of this folder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "array_census.h"
#include "loop_nest.h"
#include "mapping.h"
#include "search_mapping.h"

namespace fovea {

class Mapper {
 public:
  /// A mapping that was measured to be a shape's best; nothing where none was.
  using Recorded = std::function<std::optional<dla_mapping>(const dla_shape& shape)>;

  /// What was chosen for what has this text when it was asked for; nothing where that is not known.
  using Known = std::function<std::optional<ShapeChoice>(const std::string& asked)>;

  Mapper(MachineFile machine, MappingMode mode, const Goal& goal = {}, Recorded recorded = {});

  /// Chooses as choose_mapping() does, or takes what is recorded: of equal_shapes() the best, but with kLab the shape
  /// itself. Its cost is that with the machine's memory.
  const ShapeChoice& choose(const dla_shape& shape);

  /// A mapper of the same machine with less of its GLB: what tensors on chip leave. It chooses as this one does, but
  /// knows nothing by use_choices(). \pre There are whole banks left.
  Mapper& beside(std::uint32_t kept_bytes);

  /// The same of a fully connected layer: of the shapes of linear_shapes(), one with a record, or the best.
  const ShapeChoice& choose_linear(const LinearLayer& layer);

  /// Chooses for several layers side by side, on the host's threads, so that choose() and choose_linear() have the
  /// answers. What is chosen does not depend on the threads.
  void prepare(const std::vector<dla_shape>& convolutions, const std::vector<LinearLayer>& linears);

  /// From now on what `recorded` says goes before what was chosen so far.
  void use_records(Recorded recorded);

  /// From now on what `known` says of a shape or a fully connected layer, by its text, is taken and not searched for,
  /// unless there is a record, or the plan is of a shape that it can't have. choose() hands on what the plan has.
  void use_choices(Known known) { known_ = std::move(known); }

  /// From now on searches on so many threads at most.
  void limit_threads(std::size_t threads) { threads_ = threads; }

  /// What was chosen so far, by the texts of what was asked for, in no order that means anything.
  std::vector<std::pair<std::string, const ShapeChoice*>> chosen() const;

  const MachineFile& machine() const { return machine_; }
  MappingMode mode() const { return mode_; }
  const Goal& goal() const { return goal_; }

 private:
  std::optional<PlannedMapping> plan_recorded(const dla_shape& shape) const;
  MappingChoice map(const dla_shape& shape, std::uint64_t most_cycles) const;
  std::uint64_t most_cycles(std::uint64_t fewest, bool is_linear) const;
  void predict_with_memory(ShapeChoice& choice) const;

  MachineFile machine_;
  MappingMode mode_;
  Goal goal_;
  Recorded recorded_;
  Known known_;
  std::size_t threads_;
  std::map<std::string, ShapeChoice> chosen_;  ///< By to_text() of the shape.
  std::map<LinearLayer, ShapeChoice> chosen_linear_;
  std::map<std::uint32_t, std::unique_ptr<Mapper>> beside_;  ///< By the bytes that are kept.
};

}  // namespace fovea
