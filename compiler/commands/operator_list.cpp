// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins the tables by the names of the IR's operators.
#include "operator_list.h"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "layers/layer_kind.h"
#include "onnx/import.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// "global_average_pool" of "GlobalAveragePool".
std::string snake_case(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    const bool is_capital = std::isupper(static_cast<unsigned char>(letter)) != 0;
    text += is_capital && !text.empty() ? "_" : "";
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// What an operator becomes: what its row names, else the IR's operator of its name.
std::vector<std::string> becomes(const OnnxOperator& row) {
  std::istringstream words{std::string(row.becomes)};
  std::vector<std::string> names;
  for (std::string name; words >> name;) {
    internal_check(find_operator(name) != nullptr,
                   std::string(row.name) + " becomes operators of ops.def, not " + name);
    names.push_back(name);
  }
  const std::string own = snake_case(row.name.substr(row.name.rfind('.') + 1));
  for (const Operator& op : operators()) {
    if (row.becomes.empty() && op.name.substr(op.name.rfind('.') + 1) == own) {
      names.push_back(op.name);
    }
  }
  return names;
}

std::set<std::string> operators_of(const LayerKind& kind) {
  std::set<std::string> names;
  for (const Fusion& fusion : kind.fusions) {
    names.merge(fusion.pattern.operators());
  }
  return names;
}

/// Where layers of a kind run.
std::string place_of(const LayerKind& kind) {
  const bool is_for_any = std::any_of(kind.fusions.begin(), kind.fusions.end(),
                                      [](const Fusion& fusion) { return fusion.composite.starts_with("dla."); });
  const bool is_view = kind.host_call == nullptr && kind.host_loops == nullptr;
  return is_view ? "no call" : is_for_any ? "accelerator or CPU" : "CPU";
}

/// The kinds of layers that are made around an operator: the first that does not only quantize.
std::vector<std::string> kinds_with(const std::vector<std::string>& names) {
  const auto first =
      std::find_if(names.begin(), names.end(), [](const std::string& name) { return !name.starts_with("qnn."); });
  const std::set<std::string> all(names.begin(), names.end());
  std::vector<std::string> kinds;
  for (const LayerKind& kind : layer_kinds()) {
    const std::set<std::string> known = operators_of(kind);
    if (first == names.end() ? !known.empty() && known == all : known.count(*first) != 0) {
      kinds.emplace_back(kind.name);
    }
  }
  return kinds;
}

/// What becomes of ONNX's own cases, by the table that their test makes.
void print_cases(std::ostream& out) {
  struct Row {
    int count;
    std::string_view reason, which;
  };
  constexpr Row kRows[] = {
#define FOVEA_ONNX_CASES(count, reason, which) {count, reason, which},
#include "onnx/onnx_cases.def"
#undef FOVEA_ONNX_CASES
  };
  int all = 0;
  for (const Row& row : kRows) {
    all += row.count;
  }
  out << "\nOf ONNX 1.12's " << all << " cases for operators (Debian's libonnx-testdata), " << kRows[0].count
      << " pass with their inputs as constants, both folded and as loops.\n"
         "[onnx_cases_test](../compiler/onnx/onnx_cases_test.cpp) counts the other "
      << all - kRows[0].count
      << ":\n\n"
         "| cases | left out for | operators, or the first cases |\n|---|---|---|\n";
  for (const Row& row : kRows) {
    if (!row.reason.empty()) {
      out << "| " << row.count << " | " << row.reason << " | " << row.which << " |\n";
    }
  }
}

std::string code(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "`" : ", `") + name + "`";
  }
  return text;
}

}  // namespace

void print_operators(std::ostream& out) {
  out << "# Operators\n\n"
         "Made by `foveac --list-operators` from [converters.def](../compiler/onnx/converters.def),\n"
         "[ops.def](../compiler/ops/ops.def) and [layer_kinds.def](../compiler/layers/layer_kinds.def); a test "
         "compares.\n\n"
         "Opsets "
      << kLeastOpset << " to " << kMostOpset
      << ". The layers of an operator are those with its form in the IR. An operator without layers must fold into "
         "others,\n"
         "as operators on constants do. `foveac check net.onnx` lists the layers of a network.\n\n"
         "| ONNX operator | in the IR | in layers | forms, limits |\n|---|---|---|---|\n";
  for (const OnnxOperator& row : list_onnx_operators()) {
    const std::vector<std::string> names = becomes(row);
    out << "| " << row.name << " | " << code(names) << " | " << code(kinds_with(names)) << " | " << row.notes << " |\n";
  }
  out << "\nLayers that the accelerator refuses run on the CPU, and the reason is printed:\n\n"
         "| layer | runs on | why not on the accelerator |\n|---|---|---|\n";
  for (const LayerKind& kind : layer_kinds()) {
    const std::string place = place_of(kind);
    out << "| `" << kind.name << "` | " << place << " | " << (place == "CPU" ? kind.why_on_host : std::string_view())
        << " |\n";
  }
  print_cases(out);
}

}  // namespace fovea
