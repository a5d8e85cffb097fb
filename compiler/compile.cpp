// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts the parts together: they don't know each other.
#include "compile.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <ostream>

#include "emit/emit.h"
#include "emit/emit_lab.h"
#include "emit/visu.h"
#include "export/export_graph.h"
#include "files/output_folder.h"
#include "ir/error.h"
#include "ir/operator.h"
#include "ir/text.h"
#include "layers/collect_layers.h"
#include "loops/nest_text.h"
#include "onnx/import.h"
#include "ops/ops.h"
#include "passes/pipeline.h"
#include "progress_line.h"
#include "report.h"
#include "spec/machine_json.h"
#include "targets/nest_rules.h"
#include "tuning.h"

namespace fovea {
namespace {

/// Elements of a constant that a person wants to see.
constexpr std::size_t kShownElements = 16;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    user_error(path.string() + ": can't be read; give an ONNX file or the text of an IR");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What is made once and used by all passes: the targets, and a mapper where one of them asks for it.
struct Session {
  explicit Session(const CommandLine& line, std::shared_ptr<Mapper> with = nullptr) : mapper(std::move(with)) {
    const auto make_mapper = [this, &line] {
      if (!mapper) {
        const MachineFile machine = read_machine(line.machine);
        mapper = std::make_shared<Mapper>(machine, line.mapping, line.goal, find_records(line, machine));
      }
      return mapper;
    };
    const auto say = [](std::size_t layers) { show_progress("mapping " + std::to_string(layers) + " layers"); };
    targets = make_targets(line.target, {make_mapper, say});
  }
  ~Session() { show_progress(""); }  // Also where a pass refuses the network.
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs all passes. \param on_pass  May be empty.
  Graph run(const CommandLine& line, const Graph& graph, decltype(PipelineOptions::on_pass) on_pass = {}) {
    Graph after = run_pipeline(graph, {targets, line.stop_after, std::move(on_pass), line.rounding});
    show_progress("");
    return after;
  }

  std::shared_ptr<Mapper> mapper;
  std::vector<NamedTarget> targets;
};

void check_pass(const std::string& option, const std::string& name) {
  const auto& passes = list_passes();
  if (std::none_of(passes.begin(), passes.end(), [&](const PassInfo& pass) { return pass.name == name; })) {
    throw UsageError(option + " " + name + ": there is no such pass; foveac --list-passes shows all");
  }
}

void show_pass(const CommandLine& line, std::string_view pass, const Graph& graph, bool changed, std::ostream& out) {
  spdlog::debug("{}: {} values{}", pass, graph.size(), changed ? "" : " (unchanged)");
  if (line.print_ir_after == pass || line.print_ir_after == "all") {
    out << "// ---- after " << pass << (changed ? "" : " (unchanged)") << "\n";
    if (changed || line.print_ir_after == pass) {
      out << print_graph(graph, line.prints_all_elements ? kAllElements : kShownElements);
    }
  }
}

void print_loops(const Network& network, std::ostream& out) {
  for (const Layer& layer : network.layers) {
    const auto* loops = std::get_if<LoopNest>(&layer.body);
    const auto* product = std::get_if<FloatProduct>(&layer.body);
    if (loops != nullptr || (product != nullptr && product->end != nullptr)) {
      out << "// ---- " << layer.name << (layer.onnx_name.empty() ? "" : ", ONNX: " + layer.onnx_name) << "\n";
      out << to_text(loops != nullptr ? scheduled(loops->nest, cpu_nest_rules()) : product->end->loops.nest);
    }
  }
}

}  // namespace

Graph load_network(const std::filesystem::path& path) {
  const bool is_text = path.extension() == ".txt" || path.extension() == ".fovea";
  return is_text ? parse_graph(read_text(path), path.filename().string(), path.parent_path())
                 : import_onnx_partly(path);
}

void compile(const CommandLine& line, std::ostream& out) {
  if (!line.stop_after.empty()) {
    check_pass("--stop-after", line.stop_after);
  }
  if (!line.print_ir_after.empty() && line.print_ir_after != "all") {
    check_pass("--print-ir-after", line.print_ir_after);
  }
  const Graph before = load_network(line.model);
  Session session(line);
  const Graph after = session.run(line, before, [&](std::string_view pass, const Graph& graph, bool changed) {
    show_pass(line, pass, graph, changed, out);
  });
  if (!line.stop_after.empty()) {
    out << print_graph(after, line.prints_all_elements ? kAllElements : kShownElements);
    return;
  }
  const Network network = collect_layers(after, line.model.stem().string());
  if (line.prints_loops) {
    print_loops(network, out);
  }
  if (line.output.empty()) {
    return;
  }
  if (session.mapper && line.tune.count != 0) {
    tune_network(line, network, *session.mapper);
  }
  if (line.style == OutputStyle::kLab) {
    const EmitReport report = emit_lab(network, session.mapper->machine().geometry, line.output);
    return print_report(line, network, report, out);
  }
  ConstantFile constants(kIrConstants);
  EmitOptions emit;
  emit.folder = line.output;
  emit.targets = session.targets;
  emit.rounding = line.rounding;
  emit.cpu = line.cpu;
  emit.ir_before = print_graph(before, kShownElements, &constants);
  emit.ir_after = print_graph(after, kShownElements, &constants);
  emit.ir_constants = constants.bytes();
  const EmitReport report = emit_network(network, emit);
  if (line.prints_json) {
    print_report_json(line, network, out);
  } else {
    print_report(line, network, report, out);
  }
}

Network import_network(const CommandLine& line, const std::shared_ptr<Mapper>& mapper) {
  return collect_layers(Session(line, mapper).run(line, load_network(line.model)), line.model.stem().string());
}

Network import_layers(const CommandLine& line, std::vector<NamedTarget>& targets,
                      std::vector<PlacedRefusal>& refusals) {
  Session session(line);
  targets = session.targets;
  return collect_layers(session.run(line, load_network(line.model)), line.model.stem().string(), refusals);
}

void draw(const CommandLine& line) {
  const Graph before = load_network(line.model);
  const Graph after = Session(line).run(line, before);
  std::vector<std::string> layers;
  for (const Layer& layer : collect_layers(after, line.model.stem().string()).layers) {
    layers.push_back(layer.name);
  }
  write_drawings(before, after, layers, line.model.stem().string(), line.output);
}

void export_network(const CommandLine& line) {
  PipelineOptions options;
  options.stop_after = line.exports_qdq ? "eliminate-dead-code" : "merge-composites";
  const Graph graph = run_pipeline(load_network(line.model), options);
  refuse_unsupported(graph);
  write_file(line.output, export_graph(graph, line.model.stem().string()));
}

void print_passes(std::ostream& out) {
  for (const PassInfo& pass : list_passes()) {
    out << std::left << std::setw(34) << pass.name << pass.summary << "\n";
  }
}

}  // namespace fovea
