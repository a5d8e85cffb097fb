// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea doctor: what is here of what Fovea uses, and the one line that installs the rest.
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "commands/number_text.h"
#include "files/child_process.h"
#include "files/file_tree.h"
#include "files/scratch_folder.h"
#include "machine_library/machine_library.h"
#include "report_scripts.h"
#include "spec/json_file.h"
#include "store/cache.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Debian's packages and what each is for: the rows of scripts/packages.txt, which CMake writes into packages.def.
struct Package {
  const char* name;
  const char* purpose;
};
constexpr Package kPackages[] = {
#define FOVEA_PACKAGE(name, purpose) {name, purpose},
#include "packages.def"
#undef FOVEA_PACKAGE
};

/// A program of PATH or at its place, a C header, or a module of Debian's Python.
enum class Kind { kProgram, kHeader, kModule };

/// What is asked of a computer that runs Fovea, the package that has it, and what works without it.
struct Need {
  const char* what;
  Kind kind;
  const char* package;
  const char* without;
};

std::vector<Need> needs() {
  const char* const without_building = "--backend systemc, and --backend rtl on machines whose library is there";
  std::vector<Need> all;
  for (const BuildTool& tool : kBuildTools) {
    all.push_back({tool.program, Kind::kProgram, tool.package, without_building});
  }
  if (!file_tree().checkout.empty()) {
    all.push_back({"ninja", Kind::kProgram, "ninja-build", without_building});
  }
  all.push_back({"zlib.h", Kind::kHeader, "zlib1g-dev", "waves of the RTL as .vcd"});
  all.push_back({"dot", Kind::kProgram, "graphviz", "all but fovea visu and the graph of a report"});
  all.push_back({kPython, Kind::kProgram, "python3", "all but reports and import fovea"});
  all.push_back({"numpy", Kind::kModule, "python3-numpy", "all but import fovea"});
  all.push_back({"pandas", Kind::kModule, "python3-pandas", "all; tables of import fovea are plain ones"});
  all.push_back({"sklearn", Kind::kModule, "python3-sklearn", "all but fovea.loops.search"});
  all.push_back({"yaml", Kind::kModule, "python3-yaml", "all but files of Timeloop's"});
  all.push_back({"jinja2", Kind::kModule, "python3-jinja2", "all but reports"});
  return all;
}

/// A row of what is printed.
struct Finding {
  std::string what, state, package;
  bool is_there = true;
  std::string without;
};

std::string purpose_of(const std::string& package) {
  for (const Package& row : kPackages) {
    if (package == row.name) {
      return row.purpose;
    }
  }
  throw InternalError(package + " is a row of scripts/packages.txt");
}

/// Whether cc makes a shared library of C that includes a header.
bool compiles_with(const std::string& header) {
  const ScratchFolder scratch;
  std::ofstream(scratch / "a.c") << "#include <" << header << ">\nint fovea_doctor(void) { return 1; }\n";
  return run_child({"cc", "-shared", "-fPIC", (scratch / "a.c").string(), "-o", (scratch / "a.so").string()},
                   scratch / "log", std::chrono::seconds(60)) == 0;
}

bool has_module(const std::string& name) {
  const ScratchFolder scratch;
  const char* const code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
  return run_child({kPython, "-c", code, name}, scratch / "log", std::chrono::seconds(60)) == 0;
}

bool is_there(const Need& need) {
  switch (need.kind) {
    case Kind::kHeader:
      return compiles_with(need.what);
    case Kind::kModule:
      return has_module(need.what);
    case Kind::kProgram:
      break;
  }
  return need.what[0] == '/' ? std::filesystem::exists(need.what) : !find_program(need.what).empty();
}

Finding check_cache() {
  const std::filesystem::path folder = cache_folder();
  try {
    const std::string name = "doctor-" + std::to_string(getpid());
    find_or_make("samples", name, [](const std::filesystem::path&) {}, {});
    std::filesystem::remove_all(folder / "samples" / name);
    return {"cache", folder.string(), "", true, ""};
  } catch (const UserError& error) {
    return {"cache", error.what(), "", false, "nothing"};
  }
}

}  // namespace

Action describe_doctor(CLI::App& app) {
  const auto prints_json = std::make_shared<bool>(false);
  app.add_flag("--json", *prints_json, "Print one JSON document");
  return [prints_json] {
    std::vector<Finding> findings;
    const bool has_cc = compiles_with("stdint.h");
    findings.push_back({"cc", has_cc ? "here" : "missing: compiles the C of networks", "g++", has_cc,
                        "foveac and what only compiles; no network runs"});
    const bool has_model = std::filesystem::exists(file_tree().libraries / "libfovea_systemc.so");
    findings.push_back(
        {"SystemC model", has_model ? "here" : "missing: install Fovea again", "", has_model, "--backend rtl"});
    findings.push_back(check_cache());
    const bool can_run = has_cc && has_model && findings.back().is_there;
    for (const Need& need : needs()) {
      const bool is_here = is_there(need);
      findings.push_back(
          {need.what, is_here ? "here" : "missing: " + purpose_of(need.package), need.package, is_here, need.without});
    }
    std::vector<std::vector<std::string>> rows = {{"what", "is", "without it"}};
    nlohmann::ordered_json json = {{"can_run", can_run}, {"found", nlohmann::json::array()}};
    std::string packages;
    for (const Finding& finding : findings) {
      rows.push_back({finding.what, finding.state, finding.is_there ? "" : finding.without + " works"});
      json["found"].push_back({{"what", finding.what},
                               {"is_there", finding.is_there},
                               {"package", finding.package},
                               {"without_it", finding.without}});
      const bool is_named = (packages + " ").find(" " + finding.package + " ") != std::string::npos;
      if (!finding.is_there && !finding.package.empty() && !is_named) {
        packages += " " + finding.package;
      }
    }
    const std::string install = packages.empty() ? "" : "apt-get install --no-install-recommends" + packages;
    json["install"] = install;
    if (*prints_json) {
      std::cout << json_text(json);
    } else {
      print_columns(rows, std::cout, "lll");
      std::cout << (install.empty() ? "" : "to install what is missing, as root: " + install + "\n")
                << (can_run ? "fovea run --backend systemc works here\n" : "no network can be run here\n");
    }
    return can_run ? 0 : 1;
  };
}

}  // namespace fovea
