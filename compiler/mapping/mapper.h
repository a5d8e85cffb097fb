// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps the layers of a network: each shape once, and by a tuning record where there is one. The header for all users
/// of this folder.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
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

  Mapper(MachineFile machine, MappingMode mode, const Goal& goal = {}, Recorded recorded = {});

  /// Chooses as choose_mapping() does, or takes what is recorded: of equal_shapes() the best, but with kLab the shape
  /// itself.
  const ShapeChoice& choose(const dla_shape& shape);

  /// The same of a fully connected layer: of the shapes of linear_shapes(), one with a record, or the best.
  const ShapeChoice& choose_linear(const LinearLayer& layer);

  /// Chooses for several layers side by side, on the host's threads, so that choose() and choose_linear() have the
  /// answers. What is chosen does not depend on the threads.
  void prepare(const std::vector<dla_shape>& convolutions, const std::vector<LinearLayer>& linears);

  /// From now on what `recorded` says goes before what was chosen so far.
  void use_records(Recorded recorded);

  const MachineFile& machine() const { return machine_; }
  MappingMode mode() const { return mode_; }
  const Goal& goal() const { return goal_; }

 private:
  std::optional<PlannedMapping> plan_recorded(const dla_shape& shape) const;
  MappingChoice map(const dla_shape& shape, std::uint64_t most_cycles) const;
  std::uint64_t most_cycles(std::uint64_t fewest, bool is_linear) const;

  MachineFile machine_;
  MappingMode mode_;
  Goal goal_;
  Recorded recorded_;
  std::map<std::string, ShapeChoice> chosen_;  ///< By to_text() of the shape.
  std::map<LinearLayer, ShapeChoice> chosen_linear_;
};

}  // namespace fovea
