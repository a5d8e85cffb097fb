// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea explore: machines of a space for several networks, by the Python package.
#include <memory>
#include <string>
#include <vector>

#include "commands/options.h"
#include "commands/python_package.h"
#include "subcommand.h"

namespace fovea {
namespace {

/// All are handed on as they were typed.
struct ExploreOptions {
  std::string space, strategy, output, database, scheduler;
  std::vector<std::string> networks, minimize, confirm, compare;
  unsigned evaluations = 0, seed = 0, processes = 0, steps = 0;
  Goal goal;
  ImportOptions import;
};

}  // namespace

Action describe_explore(CLI::App& app) {
  const auto o = std::make_shared<ExploreOptions>();
  app.add_option("space", o->space, "Machines to choose from: a machine file whose values may be several")
      ->type_name("FILE")
      ->required();
  app.add_option("--networks", o->networks, "Networks that are to run well")->type_name("FILE")->required();
  app.add_option(
         "--minimize", o->minimize,
         "Objectives: cycles, seconds, dram_bytes, energy, energy_pj, area_gates, area_mm2, sram_bytes, pes (default: "
         "cycles,area_gates)")
      ->type_name("NAME")
      ->delimiter(',');
  add_name_choice(app, "--strategy", o->strategy, {"gain", "grid", "nsga2", "sample"},
                  "All designs, a search, or some by chance (default: grid)");
  app.add_option("--evaluations", o->evaluations, "Designs that a search or a sample evaluates")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000).description(""));
  app.add_option("--seed", o->seed, "Of a search or a sample (default: 1)")->type_name("N");
  app.add_option("--confirm", o->confirm, "Designs of the front to run, such as systemc:20 rtl:3")
      ->type_name("BACKEND:N");
  app.add_option("--steps", o->steps, "Designs of the front whose fields are varied, one at a time (default: 0)")
      ->type_name("N");
  add_optimize_option(app, o->goal);
  add_shape_option(app, o->import);
  add_batch_option(app, o->import);
  app.add_option("--database", o->database, "The file that keeps all results (default: explored.sqlite in the folder)")
      ->type_name("FILE");
  app.add_option("--processes", o->processes, "Processes that evaluate (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  app.add_option("--scheduler", o->scheduler, "A Dask scheduler, whose workers evaluate instead")->type_name("ADDRESS");
  app.add_option("--compare", o->compare, "Folders of other explorations, to show beside this one")
      ->type_name("FOLDER");
  app.add_option("-o,--output", o->output, "Folder for the page and tables (default: reports/<space>_exploration)")
      ->type_name("FOLDER");
  return [&app, o]() -> int { become_python("explore", app); };
}

}  // namespace fovea
