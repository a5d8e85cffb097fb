// SPDX-License-Identifier: Apache-2.0
/// \file
/// What networks take on machines, by the compiler's prediction: as if compiled, but no code and no weights are
/// written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile.h"
#include "priced_command.h"
#include "targets/dla/residency.h"

namespace fovea {

/// A network after the passes that no machine matters to.
struct PassedNetwork {
  std::string name;
  Graph graph;
};

/// \throws UserError where the network can't be compiled.
PassedNetwork pass_network(const NetworkRequest& request);

/// A layer of a network on a machine.
struct EvaluatedLayer {
  std::string name, composite, target, reason;  ///< As Layer has them.
  std::uint64_t macs = 0;
  std::string asked;             ///< The command that the accelerator runs, by its text; "" where it runs none. Of one
                                 ///< beside tensors on chip, the text says what is kept, and its slices.
  std::uint64_t commands = 0;    ///< How many times.
  std::uint64_t cpu_cycles = 0;  ///< Of a layer on the CPU, in cycles of the accelerator's clock.
};

/// One machine with one memory, for any number of networks: each command is searched for once.
class Evaluator {
 public:
  /// What is known of a command from before; nothing where that is nothing.
  using Known = std::function<std::optional<PricedCommand>(const std::string& asked)>;

  /// \param dram     For memory_of().
  /// \param threads  That searches take at most.
  Evaluator(const MachineFile& machine, const Goal& goal, const std::string& dram, std::size_t threads, Known known);

  Evaluator(const Evaluator&) = delete;  // Its mapper asks it.
  Evaluator& operator=(const Evaluator&) = delete;

  /// All layers but those whose bytes are there already, and the conversions at the network's ends.
  /// \param keeps_tensors  Whether tensors may stay in the GLB between layers: plan_residency() says which.
  /// \throws UserError where the network can't be compiled.
  std::vector<EvaluatedLayer> evaluate(const PassedNetwork& network, bool keeps_tensors);

  /// \throws UserError where memory does not hold the network.
  void check_memory(const PassedNetwork& network);

  /// A command that evaluate() spoke of. \pre it has a mapping.
  const PricedCommand& price(const std::string& asked);

  /// Commands that were searched for, as nothing was known of them, since this was asked last: with those that no layer
  /// uses in the end, and those of plans. Those that no mapping fits are among them, without a plan.
  std::vector<std::string> take_searched();

 private:
  Network place(const PassedNetwork& network, std::vector<NamedTarget>& targets);
  Mapper& planner();
  void note_beside(const Layer& layer, const LayerResidency& where, EvaluatedLayer& one);

  std::size_t threads_;
  std::shared_ptr<Mapper> mapper_;
  std::unique_ptr<Mapper> planner_;  ///< Of plans: what is known of commands has less than they ask for.
  DramPreset dram_;
  std::map<std::string, PricedCommand> priced_;
  std::set<std::string> searched_;  ///< And taken.
  std::set<std::string> known_;
  std::vector<std::string> beside_;  ///< Commands beside tensors on chip, not taken yet.
};

}  // namespace fovea
