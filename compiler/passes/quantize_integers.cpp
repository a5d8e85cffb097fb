// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks from a product to a value that is whole and of 8 bits, and asks where each of its numbers begins.
#include "quantize_integers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "eliminate_dead_code.h"
#include "fit_steps.h"
#include "ir/quantization.h"
#include "number_range.h"
#include "ops/operator.h"
#include "rewrite.h"

namespace fovea {
namespace {

constexpr int64_t kMostSum = 1 << 24;

/// \name Whole numbers of 8 bits
/// @{

/// What is added to such numbers to make them bytes: 0 or 128, or what leaves the least at 0. Nothing where they are
/// none.
std::optional<uint8_t> offset_of(const NumberRange& range) {
  if (!range.is_whole || !range.is_within(-255, 255) || range.most - range.least > 255) {
    return std::nullopt;
  }
  const bool is_int8 = range.is_within(-128, 127);
  return static_cast<uint8_t>(range.least >= 0 ? 0 : is_int8 ? 128 : -range.least);
}

/// Scale and zero point of uint8 at a scale of 1.
std::vector<NodeId> add_parameters(GraphBuilder& builder, uint8_t zero_point, const std::string& origin) {
  return {builder.constant(Tensor::of<float>({}, {1}), origin),
          builder.constant(Tensor::of<uint8_t>({}, {zero_point}), origin)};
}

NodeId add_conversion(GraphBuilder& builder, const char* op, NodeId x, uint8_t zero_point, const std::string& origin) {
  const std::vector<NodeId> parameters = add_parameters(builder, zero_point, origin);
  return builder.call(op, {x, parameters[0], parameters[1]}, {{"axis", int64_t{0}}}, origin);
}

/// The offset of the integers that `x` is made of by moving and comparing them; `otherwise` where it is made otherwise.
uint8_t offset_in_use(const Graph& graph, NodeId x, const NumberRange& range, uint8_t otherwise) {
  while (moves_elements(graph[x]) || is_call(graph[x], "nn.max_pool2d")) {
    x = graph[x].inputs[0];
  }
  if (!is_call(graph[x], "qnn.dequantize") || !has_constant_quantization(graph, graph[x])) {
    return otherwise;
  }
  const Quantization q = read_quantization(graph, graph[x]);
  const auto zero_point = static_cast<double>(q.zero_points[0]);
  const bool is_in_use = q.element == ElementType::kUint8 && q.scales.size() == 1 && q.scale() == 1 &&
                         range.is_within(-zero_point, 255 - zero_point);
  return is_in_use ? static_cast<uint8_t>(zero_point) : otherwise;
}

/// A value as integers that are dequantized at a scale of 1.
NodeId as_dequantized(GraphBuilder& builder, NodeId x, const NumberRange& range) {
  const std::string origin = builder[x].origin;
  if (is_call(builder[x], "cast") && is_8_bit(builder[builder[x].inputs[0]].type.element)) {
    const NodeId q = builder[x].inputs[0];
    const NodeId zero = builder.constant(Tensor({{}, builder[q].type.element}), origin);
    const NodeId one = builder.constant(Tensor::of<float>({}, {1}), origin);
    return builder.call("qnn.dequantize", {q, one, zero}, {{"axis", int64_t{0}}}, origin);
  }
  const uint8_t zero_point = offset_in_use(builder.so_far(), x, range, *offset_of(range));
  return add_conversion(builder, "qnn.dequantize", add_conversion(builder, "qnn.quantize", x, zero_point, origin),
                        zero_point, origin);
}

/// @}
/// \name A product and what follows it
/// @{

/// A product of whole numbers by constants.
struct Product {
  NodeId id = 0;
  std::shared_ptr<const Tensor> weights;
  std::size_t axis = 1;  ///< Of the result, that of the filters.
  int64_t filters = 1;
  std::vector<int64_t> least, most;  ///< Sum of each filter, and of any of its products.

  std::size_t count() const { return static_cast<std::size_t>(filters); }
  /// The filter of a weight.
  std::size_t filter_of(std::size_t weight) const {
    const auto weights_a_filter = static_cast<std::size_t>(count_elements(weights->type().shape)) / count();
    return is_transposed ? weight % count() : weight / weights_a_filter;
  }
  bool is_transposed = false;  ///< [C, M] instead of [M, C, ...].
};

std::optional<Product> read_product(const Graph& graph, NodeId id, const std::vector<NumberRange>& ranges) {
  const Node& node = graph[id];
  const bool is_matmul = is_call(node, "matmul");
  if (!is_matmul && !is_product(node)) {
    return std::nullopt;
  }
  const NodeId x = node.inputs[0], w = node.inputs[1];
  if (!graph.is_constant(w) || graph.is_constant(x) || !offset_of(ranges[x])) {
    return std::nullopt;
  }
  Product product;
  product.id = id;
  product.weights = constant_value(graph, w);
  const Shape& shape = product.weights->type().shape;
  product.is_transposed = is_matmul;
  product.axis = is_matmul ? node.type.shape.size() - 1 : 1;
  product.filters = node.type.shape.at(product.axis);
  const auto weights = product.weights->values<float>();
  const bool is_one_matrix = !is_matmul || count_elements(shape) == shape[shape.size() - 2] * shape.back();
  const auto is_int8 = [](float weight) { return weight == std::floor(weight) && weight >= -128 && weight <= 127; };
  if (weights.empty() || !is_one_matrix || !std::ranges::all_of(weights, is_int8)) {
    return std::nullopt;
  }
  product.least.resize(product.count());
  product.most.resize(product.count());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // Padding is 0.
    const double a = weights[i] * ranges[x].least, b = weights[i] * ranges[x].most;
    product.least[product.filter_of(i)] += static_cast<int64_t>(std::min({a, b, 0.0}));
    product.most[product.filter_of(i)] += static_cast<int64_t>(std::max({a, b, 0.0}));
  }
  const bool is_exact = std::ranges::all_of(product.least, [](int64_t sum) { return sum >= -kMostSum; }) &&
                        std::ranges::all_of(product.most, [](int64_t sum) { return sum <= kMostSum; });
  return is_exact ? std::optional(std::move(product)) : std::nullopt;
}

/// Whether a constant is one number in all, or one for each index of an axis of a shape that it is broadcast to.
bool is_along(const Shape& constant, const Shape& shape, std::size_t axis) {
  for (std::size_t i = 0; i < constant.size(); ++i) {
    if (constant[i] != 1 && i + shape.size() - constant.size() != axis) {
      return false;
    }
  }
  return constant.size() <= shape.size();
}

/// An operator that keeps or turns the order of numbers.
struct Step {
  NodeId id;
  std::size_t place;  ///< Of the value among its inputs.
};

/// Whether a call is the product's value in a shape of more or fewer axes of one index behind that of the filters.
bool is_same_plane(const Graph& graph, const Node& call, std::size_t axis) {
  const Shape &from = graph[call.inputs[0]].type.shape, &to = call.type.shape;
  return is_call(call, "reshape") && axis == 1 && from.size() > 1 && to.size() > 1 && from[0] == to[0] &&
         from[1] == to[1];
}

std::optional<Step> read_step(const Graph& graph, NodeId id, NodeId value, std::size_t axis) {
  constexpr const char* kFunctions[] = {"floor", "round", "ceil", "nn.relu", "clip", "cast"};
  constexpr const char* kCombinations[] = {"add", "subtract", "multiply", "divide", "minimum", "maximum"};
  const Node& node = graph[id];
  const auto is_one = [&](const char* op) { return is_call(node, op); };
  const bool is_number = node.type.element == ElementType::kFloat32 || node.type.element == ElementType::kInt64;
  if ((std::ranges::any_of(kFunctions, is_one) && is_number) || is_same_plane(graph, node, axis)) {
    return Step{id, 0};
  }
  if (is_call(node, "nn.bias_add") || is_call(node, "nn.batch_norm")) {
    const bool is_along_axis = int_attribute(node, "axis", 1) == static_cast<int64_t>(axis);
    const bool has_constants =
        std::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](NodeId input) { return graph.is_constant(input); });
    return is_along_axis && has_constants ? std::optional(Step{id, 0}) : std::nullopt;
  }
  if (!std::ranges::any_of(kCombinations, is_one)) {
    return std::nullopt;
  }
  const std::size_t place = node.inputs[0] == value ? 0 : 1;
  const NodeId other = node.inputs[1 - place];
  const bool is_divided_by = place == 1 && is_call(node, "divide");
  if (is_divided_by || !graph.is_constant(other) || graph[value].type.shape != node.type.shape ||
      !is_along(graph[other].type.shape, node.type.shape, axis)) {
    return std::nullopt;
  }
  return Step{id, place};
}

/// The steps behind a product, as far as nothing else reads between them.
std::vector<Step> find_steps(const Graph& graph, const Product& product) {
  std::vector<Step> steps;
  NodeId id = product.id;
  while (graph.is_read_once(id)) {
    const auto step = read_step(graph, graph.users()[id][0], id, product.axis);
    if (!step) {
      break;
    }
    steps.push_back(*step);
    id = step->id;
  }
  return steps;
}

/// The numbers of a constant that a step reads, one a filter.
std::vector<double> numbers_a_filter(const Graph& graph, NodeId constant, std::size_t filters) {
  const auto value = constant_value(graph, constant);
  std::vector<double> numbers(filters);
  for (std::size_t m = 0; m < filters; ++m) {
    numbers[m] = value->at(count_elements(value->type().shape) == 1 ? 0 : m);
  }
  return numbers;
}

/// What a step multiplies the numbers of each filter by, rounding and bounds aside.
std::vector<double> factors_of(const Graph& graph, const Step& step, std::size_t filters) {
  const Node& node = graph[step.id];
  const bool is_turned = is_call(node, "subtract") && step.place == 1;
  std::vector<double> factors(filters, is_turned ? -1 : 1);
  if (is_call(node, "nn.batch_norm")) {
    const std::vector<double> variances = numbers_a_filter(graph, node.inputs[4], filters);
    factors = numbers_a_filter(graph, node.inputs[1], filters);
    for (std::size_t m = 0; m < filters; ++m) {
      factors[m] /= std::sqrt(variances[m] + float_attribute(node, "epsilon", 0));
    }
  } else if (is_call(node, "multiply")) {
    factors = numbers_a_filter(graph, node.inputs[1 - step.place], filters);
  } else if (is_call(node, "divide")) {
    factors = numbers_a_filter(graph, node.inputs[1], filters);
    std::ranges::transform(factors, factors.begin(), [](double divisor) { return 1 / divisor; });
  }
  return factors;
}

double largest_of(const std::vector<double>& numbers) {
  double most = 0;
  for (const double number : numbers) {
    most = std::max(most, std::abs(number));
  }
  return most;
}

/// What all steps multiply the sums of each filter by; nothing where one divides by 0, or where integers may overflow.
std::optional<std::vector<double>> slopes_of(const Graph& graph, const Product& product,
                                             const std::vector<Step>& steps) {
  std::vector<double> slopes(product.count(), 1);
  double most = kMostSum;  // Of any number on the way.
  for (const Step& step : steps) {
    const Node& node = graph[step.id];
    const std::vector<double> factors = factors_of(graph, step, product.count());
    std::ranges::transform(slopes, factors, slopes.begin(), std::multiplies<>());
    if (!std::ranges::all_of(slopes, [](double slope) { return std::isfinite(slope); })) {
      return std::nullopt;
    }
    most *= std::max(1.0, largest_of(factors));
    if (is_call(node, "add") || is_call(node, "subtract")) {
      most += largest_of(numbers_a_filter(graph, node.inputs[1 - step.place], product.count()));
    }
    if (node.type.element == ElementType::kInt64 && most > 0x1p62) {
      return std::nullopt;
    }
  }
  return slopes;
}

/// Evaluates the steps behind a product's sums.
class Steps {
 public:
  Steps(const Graph& graph, const Product& product, const std::vector<Step>& steps)
      : graph_(graph), product_(product), steps_(steps) {
    for (const Step& step : steps) {
      auto& constants = constants_.emplace_back();
      for (std::size_t i = 0; i < graph[step.id].inputs.size(); ++i) {
        constants.push_back(i == step.place ? nullptr : constant_value(graph, graph[step.id].inputs[i]));
      }
    }
  }

  /// \param sums  So many of each filter, those of one after another's. \return as many numbers of float32.
  Tensor operator()(const std::vector<int64_t>& sums) const {
    const auto rows = static_cast<int64_t>(sums.size()) / product_.filters;
    Tensor value({shape_of(product_.id, rows), ElementType::kFloat32});
    std::ranges::transform(sums, value.values<float>().begin(), [](int64_t sum) { return static_cast<float>(sum); });
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      value = apply(i, value, rows);
    }
    return value;
  }

 private:
  /// A row of filters for each index of the first axis.
  Shape shape_of(NodeId id, int64_t rows) const {
    Shape shape(graph_[id].type.shape.size(), 1);
    shape.at(product_.axis) = product_.filters;
    shape[0] = rows;
    return shape;
  }

  Tensor apply(std::size_t i, const Tensor& value, int64_t rows) const {
    const Step& step = steps_[i];
    const Node& node = graph_[step.id];
    if (is_call(node, "reshape")) {
      Tensor moved({shape_of(step.id, rows), value.type().element});
      std::ranges::copy(value.bytes(), moved.bytes().begin());
      return moved;
    }
    std::vector<const Tensor*> operands;
    for (const auto& constant : constants_[i]) {
      operands.push_back(constant == nullptr ? &value : constant.get());
    }
    return node.op->evaluate(node, operands);
  }

  const Graph& graph_;
  const Product& product_;
  const std::vector<Step>& steps_;
  std::vector<std::vector<std::shared_ptr<const Tensor>>> constants_;  ///< Of each step; null of the value.
};

/// @}
/// \name As one scale and bias
/// @{

/// Bytes that stand for whole numbers, so many more than these.
struct Bytes {
  uint8_t offset = 0, lowest = 0, highest = 0;
};

/// Sums that steps are looked up at: of filters whose slope is below 0 these negated.
std::vector<int64_t> turned(std::vector<int64_t> sums, const std::vector<double>& slopes) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = slopes[i % slopes.size()] < 0 ? -sums[i] : sums[i];
  }
  return sums;
}

/// The steps of each filter as a function of its sums, or where a slope is below 0 of these negated, at some levels.
std::vector<StepFunction> step_functions(const Product& product, const Steps& steps, const std::vector<double>& slopes,
                                         uint8_t offset, const std::vector<uint8_t>& levels) {
  const std::size_t filters = product.count();
  std::vector<StepFunction> functions(filters);
  std::vector<int64_t> first(levels.size() * filters), behind(first.size()), middle(first.size());
  for (std::size_t m = 0; m < filters; ++m) {
    functions[m].first = slopes[m] < 0 ? -product.most[m] : product.least[m];
    functions[m].last = slopes[m] < 0 ? -product.least[m] : product.most[m];
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = functions[i % filters].first;
    behind[i] = functions[i % filters].last + 1;
  }
  while (first != behind) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      // Where it is found, at a sum that there can be.
      middle[i] = std::min(first[i] + (behind[i] - first[i]) / 2, functions[i % filters].last);
    }
    const Tensor numbers = steps(turned(middle, slopes));
    for (std::size_t i = 0; i < first.size(); ++i) {
      const bool is_reached = numbers.values<float>()[i] + static_cast<float>(offset) >= levels[i / filters];
      if (first[i] != behind[i]) {
        (is_reached ? behind[i] : first[i]) = is_reached ? middle[i] : middle[i] + 1;
      }
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    functions[i % filters].places.push_back({levels[i / filters], first[i]});
  }
  return functions;
}

/// A quantized layer that a product and its steps are.
struct QuantizedLayer {
  Product product;
  std::vector<Step> steps;
  Bytes bytes;
  uint8_t zero_point = 0;  ///< Of the sums, not of the bytes.
  dla_rounding rounding = kDlaNearestEven;
  std::vector<StepFit> fits;  ///< Of each filter; a factor is negative where sums are negated.
};

/// By how much the weights of each filter can be multiplied.
std::vector<int64_t> most_factors(const Product& product, const std::vector<double>& slopes) {
  std::vector<int64_t> factors(product.count(), 127);
  const auto weights = product.weights->values<float>();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t m = product.filter_of(i);
    const auto weight = static_cast<int64_t>(slopes[m] < 0 ? -weights[i] : weights[i]);
    const int64_t most = weight == 0 ? 127 : weight > 0 ? 127 / weight : 128 / -weight;
    factors[m] = std::min(factors[m], most);
  }
  return factors;
}

/// What a fit may be: at the steps' own scale, at any, or of weights that are multiplied.
enum class Freedom { kOwnScale, kAnyScale, kAnyFactor };

/// Fits all filters, or not all.
bool fit_all(QuantizedLayer& layer, const std::vector<StepFunction>& functions, const std::vector<double>& slopes,
             const std::vector<int64_t>& factors, Freedom freedom) {
  layer.fits.clear();
  for (std::size_t m = 0; m < functions.size(); ++m) {
    // Weights of a filter whose value is one everywhere are none.
    const int64_t least = functions[m].is_constant() ? 0 : 1;
    const int64_t most = std::min(factors[m], freedom == Freedom::kAnyFactor ? factors[m] : 1) * least;
    std::optional<StepFit> fit;
    for (int64_t factor = least; factor <= most && !fit; ++factor) {
      fit = fit_steps_at(functions[m], factor, layer.zero_point, layer.rounding,
                         static_cast<float>(std::abs(slopes[m])) / static_cast<float>(std::max<int64_t>(factor, 1)));
      if (!fit && (freedom != Freedom::kOwnScale || factor == 0)) {
        fit = fit_steps(functions[m], factor, layer.zero_point, layer.rounding);
      }
    }
    if (!fit) {
      return false;
    }
    fit->factor *= slopes[m] < 0 ? -1 : 1;
    layer.fits.push_back(*fit);
  }
  return true;
}

/// Finds what fits all filters: the steps' own scales, or else others. \return false where nothing does.
bool find_fits(QuantizedLayer& layer, const std::vector<StepFunction>& functions, const std::vector<double>& slopes,
               dla_rounding network) {
  const std::vector<int64_t> factors = most_factors(layer.product, slopes);
  std::vector<dla_rounding> roundings{kDlaFloor};
  if (network == kDlaNearestEven) {
    roundings.insert(roundings.begin(), kDlaNearestEven);
  }
  const auto fits = [&](uint8_t zero_point, Freedom freedom) {
    return std::ranges::any_of(roundings, [&](dla_rounding rounding) {
      layer.zero_point = zero_point;
      layer.rounding = rounding;
      return fit_all(layer, functions, slopes, factors, freedom);
    });
  };
  for (const Freedom freedom : {Freedom::kOwnScale, Freedom::kAnyScale, Freedom::kAnyFactor}) {
    if (fits(layer.bytes.offset, freedom)) {
      return true;
    }
  }
  // A sum of 0 is the number 0 there. Another one may suit all filters.
  for (int i = 1; i <= 255; ++i) {
    if (fits(static_cast<uint8_t>(layer.bytes.offset + i), Freedom::kAnyScale)) {
      return true;
    }
  }
  return false;
}

/// The bytes above the least, all or about so many of them.
std::vector<uint8_t> levels_of(const Bytes& bytes, int about) {
  const int count = bytes.highest - bytes.lowest, step = std::max(1, count / about);
  std::vector<uint8_t> levels;
  for (int level = bytes.lowest + 1; level <= bytes.highest; level += step) {
    levels.push_back(static_cast<uint8_t>(level));
  }
  return levels;
}

/// Whether fits that were found at some levels reach all of them where the steps do.
bool reaches_all(const QuantizedLayer& layer, const std::vector<StepFunction>& functions, const Steps& steps,
                 const std::vector<double>& slopes) {
  const std::size_t filters = functions.size();
  const std::vector<uint8_t> levels = levels_of(layer.bytes, 255);
  std::vector<int64_t> places(levels.size() * filters), before(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StepFunction& function = functions[i % filters];
    StepFit fit = layer.fits[i % filters];
    fit.factor = std::abs(fit.factor);
    int64_t first = function.first, behind = function.last + 1;
    while (first < behind) {
      const int64_t middle = first + (behind - first) / 2;
      const bool is_reached = value_of(fit, middle, layer.zero_point, layer.rounding) >= levels[i / filters];
      (is_reached ? behind : first) = is_reached ? middle : middle + 1;
    }
    places[i] = first;
    before[i] = first - 1;
  }
  const auto numbers = [&](std::vector<int64_t> sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = std::clamp(sums[i], functions[i % filters].first, functions[i % filters].last);
    }
    return steps(turned(std::move(sums), slopes));
  };
  const Tensor at = numbers(places), below = numbers(before);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StepFunction& function = functions[i % filters];
    const auto level = static_cast<float>(levels[i / filters] - layer.bytes.offset);
    if ((places[i] <= function.last && at.values<float>()[i] < level) ||
        (places[i] > function.first && below.values<float>()[i] >= level)) {
      return false;
    }
  }
  return true;
}

/// The layer that a product is with its first steps, so many; nothing where the machine has none that gives the same.
std::optional<QuantizedLayer> find_layer(const Graph& graph, const Product& product, std::vector<Step> steps,
                                         const NumberRange& range, dla_rounding network) {
  constexpr int kFew = 16;  // Levels, at which most layers that can't be are found out.
  const auto slopes = slopes_of(graph, product, steps);
  if (!slopes) {
    return std::nullopt;
  }
  QuantizedLayer layer;
  layer.product = product;
  layer.steps = std::move(steps);
  layer.bytes.offset = *offset_of(range);
  layer.bytes.lowest = static_cast<uint8_t>(range.least + layer.bytes.offset);
  layer.bytes.highest = static_cast<uint8_t>(range.most + layer.bytes.offset);
  const Steps evaluate(graph, layer.product, layer.steps);
  const auto functions_at = [&](int about) {
    return step_functions(layer.product, evaluate, *slopes, layer.bytes.offset, levels_of(layer.bytes, about));
  };
  const std::vector<StepFunction> few = functions_at(kFew);
  if (!find_fits(layer, few, *slopes, network)) {
    return std::nullopt;
  }
  const bool is_found =
      reaches_all(layer, few, evaluate, *slopes) || find_fits(layer, functions_at(255), *slopes, network);
  return is_found ? std::optional(std::move(layer)) : std::nullopt;
}

/// The layer of as many steps as can be.
std::optional<QuantizedLayer> find_layer(const Graph& graph, NodeId id, const std::vector<NumberRange>& ranges,
                                         dla_rounding rounding) {
  const auto product = read_product(graph, id, ranges);
  if (!product) {
    return std::nullopt;
  }
  for (std::vector<Step> steps = find_steps(graph, *product); !steps.empty(); steps.pop_back()) {
    const NodeId end = steps.back().id;
    if (graph[end].type.element != ElementType::kFloat32 || !offset_of(ranges[end])) {
      continue;
    }
    if (auto layer = find_layer(graph, *product, steps, ranges[end], rounding)) {
      return layer;
    }
  }
  return std::nullopt;
}

/// @}
/// \name The layer as operators
/// @{

NodeId add_weights(GraphBuilder& builder, const QuantizedLayer& layer, const Node& w) {
  const Product& product = layer.product;
  const Shape& shape = product.weights->type().shape;
  const auto given = product.weights->values<float>();
  Tensor weights({shape, ElementType::kInt8});
  for (std::size_t i = 0; i < given.size(); ++i) {
    weights.set_integer(i, static_cast<int64_t>(given[i]) * layer.fits[product.filter_of(i)].factor);
  }
  Tensor scales({{product.filters}, ElementType::kFloat32});
  for (std::size_t m = 0; m < layer.fits.size(); ++m) {
    scales.set(m, layer.fits[m].scale);
  }
  const NodeId zeros = builder.constant(Tensor({{product.filters}, ElementType::kInt8}), w.origin);
  const auto axis = static_cast<int64_t>(product.is_transposed ? shape.size() - 1 : 0);
  return builder.call(
      "qnn.dequantize",
      {builder.constant(std::move(weights), w.origin), builder.constant(std::move(scales), w.origin), zeros},
      {{"axis", axis}}, w.origin);
}

NodeId add_bias(GraphBuilder& builder, const QuantizedLayer& layer, NodeId sum, const std::string& origin) {
  const Shape shape{layer.product.filters};
  Tensor biases({shape, ElementType::kInt32}), scales({shape, ElementType::kFloat32});
  for (std::size_t m = 0; m < layer.fits.size(); ++m) {
    biases.set_integer(m, layer.fits[m].bias);
    scales.set(m, layer.fits[m].scale);
  }
  const NodeId zeros = builder.constant(Tensor({shape, ElementType::kInt32}), origin);
  const NodeId bias =
      builder.call("qnn.dequantize",
                   {builder.constant(std::move(biases), origin), builder.constant(std::move(scales), origin), zeros},
                   {{"axis", int64_t{0}}}, origin);
  return builder.call("nn.bias_add", {sum, bias}, {{"axis", static_cast<int64_t>(layer.product.axis)}}, origin);
}

NodeId add_layer(GraphBuilder& builder, const Graph& graph, const QuantizedLayer& layer, NodeId x,
                 const NumberRange& range) {
  const Node& product = graph[layer.product.id];
  NodeId y =
      builder.copy(product, {as_dequantized(builder, x, range), add_weights(builder, layer, graph[product.inputs[1]])});
  if (std::ranges::any_of(layer.fits, [](const StepFit& fit) { return fit.bias != 0; })) {
    y = add_bias(builder, layer, y, product.origin);
  }
  const std::string& origin = graph[layer.steps.back().id].origin;
  y = layer.rounding == kDlaFloor ? builder.call("floor", {y}, {}, origin) : y;
  y = add_conversion(builder, "qnn.quantize", y, layer.zero_point, origin);
  if (layer.bytes.lowest != 0 || layer.bytes.highest != 255) {
    const auto least = static_cast<double>(layer.bytes.lowest), most = static_cast<double>(layer.bytes.highest);
    y = builder.call("clip", {y}, {{"min", least}, {"max", most}}, origin);
  }
  y = add_conversion(builder, "qnn.dequantize", y, layer.bytes.offset, origin);
  for (const Step& step : layer.steps) {
    if (is_call(graph[step.id], "reshape")) {
      y = builder.copy(graph[step.id], {y});
    }
  }
  return y;
}

/// @}

}  // namespace

Graph quantize_integers(const Graph& graph, dla_rounding rounding) {
  const std::vector<NumberRange> ranges = number_ranges(graph);
  std::map<NodeId, QuantizedLayer> layers;  // By the values that they end with.
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (auto layer = find_layer(graph, id, ranges, rounding)) {
      layers.emplace(layer->steps.back().id, std::move(*layer));
    }
  }
  if (layers.empty()) {
    return graph;
  }
  std::map<NodeId, NodeId> product_inputs;
  const Graph rewritten =
      rewrite_graph(graph, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>& inputs) {
        if (!inputs.empty()) {
          product_inputs[id] = inputs[0];
        }
        const auto found = layers.find(id);
        if (found == layers.end()) {
          return std::optional<NodeId>();
        }
        const NodeId product = found->second.product.id;
        return std::optional(
            add_layer(builder, graph, found->second, product_inputs.at(product), ranges[graph[product].inputs[0]]));
      });
  // What an old layer read has one reader again.
  return eliminate_dead_code(rewritten);
}

}  // namespace fovea
