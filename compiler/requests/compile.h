// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a network's file to its C: import, passes, code generation.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "emit/emit.h"
#include "layers/collect_layers.h"
#include "mapping/mapper.h"
#include "passes/pipeline.h"
#include "placement.h"
#include "targets/target.h"

namespace fovea {

/// Whose functions the C calls.
enum class OutputStyle { kDriver, kLab };

struct CompileRequest {
  NetworkRequest network;
  Cpu cpu = cpus().front();  ///< What the C is built for.
  OutputStyle style = OutputStyle::kDriver;
  std::filesystem::path output;  ///< A folder; "" where nothing is to be written.
  std::string stop_after;        ///< A pass, or "".
};

/// Elements of a constant that a person wants to see.
constexpr std::size_t kShownElements = 16;

struct Compiled {
  Graph graph;                        ///< After the last pass that ran.
  std::optional<Network> network;     ///< Where all did.
  std::optional<EmitReport> written;  ///< Where there was a folder.
};

/// Reads a network: ONNX, or an IR. What can't be converted is a call of "unsupported". \throws UserError.
Graph load_network(const std::filesystem::path& path, const ImportOptions& options);

/// \throws UserError or MachineError where the network, the machine or a folder can't be used.
Compiled compile(const CompileRequest& request);

/// Runs the passes that a request chooses on a graph. \param stop_after  A pass, or "". \throws as compile().
Graph run_passes(const NetworkRequest& request, const Graph& graph, const std::string& stop_after);

/// Imports the network and runs all passes for the mapper's machine. \throws as compile().
Network import_network(const NetworkRequest& request, const std::shared_ptr<Mapper>& mapper);

/// The same, but what is refused is left out and listed. \param targets  Become those that the layers are on.
Network import_layers(const NetworkRequest& request, std::vector<NamedTarget>& targets,
                      std::vector<PlacedRefusal>& refusals);

/// Draws the network before and after the passes into a folder. \throws as compile().
/// \param after  The text of an IR that is drawn instead of what the passes make; may be "".
void draw(const NetworkRequest& request, const std::filesystem::path& folder, const std::filesystem::path& after = "");

/// The forms of ONNX that a network is exported in.
enum class OnnxForm {
  kQoperator,  ///< Operators on 8-bit values.
  kQdq,        ///< Float operators between conversions.
};

/// Writes the network after its first passes as ONNX. \throws as compile().
void export_network(const NetworkRequest& network, OnnxForm form, const std::filesystem::path& output);

}  // namespace fovea
