// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a compiled network follows from, and how it is made.
#include "compiled_network.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "compiler/build_network.h"
#include "compiler/compile.h"
#include "copied_sources.h"
#include "files/digest.h"
#include "files/file_tree.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "onnx/named_files.h"
#include "spec/machine_json.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

bool is_on_device(const CommandLine& line) { return line.target != "cpu"; }

const char* text_of(dla_rounding rounding) { return rounding == kDlaFloor ? "floor" : "nearest_even"; }

/// What a person recognizes it by: the options that matter, those at their defaults shortened.
std::string name_of(const CommandLine& line) {
  std::string name = line.model.stem().string();
  if (!is_on_device(line)) {
    return name + "-" + text_of(line.rounding) + "-cpu";
  }
  name += "-" + line.machine.stem().string() + "-" + text_of(line.rounding);
  name += line.mapping == MappingMode::kLab ? "-lab" : "-search";
  if (line.goal.objective != Objective::kCycles) {
    name += "-" + std::string(to_text(line.goal.objective));
  }
  if (line.goal.slack_percent != Goal().slack_percent) {
    name += "-slack" + std::to_string(line.goal.slack_percent);
  }
  if (!line.tune.records.empty()) {
    name += "-" + line.tune.records.stem().string();
  }
  return name + "-" + line.target;
}

std::string digest_of(const CommandLine& line, const std::string& name) {
  Digest digest;
  digest.add_this_program();
  digest.add(name);
  digest.add_file(line.model);
  for (const fs::path& file : named_files(line.model)) {
    digest.add(file.lexically_relative(line.model.parent_path()).string());
    digest.add_file(file);
  }
  if (is_on_device(line)) {
    read_machine(line.machine);  // refuses what is none in words of its own
    digest.add_file(line.machine);
    if (fs::exists(line.tune.records)) {
      digest.add_file(line.tune.records);
    }
  }
  for (const char* part : {"spec", "hal", "runtime"}) {
    digest.add_folder(file_tree().headers / part, ".h");
  }
  digest.add_program("cc");
  return digest.text();
}

/// What a person recognizes, in letters of any file system, and the digest.
std::string entry_name(const CommandLine& line) {
  constexpr std::size_t kMostShown = 150;
  const std::string name = name_of(line);
  std::string shown_name = name.substr(0, kMostShown);
  for (std::size_t i = 0; i < shown_name.size(); ++i) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(shown_name[i])) != 0 || shown_name[i] == '_' ||
                          shown_name[i] == '-' || (shown_name[i] == '.' && i > 0);
    shown_name[i] = is_plain ? shown_name[i] : '_';
  }
  return shown_name + "-" + digest_of(line, name);
}

/// Measures what lacks a record; what is compiled meanwhile is not kept.
void measure(const CommandLine& line) {
  const ScratchFolder scratch;
  CommandLine tuned = line;
  tuned.output = scratch / "net";
  std::ostringstream nobody;
  compile(tuned, nobody);
}

/// \param line  Of copies. \param model  For messages.
void make_network(CommandLine line, const fs::path& model, const fs::path& folder, const fs::path& entry) {
  line.output = folder;
  line.tune.count = 0;
  line.cpu = cpus().front();
  std::ostringstream text;
  compile(line, text);
  compile_code(model, folder);
  std::string said = text.str();
  if (const std::size_t place = said.rfind(folder.string()); place != std::string::npos) {
    said.replace(place, folder.string().size(), shown(entry).string());
  }
  write_file(folder / kLayersText, said);
}

}  // namespace

fs::path compiled_network(const CommandLine& line, const Say& say) {
  if (line.tune.count != 0 && is_on_device(line)) {
    measure(line);
  }
  if (const std::optional<fs::path> kept = find_entry("nets", entry_name(line))) {
    return shown(*kept);
  }
  const CopiedSources sources(line);
  fs::path made;
  sources.do_with_names([&] {
    const std::string name = entry_name(sources.line());
    made = find_or_make(
        "nets", name,
        [&](const fs::path& scratch) {
          const fs::path entry = cache_folder() / "nets" / name;
          make_network(sources.line(), line.model, scratch, entry);
          if (say) {
            say("compiled " + line.model.string() + " to " + shown(entry).string());
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
