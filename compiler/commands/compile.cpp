// SPDX-License-Identifier: Apache-2.0
/// \file
/// compile: writes a network's C, and prints what became of its layers.
#include "requests/compile.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>

#include "command.h"
#include "ir/text.h"
#include "layers/layer_kind.h"
#include "loops/nest_text.h"
#include "operator_list.h"
#include "options.h"
#include "report.h"
#include "requests/graph_file.h"
#include "requests/schedules.h"

namespace fovea {
namespace {

struct CompileOptions {
  CompileRequest request;
  std::string print_ir_after;        ///< A pass, "all", or "".
  std::filesystem::path graph_file;  ///< "" where the graph isn't kept.
  bool prints_loops = false;         ///< Of layers that are nests.
  bool prints_all_elements = false;  ///< Of constants in a printed IR, so that it can be parsed again.
  bool prints_json = false, is_verbose = false;
  bool lists_passes = false, lists_operators = false, times_passes = false;

  std::size_t shown_elements() const { return prints_all_elements ? kAllElements : kShownElements; }
};

void print_passes(const PassContext& context, std::ostream& out) {
  for (const PassInfo& pass : list_passes(context)) {
    const std::string level = pass.level == kRequired ? "always" : "level " + std::to_string(pass.level);
    out << std::left << std::setw(kPassWidth) << pass.name << std::setw(9) << (context.runs(pass) ? level : "off")
        << pass.summary << "\n";
  }
}

void show_pass(const CompileOptions& o, const PassReport& report, std::ostream& out) {
  const auto& [pass, graph, changed, nodes_before, milliseconds] = report;
  spdlog::debug("{}: {} values{}", pass.name, graph.size(), changed ? "" : " (unchanged)");
  if (o.print_ir_after == pass.name || o.print_ir_after == "all") {
    out << "// ---- after " << pass.name << (changed ? "" : " (unchanged)") << "\n";
    if (changed || o.print_ir_after == pass.name) {
      out << print_graph(graph, o.shown_elements());
    }
  }
  if (o.times_passes) {
    print_pass_time(report, out);
  }
}

void print_loops(const Network& network, const CompileRequest& request, std::ostream& out) {
  const Placement& placement = request.network.placement;
  const NestScheduler schedule = make_scheduler(read_known_schedules(placement, request.cpu), request.cpu);
  for (const Layer& layer : network.layers) {
    const bool has_loops = layer.target == "cpu" && layer.kind->host_loops != nullptr;
    const auto* product = std::get_if<FloatProduct>(&layer.body);
    if (has_loops || (product != nullptr && product->end != nullptr)) {
      out << "// ---- " << layer.name << (layer.onnx_name.empty() ? "" : ", ONNX: " + layer.onnx_name) << "\n";
      out << to_text(has_loops ? schedule(layer.kind->host_loops(layer, placement.rounding).nest, layer.name)
                               : product->end->loops.nest);
    }
  }
}

/// The lab's code rounds down, has the lab's mapping, and chooses by CPU_ONLY where it runs.
void settle_lab_style(const CLI::App& app, CompileOptions& o) {
  Placement& placement = o.request.network.placement;
  if (o.prints_json) {
    throw UsageError("--json: --style lab writes no summary; leave one out");
  }
  const bool rounds_else = app.count("--rounding") != 0 && placement.rounding != kDlaFloor;
  const bool maps_else = app.count("--mapping") != 0 && placement.mapping != MappingMode::kLab;
  for (const std::string option : {"--rounding", "--mapping", "--target", "--optimize", "--slack", "--residency",
                                   "--records", "--tune", "--tuning", "--schedules", "--intrinsic", "--cpu"}) {
    const bool is_lab = (option == "--rounding" && !rounds_else) || (option == "--mapping" && !maps_else);
    if (app.count(option) != 0 && !is_lab) {
      throw UsageError(option + ": --style lab has the lab's, which can't be chosen; leave " + option + " out");
    }
  }
  placement.rounding = kDlaFloor;
  placement.mapping = MappingMode::kLab;
}

/// The checks that CLI11 does not make.
void settle(const CLI::App& app, CompileOptions& o) {
  if (o.request.style == OutputStyle::kLab) {
    settle_lab_style(app, o);
  }
  if (o.request.network.model.empty()) {
    throw UsageError("no network given; " + typed_name(app) + " net.onnx -o build/net works, and --help shows more");
  }
  o.request.network = settled(o.request.network);
  if (o.request.output.empty() && o.request.stop_after.empty() && o.print_ir_after.empty() && o.graph_file.empty() &&
      !o.prints_loops) {
    o.request.output = std::filesystem::path("output") / o.request.network.name();
  }
  if (!o.request.stop_after.empty()) {
    check_pass_name("--stop-after ", o.request.stop_after);
  }
  if (!o.print_ir_after.empty() && o.print_ir_after != "all") {
    check_pass_name("--print-ir-after ", o.print_ir_after);
  }
}

void compile_and_print(CompileOptions& o, std::ostream& out) {
  CompileRequest& request = o.request;
  request.network.passes.on_pass = [&](const PassReport& report) { show_pass(o, report, out); };
  const Compiled compiled = compile(request);
  if (!o.graph_file.empty()) {
    write_graph_file(compiled.graph, o.graph_file);
    return;
  }
  if (!request.stop_after.empty()) {
    out << print_graph(compiled.graph, o.shown_elements());
    return;
  }
  if (o.prints_loops) {
    print_loops(*compiled.network, o.request, out);
  }
  if (compiled.written && o.prints_json) {
    print_report_json(request.output, *compiled.network, out);
  } else if (compiled.written) {
    print_report(request, *compiled.network, *compiled.written, out);
  }
}

void set_up_log(bool is_verbose) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("foveac"));
  spdlog::set_pattern("%v");
  spdlog::set_level(is_verbose ? spdlog::level::debug : spdlog::level::warn);
}

}  // namespace

Action describe_compile(CLI::App& app) {
  const auto o = std::make_shared<CompileOptions>();
  CompileRequest& request = o->request;
  add_model_option(app, request.network.model);
  add_import_options(app, request.network.import);
  app.add_option("-o,--output", request.output,
                 "Folder for model.c, weight.bin, <network>.json and the IR (default: output/<network>)")
      ->type_name("FOLDER");
  add_placement_options(app, request.network.placement);
  add_residency_option(app, request.network.placement.keeps_tensors);
  app.add_option("--residency-seed", request.network.placement.residency_seed, "Draws what stays, for tests")
      ->group("");
  add_rounding_option(app, request.network.placement.rounding);
  std::map<std::string, Cpu> choices;
  for (const Cpu& cpu : cpus()) {
    choices.emplace(cpu.name, cpu);
  }
  add_choice<Cpu>(app, "--cpu", request.cpu, choices,
                  "The CPU of the C code: compiler, vectors and tiles (default: host)");
  add_choice<OutputStyle>(app, "--style", request.style, {{"driver", OutputStyle::kDriver}, {"lab", OutputStyle::kLab}},
                          "The functions that the C code calls: the driver's, or the AI-on-Chip lab's "
                          "(default: driver)");
  add_records_options(app, request.network);
  add_records_dram_option(app, request.network.placement);
  app.add_option("--schedules", request.network.placement.schedules,
                 "Schedule the loops of layers by this file: {\"layer\": [\"tile i1 8\", ...]}")
      ->type_name("FILE");
  app.add_option("--intrinsic", request.network.placement.intrinsics,
                 "A C function that a schedule has do a loop (tensorize); once for each")
      ->type_name("FILE")
      ->allow_extra_args(false);
  for (const char* name : {"--measure-with", "--backend"}) {
    app.add_option_function<std::string>(
           name,
           [name](const std::string&) {
             throw UsageError(std::string(name) +
                              ": --tune ranks by predicted cycles and measures nothing; --dram says "
                              "for which memory");
           })
        ->group("");
  }
  app.add_option("--print-ir-after", o->print_ir_after, "Print the IR after this pass, or after \"all\"")
      ->type_name("PASS");
  app.add_option("--stop-after", request.stop_after, "Print the IR after this pass and stop; nothing is written")
      ->type_name("PASS");
  app.add_option("--save-graph", o->graph_file,
                 "Write the IR as it is then, or after the last pass, and no C: as text (.fovea), or as JSON for other "
                 "programs (.json)")
      ->type_name("FILE");
  app.add_flag("--print-loops", o->prints_loops, "Print the loops of each layer that has loops of its own");
  app.add_flag("--all-elements", o->prints_all_elements,
               "Print constants of more than 16 elements too: such an IR compiles again");
  CLI::Option* const json = add_json_option(app, o->prints_json);
  PassContext& passes = request.network.passes;
  app.add_flag("--passes,--list-passes", o->lists_passes,
               "Print the passes in their order, the lowest level at which each runs, and a sentence each");
  add_pass_options(app, passes, o->times_passes, json);
  app.add_flag("--list-operators", o->lists_operators, "Print the supported ONNX operators, as Markdown");
  app.add_flag("-v,--verbose", o->is_verbose, "Say what each pass changed");
  return [o, &app]() -> int {
    if (o->lists_passes) {
      print_passes(o->request.network.passes, std::cout);
      return kDone;
    }
    if (o->lists_operators) {
      print_operators(std::cout);
      return kDone;
    }
    settle(app, *o);
    set_up_log(o->is_verbose);
    return within_memory(o->request.network.model, [&] {
      compile_and_print(*o, std::cout);
      return kDone;
    });
  };
}

}  // namespace fovea
