// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a compiled network follows from, and how it is made.
#include "compiled_network.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "commands/report.h"
#include "copied_sources.h"
#include "files/digest.h"
#include "files/file_tree.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "onnx/named_files.h"
#include "requests/build_network.h"
#include "requests/compile.h"
#include "spec/machine_json.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

bool is_on_device(const Placement& placement) { return placement.target != "cpu"; }

const char* text_of(dla_rounding rounding) { return rounding == kDlaFloor ? "floor" : "nearest_even"; }

/// What a person recognizes it by: the options that matter, those at their defaults shortened.
std::string name_of(const NetworkRequest& network) {
  const Placement& placement = network.placement;
  std::string name = network.name();
  if (!is_on_device(placement)) {
    return name + "-" + text_of(placement.rounding) + "-cpu";
  }
  name += "-" + placement.machine.stem().string() + "-" + text_of(placement.rounding);
  name += placement.mapping == MappingMode::kLab ? "-lab" : "-search";
  if (placement.goal.objective != Objective::kCycles) {
    name += "-" + std::string(to_text(placement.goal.objective));
  }
  if (placement.goal.slack_percent != Goal().slack_percent) {
    name += "-slack" + std::to_string(placement.goal.slack_percent);
  }
  if (placement.keeps_tensors) {
    name += "-chip";
  }
  if (!placement.records.empty()) {
    name +=
        "-" + placement.records.stem().string() + "-" + memory_of(read_machine(placement.machine), placement.dram).name;
  }
  return name + "-" + placement.target;
}

std::string digest_of(const NetworkRequest& network, const std::string& name) {
  Digest digest;
  digest.add_this_program();
  digest.add(name);
  digest.add_file(network.model);
  for (const fs::path& file : named_files(network.model)) {
    digest.add(file.lexically_relative(network.model.parent_path()).string());
    digest.add_file(file);
  }
  for (const auto& [input, shape] : network.import.shapes) {
    digest.add(input + "=" + to_text(shape));
  }
  for (const Extern& binding : network.import.externs) {
    digest.add(binding.op);
    digest.add(binding.source);
  }
  digest.add(std::to_string(static_cast<int>(network.import.exact_to)));
  digest.add(std::to_string(network.import.batch));
  digest.add(network.passes.choice());
  if (!network.placement.schedules.empty()) {
    digest.add_file(network.placement.schedules);
  }
  for (const fs::path& file : network.placement.intrinsics) {
    digest.add_file(file);
  }
  if (const Placement& placement = network.placement; is_on_device(placement)) {
    read_machine(placement.machine);  // refuses what is none in words of its own
    digest.add_file(placement.machine);
  }
  if (fs::exists(network.placement.records)) {
    digest.add_file(network.placement.records);
  }
  for (const char* part : {"spec", "hal", "runtime"}) {
    digest.add_folder(file_tree().headers / part, ".h");
  }
  digest.add_program("cc");
  return digest.text();
}

/// What a person recognizes, in letters of any file system, and the digest.
std::string entry_name(const NetworkRequest& network) {
  constexpr std::size_t kMostShown = 150;
  const std::string name = name_of(network);
  std::string shown_name = name.substr(0, kMostShown);
  for (std::size_t i = 0; i < shown_name.size(); ++i) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(shown_name[i])) != 0 || shown_name[i] == '_' ||
                          shown_name[i] == '-' || (shown_name[i] == '.' && i > 0);
    shown_name[i] = is_plain ? shown_name[i] : '_';
  }
  return shown_name + "-" + digest_of(network, name);
}

/// Adds the records that lack; what is compiled meanwhile is not kept.
void tune(const NetworkRequest& network) {
  const ScratchFolder scratch;
  CompileRequest request;
  request.network = network;
  request.output = scratch / "net";
  compile(request);
}

/// \param network  Of copies. \param model  For messages.
void make_network(const NetworkRequest& network, const fs::path& model, const fs::path& folder, const fs::path& entry) {
  CompileRequest request;
  request.network = network;
  request.network.tune = 0;
  request.output = folder;
  const Compiled compiled = compile(request);
  std::ostringstream text;
  print_report(request, *compiled.network, *compiled.written, text);
  compile_code(model, folder);
  std::string said = text.str();
  if (const std::size_t place = said.rfind(folder.string()); place != std::string::npos) {
    said.replace(place, folder.string().size(), shown(entry).string());
  }
  write_file(folder / kLayersText, said);
}

}  // namespace

fs::path compiled_network(const NetworkRequest& network, const Say& say) {
  if (network.tune != 0 && is_on_device(network.placement)) {
    tune(network);
  }
  if (const std::optional<fs::path> kept = find_entry("nets", entry_name(network))) {
    return shown(*kept);
  }
  const CopiedSources sources(network);
  fs::path made;
  sources.do_with_names([&] {
    const std::string name = entry_name(sources.network());
    made = find_or_make(
        "nets", name,
        [&](const fs::path& scratch) {
          const fs::path entry = cache_folder() / "nets" / name;
          make_network(sources.network(), network.model, scratch, entry);
          if (say) {
            say("compiled " + network.model.string() + " to " + shown(entry).string());
          }
        },
        say);
  });
  return shown(made);
}

bool is_kept(const fs::path& network) {
  std::error_code error;
  const fs::path folder = fs::canonical(network, error);
  return !error && fs::equivalent(folder.parent_path(), cache_folder() / "nets", error) &&
         find_entry("nets", folder.filename().string());
}

std::string layers_text(const fs::path& network) {
  std::ifstream file(network / kLayersText);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path shown(const fs::path& path) {
  const fs::path relative = path.lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

}  // namespace fovea
