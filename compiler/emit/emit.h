// SPDX-License-Identifier: Apache-2.0
/// \file
/// Code generation: a network becomes C, weights and a summary in a folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "targets/cpu/cpu.h"
#include "targets/target.h"

namespace fovea {

/// The file of constants beside ir_before.txt and ir_after.txt.
constexpr const char* kIrConstants = "ir_constants.bin";

struct EmitOptions {
  std::filesystem::path folder;      ///< Made where it is missing.
  std::vector<NamedTarget> targets;  ///< All those that layers were put on.
  dla_rounding rounding = kDlaNearestEven;
  Cpu cpu = cpus().front();             ///< What the C is built for.
  std::string ir_before, ir_after;      ///< Texts kept beside the code: the imported and the partitioned graph.
  std::vector<std::byte> ir_constants;  ///< Their long constants: kIrConstants.
  std::map<std::string, std::string> sources = {};  ///< C files beside model.c, by name: extern_files().
};

/// One layer of the result, for a person.
struct EmittedLayer {
  std::string name, composite, target, reason;
  std::string mapping;  ///< "m=32 e=8 ...", a fully connected layer's behind "C=8 R=4 S=8 "; "" on the CPU.
  std::uint64_t predicted_cycles = 0;  ///< Of all groups; 0 on the CPU.
  std::uint64_t dram_bytes = 0;        ///< Predicted, read and written.
};

struct EmitReport {
  std::vector<EmittedLayer> layers;
  std::uint64_t weights_bytes = 0;      ///< Payload of weight.bin.
  std::uint64_t arena_bytes = 0;        ///< Peak of the planned arena.
  std::uint64_t naive_arena_bytes = 0;  ///< What a buffer a tensor would take.
  std::uint64_t predicted_cycles = 0;   ///< Of all device layers.
};

/// Writes into the folder: model.c, weight.bin, <model>.json, ir_before.txt, ir_after.txt and kIrConstants. Each is
/// written under a temporary name and all are renamed at the end, so none is ever half-written. \throws UserError where
/// the folder can't be written, or the network needs more than 32 bits of memory.
EmitReport emit_network(const Network& network, const EmitOptions& options);

}  // namespace fovea
