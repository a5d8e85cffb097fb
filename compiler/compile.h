// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a network's file to its C: import, passes, code generation.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "command_line.h"
#include "layers/collect_layers.h"
#include "mapping/mapper.h"
#include "targets/target.h"

namespace fovea {

/// Reads a network: ONNX, or the text of an IR. What can't be converted is a call of "unsupported". \throws UserError.
Graph load_network(const std::filesystem::path& path);

/// Compiles as the command line says; IR texts and the table of layers go to `out`.
/// \throws UserError or MachineError where the network, the machine or a folder can't be used.
void compile(const CommandLine& line, std::ostream& out);

/// Imports the network and runs all passes for the mapper's machine. \throws as compile().
Network import_network(const CommandLine& line, const std::shared_ptr<Mapper>& mapper);

/// The same, but what is refused is left out and listed. \param targets  Become those that the layers are on.
Network import_layers(const CommandLine& line, std::vector<NamedTarget>& targets, std::vector<PlacedRefusal>& refusals);

/// Draws the network before and after the passes. \throws as compile().
void draw(const CommandLine& line);

/// Writes the network after its first passes as ONNX. \throws as compile().
void export_network(const CommandLine& line);

/// Prints the passes, one a line.
void print_passes(std::ostream& out);

}  // namespace fovea
