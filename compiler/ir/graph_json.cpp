// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a line a node; reads key by key, and refuses what the schema does not have.
#include "graph_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "checksum.h"
#include "constant_file.h"
#include "ops/operator.h"
#include "quantization.h"
#include "spec/json_file.h"
#include "spec/near_name.h"
#include "tensor/error.h"
#include "verify.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "fovea-graph";
constexpr int kVersion = 1;
constexpr std::size_t kAlignment = 64;

/// The texts of a function, by their keys.
template <typename AnyFunction>
auto texts_of(AnyFunction& function) {
  return std::array{std::pair("target", &function.target), std::pair("reason", &function.reason),
                    std::pair("layer", &function.layer), std::pair("region", &function.region),
                    std::pair("note", &function.note)};
}

/// Whether a node is a conversion whose scale and zero point are known.
bool has_quantization(const Graph& graph, const Node& node) {
  return (is_call(node, "qnn.quantize") || is_call(node, "qnn.dequantize")) && has_constant_quantization(graph, node);
}

Json quantization_json(const Graph& graph, const Node& node) {
  const Quantization quantization = read_quantization(graph, node);
  return {{"dtype", to_text(quantization.element)},
          {"scales", quantization.scales},
          {"zero_points", quantization.zero_points},
          {"axis", quantization.axis}};
}

/// JSON has no other numbers than finite ones.
Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

struct AttributeWriter {
  Json operator()(int64_t value) const { return value; }
  Json operator()(double value) const { return number_json(value); }
  Json operator()(const std::vector<int64_t>& values) const { return Json(values); }
  Json operator()(const std::string& value) const { return value; }
};

class Writer {
 public:
  explicit Writer(const std::string& constants_name) : constants_(constants_name, kAlignment) {}

  GraphJson write(const Graph& graph) {
    const std::string body = body_text(graph, "");
    const Json head{{"format", kFormat}, {"version", kVersion}, {"constants", constants_.name()}};
    return {open_text(head) + ",\n" + body + "}\n", constants_.bytes()};
  }

 private:
  static std::string text_of(const Json& json) { return json.dump(-1, ' ', true); }

  /// An object without its last brace.
  static std::string open_text(const Json& json) {
    std::string text = text_of(json);
    text.pop_back();
    return text;
  }

  /// The nodes, a line each, and the outputs.
  std::string body_text(const Graph& graph, const std::string& indent) {
    std::string text = "\"nodes\":[";
    for (NodeId id = 0; id < graph.size(); ++id) {
      text += (id == 0 ? "\n" : ",\n") + indent + " " + node_text(graph, id, indent + " ");
    }
    Json outputs = Json::array();
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      outputs.push_back({{"node", graph.outputs()[i]}, {"name", graph.output_names()[i]}});
    }
    return text + "],\n" + indent + "\"outputs\":" + text_of(outputs);
  }

  std::string node_text(const Graph& graph, NodeId id, const std::string& indent) {
    const Node& node = graph[id];
    Json json{{"id", id}};
    switch (node.kind) {
      case NodeKind::kInput:
        json["kind"] = "input";
        break;
      case NodeKind::kConstant:
        json["kind"] = "constant";
        json["offset"] = constants_.add(node.constant);
        json["bytes"] = node.constant->bytes().size();
        json["crc32"] = checksum(node.constant->bytes());
        break;
      case NodeKind::kCall:
        json["kind"] = "call";
        json["op"] = node.op->name;
        json["inputs"] = node.inputs;
        json["attributes"] = Json::object();
        for (const AttributeSpec& spec : node.op->attributes) {
          json["attributes"][spec.name] = std::visit(AttributeWriter{}, node.attributes.at(spec.name));
        }
        if (has_quantization(graph, node)) {
          json["quantization"] = quantization_json(graph, node);
        }
        break;
      case NodeKind::kFunction:
        json["kind"] = node.function->is_region ? "region" : "composite";
        json["name"] = node.function->name;
        json["inputs"] = node.inputs;
        for (const auto& [key, text] : texts_of(*node.function)) {
          json[key] = *text;
        }
        break;
    }
    json["shape"] = node.type.shape;
    json["dtype"] = to_text(node.type.element);
    json["onnx_name"] = node.origin;
    if (node.kind != NodeKind::kFunction) {
      return text_of(json);
    }
    return open_text(json) + ",\"body\":{" + body_text(node.function->body, indent) + "}}";
  }

  ConstantFile constants_;
};

class Reader {
 public:
  Reader(std::string file, std::filesystem::path folder, const std::vector<OwnOperator>& operators)
      : file_(std::move(file)), folder_(std::move(folder)), operators_(operators) {}

  Graph read(const Json& json) {
    if (!json.is_object() || json.value("format", Json()) != kFormat) {
      fail("", std::string("no graph: its \"format\" is not \"") + kFormat + "\"");
    }
    const int64_t version = integer(json, "", "version");
    if (version != kVersion) {
      fail("", "its \"version\" is " + std::to_string(version) + "; " + std::to_string(kVersion) + " works");
    }
    constants_ = text(json, "", "constants");
    Graph graph = read_body(json, "", {"format", "version", "constants", "nodes", "outputs"});
    refuse_broken(graph, "in " + file_);
    return graph;
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& problem) const {
    user_error(file_ + ": " + (place.empty() ? "" : place + ": ") + problem);
  }

  const Json& at(const Json& json, const std::string& place, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) {
      fail(place, std::string("\"") + key + "\" is missing");
    }
    return *found;
  }

  [[noreturn]] void fail_type(const std::string& place, const std::string& key, const Json& value,
                              const std::string& expected) const {
    constexpr std::size_t kShown = 40;
    std::string shown = value.dump(-1, ' ', true);
    shown = shown.size() > kShown ? shown.substr(0, kShown) + "..." : shown;
    fail(place, "\"" + key + "\" is " + shown + "; it must be " + expected);
  }

  void check_keys(const Json& json, const std::string& place, const std::vector<std::string>& keys) const {
    for (const auto& item : json.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
        fail(place, "there is no key \"" + item.key() + "\" here" + did_you_mean(item.key(), keys));
      }
    }
  }

  std::string text(const Json& json, const std::string& place, const char* key) const {
    const Json& value = at(json, place, key);
    return value.is_string() ? value.get<std::string>() : (fail_type(place, key, value, "a text"), "");
  }

  int64_t integer(const Json& json, const std::string& place, const char* key) const {
    return integer_of(at(json, place, key), place, key);
  }

  int64_t integer_of(const Json& value, const std::string& place, const std::string& key) const {
    const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
    return fits ? value.get<int64_t>() : (fail_type(place, key, value, "a whole number"), 0);
  }

  const Json& array(const Json& json, const std::string& place, const char* key) const {
    const Json& value = at(json, place, key);
    return value.is_array() ? value : (fail_type(place, key, value, "an array"), value);
  }

  std::vector<int64_t> integers_of(const Json& value, const std::string& place, const std::string& key) const {
    if (!value.is_array()) {
      fail_type(place, key, value, "whole numbers in brackets");
    }
    std::vector<int64_t> integers;
    for (const Json& each : value) {
      integers.push_back(integer_of(each, place, key));
    }
    return integers;
  }

  TensorType type(const Json& json, const std::string& place) const {
    const auto element = parse_element_type(text(json, place, "dtype"));
    if (!element) {
      fail_type(place, "dtype", json["dtype"], "float32, uint8, int8, int32, int64 or bool");
    }
    TensorType type{integers_of(at(json, place, "shape"), place, "shape"), *element};
    check_shape(type.shape, file_ + ": " + place);
    return type;
  }

  Graph read_body(const Json& json, const std::string& place, const std::vector<std::string>& keys) {
    check_keys(json, place, keys);
    GraphBuilder builder;
    const std::string before = place.empty() ? "" : place + ".";
    for (const Json& node : array(json, place, "nodes")) {
      const std::size_t id = builder.so_far().size();
      const std::string where = before + "nodes[" + std::to_string(id) + "]";
      if (!node.is_object() || integer(node, where, "id") != static_cast<int64_t>(id)) {
        fail(where, "a node is an object whose \"id\" is its place, " + std::to_string(id));
      }
      read_node(builder, node, where);
    }
    std::vector<NodeId> outputs;
    std::vector<std::string> names;
    for (const Json& output : array(json, place, "outputs")) {
      const std::string where = before + "outputs[" + std::to_string(outputs.size()) + "]";
      if (!output.is_object()) {
        fail(where, "an output is an object with \"node\" and \"name\"");
      }
      check_keys(output, where, {"node", "name"});
      outputs.push_back(place_of(builder, at(output, where, "node"), where, "node"));
      names.push_back(text(output, where, "name"));
    }
    return builder.finish(std::move(outputs), std::move(names));
  }

  NodeId place_of(const GraphBuilder& builder, const Json& value, const std::string& place, const char* key) const {
    const int64_t id = integer_of(value, place, key);
    if (id < 0 || static_cast<std::size_t>(id) >= builder.so_far().size()) {
      fail(place, "there is no node " + std::to_string(id) + " before it");
    }
    return static_cast<NodeId>(id);
  }

  std::vector<NodeId> inputs(const GraphBuilder& builder, const Json& node, const std::string& place) const {
    std::vector<NodeId> ids;
    for (const Json& each : array(node, place, "inputs")) {
      ids.push_back(place_of(builder, each, place, "inputs"));
    }
    return ids;
  }

  void read_node(GraphBuilder& builder, const Json& node, const std::string& place) {
    const std::string kind = text(node, place, "kind");
    const TensorType said = type(node, place);
    const std::string origin = text(node, place, "onnx_name");
    NodeId id = 0;
    if (kind == "input") {
      check_keys(node, place, {"id", "kind", "shape", "dtype", "onnx_name"});
      id = builder.input(origin, said);
    } else if (kind == "constant") {
      check_keys(node, place, {"id", "kind", "offset", "bytes", "crc32", "shape", "dtype", "onnx_name"});
      id = builder.constant(read_tensor(node, place, said), origin);
    } else if (kind == "call") {
      id = read_call(builder, node, place, origin);
    } else if (kind == "composite" || kind == "region") {
      id = read_function(builder, node, place, origin, kind == "region");
    } else {
      fail_type(place, "kind", node["kind"], "input, constant, call, composite or region");
    }
    if (builder[id].type != said) {
      fail(place, "is a " + to_text(builder[id].type) + ", not a " + to_text(said));
    }
  }

  /// What several nodes have from one place is one tensor.
  std::shared_ptr<const Tensor> read_tensor(const Json& node, const std::string& place, const TensorType& type) {
    const int64_t bytes = integer(node, place, "bytes");
    if (bytes < 0 || static_cast<std::size_t>(bytes) != size_bytes(type)) {
      fail_type(place, "bytes", node["bytes"], std::to_string(size_bytes(type)) + ", as a " + to_text(type) + " has");
    }
    const int64_t offset = integer(node, place, "offset");
    const int64_t crc32 = integer(node, place, "crc32");
    std::shared_ptr<const Tensor>& tensor = tensors_[{offset, crc32, node["dtype"], type.shape}];
    try {
      if (tensor == nullptr) {
        tensor = std::make_shared<const Tensor>(read_constant(folder_, {constants_, offset, type, crc32}));
      }
    } catch (const UserError& error) {
      fail(place, error.what());
    }
    return tensor;
  }

  NodeId read_call(GraphBuilder& builder, const Json& node, const std::string& place, const std::string& origin) {
    check_keys(node, place,
               {"id", "kind", "op", "inputs", "attributes", "quantization", "shape", "dtype", "onnx_name"});
    const std::string name = text(node, place, "op");
    Call call = find_call(name, operators_);
    if (call.op == nullptr) {
      fail(place, "there is no operator " + name);
    }
    const Json& given = at(node, place, "attributes");
    std::vector<std::string> names;
    for (const AttributeSpec& spec : call.op->attributes) {
      names.push_back(spec.name);
      call.attributes[spec.name] = attribute(at(given, place, spec.name.c_str()), spec, place);
    }
    check_keys(given, place, names);
    const std::vector<NodeId> ids = inputs(builder, node, place);
    call.origin = origin;
    const NodeId id = [&] {
      try {
        return builder.call(call, ids);
      } catch (const UserError& error) {
        fail(place, error.what());
      }
    }();
    check_quantization(builder.so_far(), id, node, place);
    return id;
  }

  /// It says once more what scale and zero point say, for whoever does not want to look them up.
  void check_quantization(const Graph& graph, NodeId id, const Json& node, const std::string& place) const {
    const auto given = node.find("quantization");
    const bool has_one = has_quantization(graph, graph[id]);
    if ((given != node.end()) != has_one || (has_one && *given != quantization_json(graph, graph[id]))) {
      fail(place, has_one ? "\"quantization\" is not what its scale and zero point say: " +
                                quantization_json(graph, graph[id]).dump()
                          : "\"quantization\" is of qnn.quantize and qnn.dequantize by constants only");
    }
  }

  Attribute attribute(const Json& value, const AttributeSpec& spec, const std::string& place) const {
    switch (spec.kind) {
      case AttributeKind::kInt:
        return integer_of(value, place, spec.name);
      case AttributeKind::kInts:
        return integers_of(value, place, spec.name);
      case AttributeKind::kText:
        return value.is_string() ? value.get<std::string>() : (fail_type(place, spec.name, value, "a text"), "");
      case AttributeKind::kFloat:
        break;
    }
    for (const double special : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
      if (value == number_json(special)) {
        return special;
      }
    }
    return value.is_number() ? value.get<double>()
                             : (fail_type(place, spec.name, value, "a number, \"inf\", \"-inf\" or \"nan\""), 0.0);
  }

  NodeId read_function(GraphBuilder& builder, const Json& node, const std::string& place, const std::string& origin,
                       bool is_region) {
    check_keys(node, place,
               {"id", "kind", "name", "inputs", "target", "reason", "layer", "region", "note", "shape", "dtype",
                "onnx_name", "body"});
    Function function;
    function.is_region = is_region;
    function.name = text(node, place, "name");
    for (const auto& [key, field] : texts_of(function)) {
      *field = text(node, place, key);
    }
    for (const std::string* word : {&function.name, &function.target}) {
      const auto is_letter = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '_';
      };
      if (!std::ranges::all_of(*word, is_letter) || function.name.empty()) {
        fail(place, "names of functions and targets are of letters, digits, \"_\" and \".\", not " + *word);
      }
    }
    const Json& body = at(node, place, "body");
    if (!body.is_object()) {
      fail_type(place, "body", body, "an object with \"nodes\" and \"outputs\"");
    }
    function.body = read_body(body, place + ".body", {"nodes", "outputs"});
    if (function.body.outputs().empty()) {
      fail(place, function.name + " returns no value");
    }
    return builder.call(std::move(function), inputs(builder, node, place), origin);
  }

  const std::string file_;
  const std::filesystem::path folder_;
  const std::vector<OwnOperator>& operators_;
  std::string constants_;
  std::map<std::tuple<int64_t, int64_t, std::string, Shape>, std::shared_ptr<const Tensor>> tensors_;
};

}  // namespace

GraphJson print_graph_json(const Graph& graph, const std::string& constants_name) {
  return Writer(constants_name).write(graph);
}

Graph parse_graph_json(const std::string& text, const std::string& file, const std::filesystem::path& folder,
                       const std::vector<OwnOperator>& operators) {
  return Reader(file, folder, operators).read([&] {
    try {
      return parse_json<Json>(text, file);
    } catch (const JsonError& error) {
      user_error(error.what());
    }
  }());
}

}  // namespace fovea
