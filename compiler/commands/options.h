// SPDX-License-Identifier: Apache-2.0
/// \file
/// Options that several commands have.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "choice.h"
#include "requests/placement.h"
#include "tensor/error.h"

namespace fovea {

/// Columns that the name of a pass takes in lists.
inline constexpr int kPassWidth = 34;

CLI::Option* add_model_option(CLI::App& app, std::filesystem::path& model);
/// What the answers are exact to. \param name  "--exact-to".
void add_exactness_option(CLI::App& app, const std::string& name, Exactness& exact_to);
/// Sizes of dimensions that the network's file leaves open.
void add_shape_option(CLI::App& app, ImportOptions& import);
void add_batch_option(CLI::App& app, ImportOptions& import);
/// Operators that are C functions of the user's.
void add_extern_option(CLI::App& app, ImportOptions& import);
/// How the network's file is read: all of these.
void add_import_options(CLI::App& app, ImportOptions& import);

/// "x=1x3x224x224" into shapes. \throws UsageError.
void add_shape(const std::string& text, ImportOptions& import);
/// The reverse, of one input.
std::string shape_text(const std::string& input, const Shape& shape);

CLI::Option* add_json_option(CLI::App& app, bool& prints_json);
void add_optimize_option(CLI::App& app, Goal& goal);
void add_residency_option(CLI::App& app, bool& keeps_tensors);
void add_rounding_option(CLI::App& app, dla_rounding& rounding);

/// \param machine  Becomes what was typed, or the default machine's name; settle_machine() finds its file.
void add_machine_option(CLI::App& app, std::filesystem::path& machine);

/// Where searches for mappings are kept.
void add_tuning_option(CLI::App& app, Placement& placement);

/// Where records and searches are kept, and how many mappings are ranked anew; the memory is another option.
void add_records_options(CLI::App& app, NetworkRequest& network);

/// The memory that records and searches are for.
void add_records_dram_option(CLI::App& app, Placement& placement);

/// Which passes run, and whether the time of each is printed. \param json  Excludes times; null where there is none.
/// \param times  Outlives the parsing: the command prints each pass by print_pass_time().
void add_pass_options(CLI::App& app, PassContext& passes, bool& times, CLI::Option* json);
void print_pass_time(const PassReport& report, std::ostream& out);
/// After parsing: has times printed, where they are asked for. \throws UsageError for passes that there aren't.
void settle_passes(PassContext& passes, bool times, std::ostream& out);

/// Target, machine, mapping and goal.
void add_placement_options(CLI::App& app, Placement& placement);

/// Of the options of compiling those that choose what is read and what comes out, but for the target: for commands that
/// compile first.
void add_building_options(CLI::App& app, NetworkRequest& network);

/// After parsing: a machine's file, of its name. \throws UsageError.
void settle_machine(std::filesystem::path& machine);

/// After parsing: a request with its machine's file. \throws UsageError.
NetworkRequest settled(NetworkRequest network);

/// What a parser says of words that it does not take; of an unknown option also which one was meant.
std::string refusal_text(const CLI::App& app, const CLI::ParseError& error);

/// What was typed to reach a command: "foveac", "fovea map".
std::string typed_name(const CLI::App& app);

/// Does `work` on a network. \throws UserError, naming it, where memory runs out.
int within_memory(const std::filesystem::path& model, const std::function<int()>& work);

}  // namespace fovea
