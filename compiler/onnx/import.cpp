// SPDX-License-Identifier: Apache-2.0
/// \file
/// Imports a model: its inputs, then node after node through the table of converters, then its outputs.
#include "import.h"

#include <algorithm>
#include <optional>
#include <set>

#include "bind_shapes.h"
#include "check_graph.h"
#include "converters.h"
#include "float_ends.h"
#include "import_context.h"
#include "inline_functions.h"
#include "ir/verify.h"
#include "kept_in_float.h"
#include "merge_quantizations.h"
#include "missing_data.h"
#include "onnx_tensor.h"
#include "quantize_parameters.h"
#include "read_model.h"
#include "repeat_for_batch.h"
#include "sort_nodes.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// A graph as steps leave it: the file's, uncopied, until one of them makes another.
class Rewritten {
 public:
  explicit Rewritten(const onnx::GraphProto& graph) : original_(graph) {}

  const onnx::GraphProto& graph() const { return changed_ ? *changed_ : original_; }

  /// \param step  Makes a graph of a graph, or nothing where it changes none.
  template <typename Step>
  void apply(const Step& step) {
    if (std::optional<onnx::GraphProto> next = step(graph())) {
      changed_ = std::move(next);
    }
  }

 private:
  const onnx::GraphProto& original_;
  std::optional<onnx::GraphProto> changed_;
};

int64_t read_opset(const onnx::ModelProto& model, const std::string& name) {
  std::optional<int64_t> found;
  for (const onnx::OperatorSetIdProto& opset : model.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") {
      continue;
    }
    if (found) {
      user_error(name + ": imports ONNX's operators twice, of opsets " + std::to_string(*found) + " and " +
                 std::to_string(opset.version()) + "; export the model again with one");
    }
    found = opset.version();
  }
  if (!found) {
    user_error(name + ": says no ONNX opset; the model is damaged");
  }
  if (*found < kLeastOpset || *found > kMostOpset) {
    user_error(name + ": opset " + std::to_string(*found) + " is not supported; " + std::to_string(kLeastOpset) +
               " to " + std::to_string(kMostOpset) + " are");
  }
  return *found;
}

TensorType read_input_type(const onnx::ValueInfoProto& input) {
  const auto& tensor = input.type().tensor_type();
  if (!input.type().has_tensor_type() || !tensor.has_shape()) {
    user_error(input.name() + ": the network's input has no shape in the file; give it, such as --shape " +
               input.name() + "=1x3x224x224");
  }
  if (const std::string open = open_dimensions(input); !open.empty()) {
    user_error(open);
  }
  TensorType type{declared_shape(input), to_element_type(tensor.elem_type(), input.name())};
  check_shape(type.shape, input.name());
  return type;
}

/// Converts one node. What it makes besides its first output (a mask, indices) must not be read, unless the converter
/// defines it. \param stays_float  Its first output is not to be one layer with a quantize behind it.
void convert_node(ImportContext& context, OnnxNode& node, const onnx::NodeProto& proto, const ImportOptions& options,
                  bool stays_float) {
  const std::vector<std::string> outputs = node.outputs();
  if (const Extern* binding = find_extern(options.externs, node.op())) {
    return convert_extern(context, node, proto, *binding);
  }
  const OwnOperator* own = find_own(options.operators, node.op());
  const ConverterRow* row = find_converter(node.op());
  node.check(own != nullptr || row != nullptr, "operator " + node.op() + " is not supported; " +
                                                   advise_operator(node.op()) + "; --extern " + node.op() +
                                                   "=file.c computes it by a C function");
  NodeId value = own != nullptr ? convert_own(context, node, *own) : row->convert(context, node);
  node.require_all_read();
  value = stays_float ? context.call(node, "annotation.stop_fusion", {value}) : value;
  context.define(outputs[0], value);
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    if (outputs[i].empty()) {
      continue;
    }
    context.define_missing(outputs[i], node.name() + ": output " + std::to_string(i + 1) + " of " + node.op() +
                                           " is not supported; a network that reads only the first works");
  }
}

/// Converts one node, or puts "unsupported" in its place.
void import_node(ImportContext& context, const onnx::NodeProto& proto, const ImportOptions& options, bool stays_float) {
  OnnxNode node(proto);
  const std::vector<std::string> outputs = node.outputs();
  node.check(!outputs.empty(), "makes no output; the model is damaged");
  std::string why;
  if (!context.reads_unknown(node)) {
    try {
      return convert_node(context, node, proto, options, stays_float);
    } catch (const UserError& error) {
      why = error.what();
    }
  }
  for (const std::string& output : outputs) {
    if (!output.empty() && !context.is_defined(output)) {
      context.define(output, context.unsupported(node, output, why));
    }
  }
}

bool is_supported(const Graph& graph) {
  return std::ranges::none_of(graph.nodes(), [](const Node& node) { return is_call(node, "unsupported"); });
}

NodeId import_input(ImportContext& context, const onnx::ValueInfoProto& input) {
  try {
    return context.builder.input(input.name(), read_input_type(input));
  } catch (const UserError& error) {
    return context.unsupported(input.name(), error.what());
  }
}

/// Imports a model's graph whose inputs have their shapes.
Graph import_bound(const onnx::ModelProto& model, const onnx::GraphProto& bound, const std::string& name,
                   const std::filesystem::path& folder, const ImportOptions& options) {
  const int64_t opset = read_opset(model, name);
  Rewritten rewritten(bound);
  rewritten.apply([&](const onnx::GraphProto& graph) { return inline_functions(model, graph); });
  check_graph(rewritten.graph());
  rewritten.apply(sort_nodes);
  rewritten.apply(
      [&](const onnx::GraphProto& graph) { return fill_missing_data(graph, name, folder, options.on_missing_data); });
  rewritten.apply([&](const onnx::GraphProto& graph) { return merge_quantizations(graph, folder); });
  if (options.exact_to == Exactness::kOnnxRuntime) {
    rewritten.apply([&](const onnx::GraphProto& graph) { return quantize_parameters(graph, folder); });
  }
  const onnx::GraphProto& graph = rewritten.graph();
  ImportContext context(graph, folder);
  context.opset = opset;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (context.is_initializer(input.name())) {
      continue;
    }
    context.define(input.name(), import_input(context, input));
  }
  const bool is_asked = options.exact_to == Exactness::kOnnxRuntime || options.on_kept_in_float;
  const auto kept_in_float = is_asked ? find_kept_in_float(graph, folder) : std::map<std::string, std::string>();
  for (const onnx::NodeProto& node : graph.node()) {
    const auto kept = node.output_size() == 0 ? kept_in_float.end() : kept_in_float.find(node.output(0));
    const bool is_kept = kept != kept_in_float.end();
    if (is_kept && options.on_kept_in_float) {
      options.on_kept_in_float(OnnxNode(node).name(), kept->second);
    }
    import_node(context, node, options, is_kept && options.exact_to == Exactness::kOnnxRuntime);
  }
  std::vector<NodeId> outputs;
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& output : graph.output()) {
    names.push_back(output.name());
    outputs.push_back(context.find(output.name()));
  }
  if (outputs.empty()) {
    refuse_unsupported(context.builder.finish({}));
    user_error(name + ": the network has no output; the model is damaged");
  }
  return context.builder.finish(std::move(outputs), std::move(names));
}

}  // namespace

Graph import_model_partly(const onnx::ModelProto& model, const std::string& name, const std::filesystem::path& folder,
                          const ImportOptions& options) {
  Rewritten rewritten(model.graph());
  rewritten.apply([&](const onnx::GraphProto& graph) { return bind_shapes(graph, options.shapes); });
  const auto import = [&](const onnx::GraphProto& graph) { return import_bound(model, graph, name, folder, options); };
  const auto import_repeated = [&] { return repeat_for_batch(import(rewritten.graph()), options.batch, name); };
  if (options.batch == 0) {
    return import(rewritten.graph());
  }
  const BatchForm form = find_batch_form(rewritten.graph(), options.batch);
  if (form != BatchForm::kOpen) {
    return form == BatchForm::kOne ? import_repeated() : import(rewritten.graph());
  }
  Graph graph = import(bind_batch(rewritten.graph(), options.batch));
  if (is_supported(graph)) {
    return graph;
  }
  try {  // An open batch whose nodes have shapes for one picture.
    Graph repeated = import_repeated();
    return is_supported(repeated) ? repeated : graph;
  } catch (const UserError&) {
    return graph;
  }
}

Graph import_onnx_partly(const std::filesystem::path& path, const ImportOptions& options) {
  return float_ends(import_model_partly(read_model(path), path.string(), path.parent_path() / ".", options));
}

std::vector<DeclaredInput> declared_inputs(const std::filesystem::path& path) {
  const onnx::ModelProto model = read_model(path);
  std::set<std::string> initializers;
  for (const onnx::TensorProto& initializer : model.graph().initializer()) {
    initializers.insert(initializer.name());
  }
  std::vector<DeclaredInput> inputs;
  for (const onnx::ValueInfoProto& input : model.graph().input()) {
    if (initializers.count(input.name()) == 0) {
      const auto& shape = input.type().tensor_type().shape();
      inputs.push_back({input.name(), declared_shape(input), shape.dim_size() > 0 && is_open(shape.dim(0))});
    }
  }
  return inputs;
}

Graph import_model(const onnx::ModelProto& model, const std::string& name, const std::filesystem::path& folder,
                   const ImportOptions& options) {
  Graph graph = import_model_partly(model, name, folder, options);
  refuse_unsupported(graph);
  return graph;
}

Graph import_onnx(const std::filesystem::path& path, const ImportOptions& options) {
  Graph graph = import_onnx_partly(path, options);
  refuse_unsupported(graph);
  return graph;
}

}  // namespace fovea
