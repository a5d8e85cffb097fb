// SPDX-License-Identifier: Apache-2.0
/// \file
/// ONNX's own test cases (package libonnx-testdata), all of them: imported operators compute what ONNX says they
/// compute, as constants are folded and as loops. How many pass, and why others are left out, stands in onnx_cases.def;
/// FOVEA_REBASE=1 writes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "converters.h"
#include "import.h"
#include "ir/evaluate.h"
#include "loops/interpret.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "model_builder.h"
#include "onnx_tensor.h"
#include "ops/definition.h"
#include "ops/operator.h"
#include "read_model.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

onnx::TensorProto read_tensor_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  tensor.ParseFromIstream(&file);
  return tensor;
}

/// The case's model with its inputs as initializers and a QuantizeLinear to nowhere, so that it counts as quantized; in
/// opset 10 or later, which has QuantizeLinear.
onnx::ModelProto load_case(const fs::path& folder) {
  onnx::ModelProto model = read_model(folder / "model.onnx");
  auto& graph = *model.mutable_graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    auto& initializer = *graph.add_initializer();
    initializer = read_tensor_file(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
    initializer.set_name(graph.input(i).name());
    if (graph.input(i).type().has_tensor_type()) {
      initializer.set_data_type(
          graph.input(i).type().tensor_type().elem_type());  // uint16 holds bfloat16 in the files.
    }
  }
  graph.clear_input();
  auto& opset = *model.mutable_opset_import(0);
  opset.set_version(std::max<int64_t>(opset.version(), 10));
  onnx::TensorProto& one = *graph.add_initializer();
  one.set_name("one");
  one.set_data_type(onnx::TensorProto::FLOAT);
  one.add_float_data(1);
  auto& node = *graph.add_node();
  node.set_op_type("QuantizeLinear");
  for (int i = 0; i < 2; ++i) {
    node.add_input("one");
  }
  node.add_output("nowhere");
  return model;
}

/// \param left  Imported: int32 sums are float32 numbers.
bool is_near(const Tensor& left, const Tensor& right) {
  const bool is_sum = left.type().element == ElementType::kFloat32 && right.type().element == ElementType::kInt32;
  if (left.type().shape != right.type().shape || (left.type().element != right.type().element && !is_sum)) {
    return false;
  }
  for (int64_t i = 0; i < count_elements(left.type().shape); ++i) {
    const double a = left.at(i), b = right.at(i);
    if (std::isnan(a) != std::isnan(b) || std::abs(a - b) > 1e-4 + 1e-4 * std::abs(b)) {
      return false;
    }
  }
  return true;
}

/// Whether the first node is refused with one more attribute, and with one more input.
bool refuses_what_it_does_not_read(const onnx::ModelProto& model) {
  const auto is_refused = [&model](void (*change)(onnx::NodeProto & node)) {
    onnx::ModelProto changed = model;
    change(*changed.mutable_graph()->mutable_node(0));
    try {
      import_model(changed, "net.onnx");
    } catch (const UserError&) {
      return true;
    }
    return false;
  };
  return is_refused([](onnx::NodeProto& node) { set_int(node, "unheard_of", 1); }) &&
         is_refused([](onnx::NodeProto& node) {
           while (node.input_size() < 12) {
             node.add_input("");
           }
           node.add_input("one");
         });
}

/// A call's value, by its loops where it has a definition.
Tensor run_call(const Node& call, const std::vector<const Tensor*>& inputs) {
  std::vector<TensorType> types;
  std::vector<std::string> names;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
    names.push_back("x" + std::to_string(names.size()));
  }
  const auto definition = definition_of(call, types);
  if (!definition) {
    return call.op->evaluate(call, inputs);
  }
  const Nest nest = lower("nest", *definition, names, call.type);
  verify_nest(nest);
  return interpret(nest, inputs, call.type);
}

/// The results of a graph without inputs, as run_call() computes them.
std::vector<Tensor> run_loops(const Graph& graph) {
  std::vector<Tensor> values, results;
  for (const Node& node : graph.nodes()) {
    std::vector<const Tensor*> inputs;
    for (const NodeId input : node.inputs) {
      inputs.push_back(&values[input]);
    }
    values.push_back(node.kind == NodeKind::kConstant ? *node.constant : run_call(node, inputs));
  }
  for (const NodeId output : graph.outputs()) {
    results.push_back(values[output]);
  }
  return results;
}

/// Cases that are left out for one reason, or that pass.
struct Group {
  int count = 0;
  std::vector<std::string> names;
};

struct Case {
  fs::path folder;
  onnx::ModelProto model;
  std::string operators;                 ///< With blanks between.
  std::string missing;                   ///< The first operator that is not in the table, or "".
  bool has_values_of_sequences = false;  ///< Or optional ones.
};

Case read_case(const fs::path& folder) {
  Case result{folder, read_model(folder / "model.onnx"), "", "", false};
  for (const auto& node : result.model.graph().node()) {
    const bool is_missing = find_converter(OnnxNode(node).op()) == nullptr;
    result.missing = is_missing && result.missing.empty() ? node.op_type() : result.missing;
    result.operators += (result.operators.empty() ? "" : " ") + node.op_type();
  }
  for (const auto* ends : {&result.model.graph().input(), &result.model.graph().output()}) {
    for (const onnx::ValueInfoProto& end : *ends) {
      result.has_values_of_sequences |= !end.type().has_tensor_type();
    }
  }
  return result;
}

/// What a case is about, of an error's line "<node>: <what>; <what would work>": element types by their name, and the
/// rest without the shape.
std::string reason_of(const std::string& error) {
  std::string what = error.substr(error.find(": ") + 2);
  what = what.substr(0, what.find(';'));
  const std::string type = "element type ";
  if (what.starts_with(type)) {
    return what.substr(0, what.find(' ', type.size()));
  }
  return what.substr(0, what.find(", on ["));
}

/// Cases whose expected results are others than ONNX Runtime's, whose results are ours: a size that is no whole number
/// counts as it is in align_corners, not cut off.
const std::set<std::string> kOtherThanOnnxRuntimes = {"test_resize_downsample_scales_linear_align_corners",
                                                      "test_resize_downsample_scales_cubic_align_corners"};

/// Whether the results are those of the case's files.
bool are_expected(const std::vector<Tensor>& results, const fs::path& folder) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const fs::path file = folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb");
    if (!is_near(results[i], to_tensor(read_tensor_file(file), "output"))) {
      return false;
    }
  }
  return !results.empty();
}

/// Why a case is left out; nothing where it passes. What computes something else is a failure.
std::optional<std::string> run_case(const Case& each) {
  const std::string name = each.folder.filename();
  if (!each.missing.empty()) {
    return "operator that is not in the table";
  }
  if (each.has_values_of_sequences) {
    return "sequence or optional value";
  }
  const onnx::ModelProto model = load_case(each.folder);
  try {
    const Graph graph = import_model(model, name);
    const bool is_expected = are_expected(evaluate(graph, {}), each.folder);
    if (kOtherThanOnnxRuntimes.count(name) != 0) {
      EXPECT_FALSE(is_expected) << name << ": passes, so it needs no excuse";
      return "result that is not ONNX Runtime's, which is ours";
    }
    EXPECT_TRUE(is_expected) << name << ": " << each.operators;
    EXPECT_TRUE(are_expected(run_loops(graph), each.folder)) << name << ", by loops: " << each.operators;
    EXPECT_TRUE(refuses_what_it_does_not_read(model)) << name << ": " << each.operators;
    return std::nullopt;
  } catch (const UserError& error) {
    return reason_of(error.what());
  }
}

/// The table onnx_cases.def.
std::string table_text(int passed, const std::map<std::string, Group>& left_out) {
  std::vector<std::pair<std::string, Group>> rows(left_out.begin(), left_out.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  std::ostringstream text;
  text << "// SPDX-License-Identifier: Apache-2.0\n"
          "// What becomes of ONNX's own cases for operators, made by onnx_import_test with FOVEA_REBASE=1:\n"
          "// FOVEA_ONNX_CASES(how many, why they are left out or \"\" of those that pass, which operators or cases)\n"
       << "FOVEA_ONNX_CASES(" << passed << ", \"\", \"\")\n";
  for (const auto& [reason, group] : rows) {
    std::string names;
    for (const std::string& name : group.names) {
      names += (names.empty() ? "" : ", ") + name;
    }
    text << "FOVEA_ONNX_CASES(" << group.count << ", \"" << reason << "\",\n                 \"" << names << "\")\n";
  }
  return text.str();
}

/// "Trilu 18", ... in the order of the alphabet.
std::vector<std::string> listed(const std::map<std::string, int>& operators) {
  std::vector<std::string> all;
  for (const auto& [name, count] : operators) {
    all.push_back(name + " " + std::to_string(count));
  }
  return all;
}

TEST(OnnxCasesTest, ImportedOperatorsComputeWhatOnnxSays) {
  const fs::path cases = "/usr/share/libonnx-testdata/data/node", table = "compiler/onnx/onnx_cases.def";
  if (!fs::exists(cases)) {
    GTEST_SKIP() << "nothing to test here: the package libonnx-testdata is not installed";
  }
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(cases)) {
    folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  constexpr std::size_t kMostNames = 3;
  int passed = 0;
  std::map<std::string, int> passed_of, missing;
  std::map<std::string, Group> left_out;
  for (const fs::path& folder : folders) {
    const Case each = read_case(folder);
    const auto reason = run_case(each);
    if (!reason) {
      ++passed;
      ++passed_of[each.operators];
      continue;
    }
    Group& group = left_out[*reason];
    ++group.count;
    if (!each.missing.empty()) {
      ++missing[each.missing];
      group.names = listed(missing);
    } else if (group.names.size() < kMostNames) {
      group.names.push_back(folder.filename().string().substr(std::string("test_").size()));
    }
  }
  const std::string text = table_text(passed, left_out);
  if (std::getenv("FOVEA_REBASE") != nullptr) {
    std::ofstream(table) << text;
    return;
  }
  std::stringstream stored;
  stored << std::ifstream(table).rdbuf();
  EXPECT_EQ(stored.str(), text) << "FOVEA_REBASE=1 writes " << table << ", from which docs/operators.md is made";
  // ONNX has no cases of another domain's operators or Deeploy's; all of Cast's, CastLike's, CumSum's and
  // ReduceLogSumExp's have a type that the IR lacks, and libonnx 1.12 is older than the others.
  const std::set<std::string> without_cases{
      "Attention",       "Cast",         "CastLike",        "CumSum", "Gelu", "Mish", "RMSNormalization",
      "ReduceLogSumExp", "RequantShift", "RotaryEmbedding", "Swish"};
  for (const std::string op : {
#define FOVEA_ONNX(op, function, ...) #op,
#define FOVEA_ONNX_AS(op, name, ...) #op,
#include "converters.def"
#undef FOVEA_ONNX
#undef FOVEA_ONNX_AS
       }) {
    if (!without_cases.contains(op) && op.find('.') == std::string::npos) {
      EXPECT_GE(passed_of[op], 1) << op;
    }
  }
}

}  // namespace
}  // namespace fovea
