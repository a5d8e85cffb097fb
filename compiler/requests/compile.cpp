// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts the parts together: they don't know each other.
#include "compile.h"

#include <algorithm>
#include <iterator>

#include "emit/emit_lab.h"
#include "emit/visu.h"
#include "export/export_graph.h"
#include "extern_files.h"
#include "files/output_folder.h"
#include "graph_file.h"
#include "ir/ir_form.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "onnx/import.h"
#include "progress_line.h"
#include "schedules.h"
#include "spec/machine_json.h"
#include "target_files.h"
#include "tensor/error.h"
#include "tuning.h"
#include "tuning_database.h"

namespace fovea {
namespace {

/// What is made once and used by all passes: the targets, and a mapper where one of them asks for it.
struct Session {
  explicit Session(const NetworkRequest& network, std::shared_ptr<Mapper> with = nullptr,
                   const Cpu& cpu = cpus().front())
      : mapper(std::move(with)) {
    const Placement& placement = network.placement;
    const auto make_mapper = [this, &placement] {
      if (!mapper) {
        const MachineFile machine = read_machine(placement.machine);
        mapper = std::make_shared<Mapper>(machine, placement.mapping, placement.goal, find_records(placement, machine));
        open_database(placement);
      }
      return mapper;
    };
    const auto say = [](std::size_t layers) { show_progress("mapping " + std::to_string(layers) + " layers"); };
    if (mapper) {
      open_database(placement);
    }
    targets = make_added_targets(network.targets, placement.rounding);
    schedules = read_known_schedules(placement, cpu);
    const TargetOptions of_targets{make_mapper, say, make_scheduler(schedules, cpu), placement.keeps_tensors,
                                   placement.residency_seed};
    std::ranges::move(make_targets(placement.target, of_targets), std::back_inserter(targets));
    options.targets = targets;
    options.passes = network.passes;
    options.rounding = placement.rounding;
  }
  ~Session() { show_progress(""); }  // Also where a pass refuses the network.
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs the passes. What they searched for is kept where the request says so.
  Graph run(const Graph& graph) const {
    Graph after = run_pipeline(graph, options);
    show_progress("");
    if (database) {
      database->keep(*mapper);
    }
    return after;
  }

  void open_database(const Placement& placement) {
    if (!placement.tuning.empty() && placement.mapping == MappingMode::kSearch) {
      database.emplace(placement, *mapper);
    }
  }

  std::shared_ptr<Mapper> mapper;
  std::optional<TuningDatabase> database;
  KnownSchedules schedules;
  std::vector<NamedTarget> targets;
  PipelineOptions options;
};

EmitReport write_code(const CompileRequest& request, const Session& session, const Graph& before, const Graph& after,
                      const Network& network) {
  const std::map<std::string, std::string> sources =
      extern_files(network, request.network.import.externs, request.cpu.compiler);
  if (request.style == OutputStyle::kLab) {
    return emit_lab(network, session.mapper->machine().geometry, request.output);
  }
  check_files(session.targets, request.cpu.compiler);
  ConstantFile constants(kIrConstants);
  EmitOptions emit;
  emit.folder = request.output;
  emit.targets = session.targets;
  emit.rounding = request.network.placement.rounding;
  emit.cpu = request.cpu;
  emit.ir_before = print_graph(before, kShownElements, &constants);
  emit.ir_after = print_graph(after, kShownElements, &constants);
  emit.ir_constants = constants.bytes();
  emit.sources = sources;
  return emit_network(network, emit);
}

}  // namespace

Graph load_network(const std::filesystem::path& path, const ImportOptions& options) {
  if (!ir_form_of(path)) {
    return import_onnx_partly(path, options);
  }
  if (!options.shapes.empty() || options.batch != 0) {
    user_error(path.string() + ": an IR has all its shapes; leave --shape and --batch out");
  }
  if (options.exact_to != Exactness::kIntegers) {
    user_error(path.string() + ": an IR says itself what stays float32; leave --exact-to out");
  }
  return read_graph_file(path, options.operators);
}

Compiled compile(const CompileRequest& request) {
  const Graph before = load_network(request.network.model, request.network.import);
  Session session(request.network, nullptr, request.cpu);
  session.options.stop_after = request.stop_after;
  Compiled compiled{session.run(before), {}, {}};
  if (!request.stop_after.empty()) {
    return compiled;
  }
  compiled.network = collect_layers(compiled.graph, request.network.name());
  check_schedules(session.schedules, request.network.placement, *compiled.network);
  if (request.output.empty()) {
    return compiled;
  }
  if (session.mapper && request.network.tune != 0) {
    tune_network(request.network, *compiled.network, *session.mapper);
  }
  compiled.written = write_code(request, session, before, compiled.graph, *compiled.network);
  return compiled;
}

Graph run_passes(const NetworkRequest& request, const Graph& graph, const std::string& stop_after) {
  Session session(request);
  session.options.stop_after = stop_after;
  return session.run(graph);
}

Network import_network(const NetworkRequest& request, const std::shared_ptr<Mapper>& mapper) {
  return collect_layers(Session(request, mapper).run(load_network(request.model, request.import)), request.name());
}

Network import_layers(const NetworkRequest& request, std::vector<NamedTarget>& targets,
                      std::vector<PlacedRefusal>& refusals) {
  const Session session(request);
  targets = session.targets;
  return collect_layers(session.run(load_network(request.model, request.import)), request.name(), refusals);
}

void draw(const NetworkRequest& request, const std::filesystem::path& folder, const std::filesystem::path& after) {
  const Graph before = load_network(request.model, request.import);
  const Graph last = after.empty() ? Session(request).run(before) : load_network(after, {});
  std::vector<std::string> layers;
  for (const Layer& layer : collect_layers(last, request.name()).layers) {
    layers.push_back(layer.name);
  }
  write_drawings(before, last, layers, request.name(), folder);
}

void export_network(const NetworkRequest& network, OnnxForm form, const std::filesystem::path& output) {
  PipelineOptions options;
  options.stop_after = form == OnnxForm::kQdq ? "eliminate-dead-code" : "merge-composites";
  const Graph graph = run_pipeline(load_network(network.model, network.import), options);
  refuse_unsupported(graph);
  write_file(output, export_graph(graph, network.name()));
}

}  // namespace fovea
