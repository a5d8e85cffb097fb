// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of Python: expressions, definitions, and C functions with the types of their outputs.
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "held.h"
#include "loops/lower.h"
#include "loops/verify_nest.h"
#include "onnx/extern.h"
#include "onnx/import.h"
#include "ops/definition.h"
#include "ops/operator.h"
#include "ops/ops.h"
#include "tensor/error.h"
#include "tensors.h"

namespace py = pybind11;

namespace fovea {
namespace {

using PyType = std::pair<Shape, std::string>;

PyType py_type(const TensorType& type) { return {type.shape, std::string(to_text(type.element))}; }

/// What a definition's own checks say becomes a TypeError where the user's line stands.
template <typename Work>
auto checked(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const InternalError& error) {
    const std::string text = error.what(), mark = "internal error: ";
    throw py::type_error(text.starts_with(mark) ? text.substr(mark.size()) : text);
  }
}

// Expressions.

/// An axis that a reduction runs over; as an expression, the place along it.
struct PlacedAxis : Expression {
  Axis axis;
  explicit PlacedAxis(Axis over) : Expression(variable(over.id)), axis(over) {}
};

Expression expression_of(const py::handle& value) {
  if (py::isinstance<Expression>(value)) {
    return value.cast<Expression>();
  }
  if (py::isinstance<py::bool_>(value)) {
    return integer_number(value.cast<bool>() ? 1 : 0, ScalarType::kBool);
  }
  try {
    return value.cast<double>();
  } catch (const py::cast_error&) {
    throw py::type_error("a " + py::str(py::type::of(value).attr("__name__")).cast<std::string>() +
                         " stands in an expression; expressions, axes and numbers work");
  }
}

std::vector<Expression> expressions_of(const py::iterable& values) {
  std::vector<Expression> all;
  for (const py::handle& value : values) {
    all.push_back(expression_of(value));
  }
  return all;
}

/// What a function of the language takes.
std::size_t count_arguments(ScalarFunction function) {
  const bool is_of_one = is_real_function(function) || function == ScalarFunction::kNot ||
                         function == ScalarFunction::kFloat32 || function == ScalarFunction::kFloat64 ||
                         function == ScalarFunction::kInt64 || function == ScalarFunction::kIndex;
  return is_of_one ? 1 : function == ScalarFunction::kSelect ? 3 : 2;
}

Expression applied(const std::string& name, const py::args& values) {
  const auto function = parse_function(name);
  return checked([&] {
    internal_check(function && values.size() == count_arguments(*function),
                   "there is no function " + name + " of " + std::to_string(values.size()));
    return apply(*function, expressions_of(values));
  });
}

/// Elements of an int64 input count from here, indices from there.
Expression as_index(const Expression& x) { return x->type == ScalarType::kInt64 ? index(x) : x; }

template <ScalarFunction kFunction>
Expression forward(const py::object& a, const py::object& b) {
  return checked([&] { return apply(kFunction, {expression_of(a), expression_of(b)}); });
}

template <ScalarFunction kFunction>
Expression backward(const py::object& a, const py::object& b) {
  return forward<kFunction>(b, a);
}

Expression not_equal(const py::object& a, const py::object& b) {
  return logical_not(forward<ScalarFunction::kEqual>(a, b));
}

bool refuse_truth(const py::object&) {
  throw py::type_error("an expression is no condition of Python's; fovea.expressions.select chooses between two");
}

void bind_arithmetic(py::class_<Expression>& bound) {
  using enum ScalarFunction;
  bound.def("__add__", forward<kAdd>)
      .def("__radd__", backward<kAdd>)
      .def("__sub__", forward<kSubtract>)
      .def("__rsub__", backward<kSubtract>)
      .def("__mul__", forward<kMultiply>)
      .def("__rmul__", backward<kMultiply>)
      .def("__truediv__", forward<kDivide>)
      .def("__rtruediv__", backward<kDivide>)
      .def("__mod__", forward<kRemainder>)
      .def("__rmod__", backward<kRemainder>)
      .def("__pow__", forward<kPower>)
      .def("__rpow__", backward<kPower>)
      .def("__and__", forward<kAnd>)
      .def("__rand__", backward<kAnd>)
      .def("__or__", forward<kOr>)
      .def("__ror__", backward<kOr>)
      .def("__lt__", forward<kLess>)
      .def("__le__", forward<kLessEqual>)
      .def("__eq__", forward<kEqual>)
      .def("__gt__", backward<kLess>)
      .def("__ge__", backward<kLessEqual>)
      .def("__ne__", not_equal)
      .def("__neg__", [](const py::object& x) { return checked([&] { return -expression_of(x); }); })
      .def("__invert__", [](const py::object& x) { return checked([&] { return logical_not(expression_of(x)); }); })
      .def("__abs__", [](const py::object& x) { return checked([&] { return absolute(expression_of(x)); }); })
      .def("__bool__", refuse_truth);
  bound.attr("__hash__") = py::none();
}

// Definitions.

/// A definition that a function of Python's makes.
struct OpenDefinition {
  std::vector<TensorType> inputs;
  TensorType result;
  DefinitionBuilder builder;

  OpenDefinition(std::vector<TensorType> all, const TensorType& made)
      : inputs(std::move(all)), result(made), builder(inputs, made.shape) {}
};

using OpenHandle = std::shared_ptr<OpenDefinition>;

Expression at(const OpenHandle& self, std::size_t input, const py::iterable& indices, const py::object& outside) {
  return checked([&] {
    internal_check(input < self->inputs.size(), "there is no input " + std::to_string(input));
    std::vector<Expression> places = expressions_of(indices);
    std::ranges::transform(places, places.begin(), as_index);
    return self->builder.at(input, std::move(places), outside.is_none() ? Expression() : expression_of(outside));
  });
}

Expression broadcast(const OpenHandle& self, std::size_t input) {
  return checked([&] {
    internal_check(input < self->inputs.size(), "there is no input " + std::to_string(input));
    internal_check(self->inputs[input].shape.size() <= self->result.shape.size(),
                   "input " + std::to_string(input) + " has more axes than the result");
    return self->builder.broadcast(input);
  });
}

Expression reduced(const OpenHandle&, const std::string& name, const py::iterable& axes, const py::object& first,
                   const py::object& body) {
  return checked([&] {
    const auto function = parse_function(name);
    internal_check(function && count_arguments(*function) == 2, "there is no function " + name + " of 2");
    std::vector<Axis> all;
    for (const py::handle& axis : axes) {
      internal_check(py::isinstance<PlacedAxis>(axis), "a reduction runs over what axis() gives");
      all.push_back(axis.cast<PlacedAxis>().axis);
    }
    return reduce(*function, all, expression_of(first), expression_of(body));
  });
}

Expression staged(const OpenHandle& self, const std::vector<std::size_t>& axes, const py::object& value) {
  return checked([&] {
    for (const std::size_t axis : axes) {
      internal_check(axis < self->result.shape.size(), "the result has no axis " + std::to_string(axis));
    }
    return self->builder.stage(axes, expression_of(value));
  });
}

/// What an operator of Python's says of calls, and what was worked out already.
class OwnFunctions {
 public:
  OwnFunctions(std::string place, const py::function& type, const py::function& element, const py::function& define)
      : place_(std::move(place)), type_(held(type)), element_(held(element)), define_(held(define)) {}

  /// The type of a call. \throws UserError where the definition makes no sense.
  TensorType type(const Call& call, const std::vector<TensorType>& inputs) { return known(call, inputs).first; }

  Definition definition(const Call& call, const std::vector<TensorType>& inputs) { return known(call, inputs).second; }

  Expression element(const Call& call, const std::vector<Expression>& values) const {
    const py::gil_scoped_acquire lock;
    return expression_of((*element_)(call_name(call), values, call.attributes));
  }

 private:
  using Known = std::pair<TensorType, Definition>;

  Known known(const Call& call, const std::vector<TensorType>& inputs) {
    const auto key = std::pair(call.attributes, [&] {
      std::vector<PyType> types;
      std::ranges::transform(inputs, std::back_inserter(types), py_type);
      return types;
    }());
    {
      const std::lock_guard guard(mutex_);
      if (const auto found = known_.find(key); found != known_.end()) {
        return found->second;
      }
    }
    Known made = work_out(call, inputs, key.second);  // Not under the guard, as Python has a lock of its own.
    const std::lock_guard guard(mutex_);
    return known_.emplace(key, std::move(made)).first->second;
  }

  Known work_out(const Call& call, const std::vector<TensorType>& inputs, const std::vector<PyType>& types) const {
    const TensorType result = [&] {
      const py::gil_scoped_acquire lock;
      const auto [shape, dtype] = (*type_)(call_name(call), types, call.attributes).cast<PyType>();
      return type_of(shape, dtype);
    }();
    check_shape(result.shape, call_name(call));
    Definition definition =
        call.op->define == nullptr ? elementwise(call, inputs, result) : defined(call, inputs, result);
    check(call, definition, result);
    return {result, std::move(definition)};
  }

  /// As definition_of() has it, which asks for the type first.
  Definition elementwise(const Call& call, const std::vector<TensorType>& inputs, const TensorType& result) const {
    DefinitionBuilder builder(inputs, result.shape);
    const bool is_unary = call.op->unary != nullptr;
    return builder.result(is_unary ? element(call, {real(builder.broadcast(0))})
                                   : element(call, {builder.broadcast(0), builder.broadcast(1)}));
  }

  Definition defined(const Call& call, const std::vector<TensorType>& inputs, const TensorType& result) const {
    const py::gil_scoped_acquire lock;
    const auto open = std::make_shared<OpenDefinition>(inputs, result);
    const Expression value = expression_of((*define_)(call_name(call), open, call.attributes));
    return open->builder.result(value);
  }

  void check(const Call& call, const Definition& definition, const TensorType& result) const {
    const auto refuse = [&](const std::string& problem) {
      user_error(call_name(call) + ": the definition of " + call.op->name + ": " + problem + " (" + place_ + ")");
    };
    const bool is_bool = definition.stages.back().value->type == ScalarType::kBool;
    if (is_bool != (result.element == ElementType::kBool)) {
      refuse(std::string("its value ") + (is_bool ? "holds or does not" : "is a number") + ", and its type is " +
             std::string(to_text(result.element)));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
      names.push_back(std::to_string(i).insert(0, 1, 'x'));
    }
    try {
      verify_nest(lower("own", definition, names, result));
    } catch (const UserError& error) {
      refuse(error.what());
    } catch (const InternalError& error) {
      refuse(error.what());
    }
  }

  std::string place_;
  std::shared_ptr<const py::function> type_, element_, define_;
  std::mutex mutex_;
  std::map<std::pair<Attributes, std::vector<PyType>>, Known> known_;
};

OwnOperator make_operator(const std::string& name, const std::vector<std::string>& inputs, const Attributes& defaults,
                          bool is_elementwise, const std::string& onnx, const std::string& place,
                          const py::function& type, const py::function& element, const py::function& define) {
  const auto known = list_onnx_operators();
  if (find_operator(name) != nullptr) {
    throw UsageError("operator " + name + ": it is built in, " + place + "; give yours another name");
  }
  if (std::ranges::find(known, onnx, &OnnxOperator::name) != known.end()) {
    throw UsageError("operator " + name + ": onnx=" + onnx + " is built in, " + place +
                     "; only others are imported as yours");
  }
  const auto functions = std::make_shared<OwnFunctions>(place, type, element, define);
  Operator op;
  op.name = name;
  op.inputs = inputs;
  for (const auto& [attribute, value] : defaults) {
    op.attributes.push_back({attribute, static_cast<AttributeKind>(value.index())});
  }
  op.infer_type = [functions](const Call& call, const std::vector<TensorType>& types) {
    return functions->type(call, types);
  };
  op.evaluate = evaluate_defined;
  if (is_elementwise && inputs.size() == 1) {
    op.unary = [functions](const Call& call, const Expression& x) { return functions->element(call, {x}); };
  } else if (is_elementwise && inputs.size() == 2) {
    op.binary = [functions](const Call& call, const Expression& a, const Expression& b) {
      return functions->element(call, {a, b});
    };
  } else {
    op.define = [functions](const Call& call, const std::vector<TensorType>& types) {
      return functions->definition(call, types);
    };
  }
  return {std::make_shared<const Operator>(std::move(op)), onnx, defaults};
}

// C functions.

/// What a shape function is told of an input: shape, element type and value, None where it is no constant.
using PyInput = std::optional<std::tuple<Shape, std::string, std::optional<py::array>>>;

PyInput py_input(const ExternNode& node, std::size_t i) {
  if (!node.inputs[i]) {
    return std::nullopt;
  }
  const auto [shape, dtype] = py_type(*node.inputs[i]);
  std::optional<Tensor> value = node.constant(i);
  return std::tuple(shape, dtype,
                    value ? std::optional(array_of(std::make_shared<const Tensor>(std::move(*value)))) : std::nullopt);
}

void set_types(Extern& self, const py::function& function) {
  self.types = [kept = held(function)](const ExternNode& node) {
    const py::gil_scoped_acquire lock;
    std::vector<PyInput> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(py_input(node, i));
    }
    std::vector<TensorType> types;
    for (const auto& [shape, dtype] :
         (*kept)(node.name, inputs,
                 node.attributes.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace), node.outputs)
             .cast<std::vector<PyType>>()) {
      types.push_back(type_of(shape, dtype));
    }
    return types;
  };
}

}  // namespace

void bind_operators(py::module_& module) {
  py::class_<Extern>(module, "Extern")
      .def(py::init([](const std::string& op, const std::string& file) { return read_extern(op, file); }))
      .def("set_types", set_types, py::arg("function"));
  py::class_<OwnOperator>(module, "OwnOperator")
      .def(py::init(&make_operator), py::arg("name"), py::arg("inputs"), py::arg("defaults"), py::arg("elementwise"),
           py::arg("onnx"), py::arg("place"), py::arg("type"), py::arg("element"), py::arg("define"));
  py::class_<Expression> expression(module, "Expression", "What one element of a result is, by elements of inputs.");
  bind_arithmetic(expression);
  py::class_<PlacedAxis, Expression>(module, "Axis",
                                     "An axis that a reduction runs over; in an expression, the place along it.")
      .def_property_readonly("size", [](const PlacedAxis& self) { return self.axis.size; });
  py::class_<OpenDefinition, OpenHandle>(module, "Definition",
                                         "What a definition is made with: elements, axes, stages.")
      .def_property_readonly("inputs",
                             [](const OpenDefinition& self) {
                               std::vector<PyType> types;
                               std::ranges::transform(self.inputs, std::back_inserter(types), py_type);
                               return types;
                             })
      .def_property_readonly("shape", [](const OpenDefinition& self) { return py::tuple(py::cast(self.result.shape)); })
      .def_property_readonly(
          "places", [](const OpenDefinition& self) { return self.builder.places(); },
          "The place of the element along each axis of the result.")
      .def(
          "axis", [](OpenDefinition& self, int64_t size) { return PlacedAxis(self.builder.axis(size)); },
          py::arg("size"), "An axis for a reduction.")
      .def("at", at, py::arg("input"), py::arg("indices"), py::arg("outside") = py::none(),
           "An element of an input; `outside` is what stands where an index is outside of it.")
      .def("broadcast", broadcast, py::arg("input"),
           "The element of an input that broadcasting, as numpy does it, puts at the result's place.")
      .def("reduce", reduced, py::arg("function"), py::arg("axes"), py::arg("first"), py::arg("body"),
           "function(function(first, body at 0), body at 1) ..., over all axes, the outermost first.")
      .def("stage", staged, py::arg("reduced"), py::arg("value"),
           "Computes a value once for all places along the axes `reduced` of the result; gives it at the result's "
           "place.");
  module.def("apply", applied, py::arg("function"));
}

}  // namespace fovea
