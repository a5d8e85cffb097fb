// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the users' C files, and compiles them to see whether they can be.
#include "extern_files.h"

#include <algorithm>
#include <fstream>

#include "codegen/c_text.h"
#include "files/child_process.h"
#include "files/file_tree.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// Bindings that layers need, of one C file.
using Bindings = std::vector<const Extern*>;

/// The user's text under its own name and lines, and a pointer to each function. Their types are checked in the user's
/// words.
std::string file_text(const Bindings& bindings) {
  const std::string begin = "#line 1 " + c_string(bindings[0]->file.string()) + "\n";
  std::string text = begin + bindings[0]->source + "\n" + begin + "#include \"dla_extern.h\"\n";
  for (const Extern* binding : bindings) {
    const std::string function = binding->function(), parameters = "(const struct dla_extern_call* call)";
    text += begin + "_Static_assert(_Generic(" + function +
            ", int (*)(const struct dla_extern_call*) : 1, default : 0), \"this is called: int " + function +
            parameters + "\");\nint (*const " + extern_symbol(binding->op) + ")" + parameters + " = " + function +
            ";\n";
  }
  return text;
}

void check_compiles(const Bindings& bindings, const std::string& text, const std::string& compiler) {
  const ScratchFolder scratch;
  write_file(scratch / "extern.c", text);
  const std::string error = compile_error(scratch / "extern.c", compiler), file = bindings[0]->file.string();
  if (error.empty()) {
    return;
  }
  for (const Extern* binding : bindings) {
    const std::string function = binding->function();
    if (error.find("undeclared here (not in a function)") != std::string::npos &&
        error.find(function) != std::string::npos && error.starts_with(file + ":1:")) {
      user_error(file + ": defines no function " + function + "; int " + function +
                 "(const struct dla_extern_call* call) is called for the operator " + binding->op);
    }
  }
  user_error(error.starts_with(file) ? error : file + ": " + error);
}

/// A name for the copy, of letters that need no quoting.
std::string copy_name(const fs::path& file, const std::map<std::string, std::string>& taken) {
  const std::string name = extern_symbol(file.stem().string());
  std::string copy = name + ".c";
  for (int number = 2; taken.contains(copy); ++number) {
    copy = name + "_" + std::to_string(number) + ".c";
  }
  return copy;
}

}  // namespace

std::map<std::string, std::string> extern_files(const Network& network, const std::vector<Extern>& externs,
                                                const std::string& compiler) {
  std::map<fs::path, Bindings> by_file;
  std::vector<std::string> refusals;
  for (const Layer& layer : network.layers) {
    const auto* call = std::get_if<ExternCall>(&layer.body);
    if (call == nullptr) {
      continue;
    }
    const Extern* binding = find_extern(externs, call->op);
    if (binding == nullptr) {
      refusals.push_back(call->node + ": operator " + call->op + " is a C function; --extern " + call->op +
                         "=file.c says which");
    } else if (Bindings& all = by_file[binding->file]; std::ranges::find(all, binding) == all.end()) {
      all.push_back(binding);
    }
  }
  refuse_all(refusals);
  std::map<std::string, std::string> files;
  for (const auto& [file, bindings] : by_file) {
    const std::string text = file_text(bindings);
    check_compiles(bindings, text, compiler);
    files.emplace(copy_name(file, files), text);
  }
  return files;
}

std::vector<fs::path> find_extern_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("extern_") && name.ends_with(".c")) {
      files.push_back(file.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string first_error(const fs::path& log) {
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": error: ") != std::string::npos || line.find(": fatal error: ") != std::string::npos) {
      return line;
    }
  }
  return last_line(log);
}

std::string compile_error(const fs::path& file, const std::string& compiler) {
  if (compiler.empty() || find_program(compiler).empty()) {
    return "";
  }
  const ScratchFolder scratch;
  std::vector<std::string> words = {"env", "LC_ALL=C", compiler, "-std=c11", "-fsyntax-only"};
  for (const std::string& option : include_options()) {
    words.push_back(option);
  }
  words.push_back(file.string());
  return run_child(words, scratch / "log") == 0 ? "" : first_error(scratch / "log");
}

}  // namespace fovea
