// SPDX-License-Identifier: Apache-2.0
/// \file
/// reshape, transpose, concatenate: elements moved, none computed; and the value of all that is an index map.
#include <algorithm>
#include <cstring>

#include "channels.h"
#include "definition.h"
#include "index_map.h"
#include "ops.h"
#include "tensor/error.h"
#include "tensor/type_text.h"

namespace fovea {
namespace {

/// Copies a run of places in `from`, of elements of so many bytes, to one element after another.
template <std::size_t bytes>
void copy_run(const StepRun& run, const std::byte* from, std::byte* to) {
  from += run.first * static_cast<int64_t>(bytes);
  if (run.step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(run.size) * bytes);
    return;
  }
  for (int64_t i = 0; i < run.size; ++i) {
    std::memcpy(to + i * static_cast<int64_t>(bytes), from + i * run.step * static_cast<int64_t>(bytes), bytes);
  }
}

}  // namespace

TensorType reshape_type(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape shape = ints_attribute(call, "newshape", {});
  check_call(count_elements(shape) == count_elements(inputs[0].shape), call,
             to_text(inputs[0].shape) + " can't become " + to_text(shape) + ": not as many elements");
  return {shape, inputs[0].element};
}

bool move_reshape(const Call& call, const std::vector<const Tensor*>&, IndexMap& map) {
  return map.reshape(ints_attribute(call, "newshape", {}));
}

TensorType transpose_type(const Call& call, const std::vector<TensorType>& inputs) {
  const std::vector<int64_t> axes = ints_attribute(call, "axes", {});
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = axes.size() == inputs[0].shape.size();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    is_permutation &= sorted[i] == static_cast<int64_t>(i);
  }
  check_call(is_permutation, call, "axes " + to_text(axes) + " don't permute the shape " + to_text(inputs[0].shape));
  TensorType type{{}, inputs[0].element};
  for (int64_t axis : axes) {
    type.shape.push_back(inputs[0].shape[axis]);
  }
  return type;
}

bool move_transpose(const Call& call, const std::vector<const Tensor*>&, IndexMap& map) {
  map.permute(ints_attribute(call, "axes", {}));
  return true;
}

Tensor evaluate_moved(const Call& call, const std::vector<const Tensor*>& inputs) {
  std::vector<TensorType> types;
  for (const Tensor* input : inputs) {
    types.push_back(input->type());
  }
  Tensor result(call.op->infer_type(call, types));
  if (count_elements(result.type().shape) == 0) {
    return result;
  }
  IndexMap map(types[0].shape);
  internal_check(call.op->move(call, inputs, map), call_name(call) + ": one operator alone is an index map");
  const std::size_t bytes = size_bytes(result.type().element);
  const auto copy = bytes == 1 ? copy_run<1> : bytes == 4 ? copy_run<4> : copy_run<8>;
  std::size_t to = 0;
  map.for_each_run([&](const StepRun& run) {
    const std::size_t end = to + static_cast<std::size_t>(run.size);
    if (run.first == kOutside) {
      for (std::size_t i = to; i < end; ++i) {
        result.set(i, *map.fill());
      }
    } else {
      copy(run, inputs[0]->bytes().data(), result.bytes().data() + to * bytes);
    }
    to = end;
  });
  return result;
}

TensorType concatenate_type(const Call& call, const std::vector<TensorType>& inputs) {
  TensorType type = inputs[0];
  const std::size_t axis = read_axis(call, type.shape);
  type.shape[axis] = 0;
  for (const TensorType& input : inputs) {
    Shape expected = type.shape;
    check_call(input.shape.size() == expected.size() && input.element == type.element, call,
               "joins " + type_text(inputs[0]) + " and " + type_text(input) +
                   "; parts of one element type and as many dimensions work");
    expected[axis] = input.shape[axis];
    check_call(input.shape == expected, call,
               "joins " + to_text(inputs[0].shape) + " and " + to_text(input.shape) + ", which differ beside axis " +
                   std::to_string(axis));
    type.shape[axis] += input.shape[axis];
  }
  return type;
}

Definition define_concatenate(const Call& call, const std::vector<TensorType>& inputs) {
  const Shape shape = concatenate_type(call, inputs).shape;
  const std::size_t axis = read_axis(call, shape);
  DefinitionBuilder builder(inputs, shape);
  int64_t first = shape[axis];
  Expression value;
  for (std::size_t i = inputs.size(); i-- > 0;) {
    first -= inputs[i].shape[axis];
    std::vector<Expression> indices = builder.places();
    indices[axis] = indices[axis] - first;
    const Expression part = builder.at(i, indices, 0);
    value = value ? select(builder.place(axis) < first + inputs[i].shape[axis], part, value) : part;
  }
  return builder.result(value);
}

}  // namespace fovea
