// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the form by the name.
#include "graph_file.h"

#include <string>
#include <utility>
#include <vector>

#include "compile.h"
#include "files/output_folder.h"
#include "files/read_file.h"
#include "ir/graph_json.h"
#include "ir/ir_form.h"
#include "ir/text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

GraphJson print_as(IrForm form, const Graph& graph, const std::string& constants_name) {
  if (form == IrForm::kJson) {
    return print_graph_json(graph, constants_name);
  }
  ConstantFile constants(constants_name);
  std::string text = print_graph(graph, kShownElements, &constants);
  return {std::move(text), constants.bytes()};
}

}  // namespace

Graph read_graph_file(const std::filesystem::path& path, const std::vector<OwnOperator>& operators) {
  const std::string text = read_file(path, "an ONNX file or an IR");
  const std::string name = path.filename().string();
  return ir_form_of(path) == IrForm::kJson ? parse_graph_json(text, name, path.parent_path(), operators)
                                           : parse_graph(text, name, path.parent_path(), operators);
}

void write_graph_file(const Graph& graph, const std::filesystem::path& path) {
  const auto form = ir_form_of(path);
  if (!form) {
    throw UsageError(path.string() + ": an IR is known by its name; x.fovea, x.txt and x.json work");
  }
  const std::string constants_name = path.stem().string() + ".constants.bin";
  const auto [text, constants] = print_as(*form, graph, constants_name);
  OutputFolder folder(path.parent_path());
  folder.add(path.filename().string(), text);
  if (!constants.empty()) {
    folder.add(constants_name, constants);
  }
  folder.commit();
}

}  // namespace fovea
