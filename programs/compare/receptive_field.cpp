// SPDX-License-Identifier: Apache-2.0
/// \file
/// From an element of the output to a box of each input: off the loops of kinds that have them, and of the others by a
/// function each.
#include "receptive_field.h"

#include <algorithm>
#include <map>

#include "layers/layer_kind.h"
#include "side.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using Box = std::vector<Interval>;

Box whole(const Shape& shape) {
  Box box;
  for (const int64_t size : shape) {
    box.push_back({0, size - 1});
  }
  return box;
}

Box point(const Shape& indices) {
  Box box;
  for (const int64_t index : indices) {
    box.push_back({index, index});
  }
  return box;
}

Interval clipped(const Interval& interval, int64_t size) {
  return {std::max<int64_t>(interval.low, 0), std::min(interval.high, size - 1)};
}

/// Rows (axis 0) or columns (axis 1) under the window at places `at`.
Interval under_window(const Window& window, std::size_t axis, const Interval& at, int64_t size) {
  const int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1);
  return clipped(
      {at.low * window.strides[axis] - window.pads[axis], at.high * window.strides[axis] - window.pads[axis] + reach},
      size);
}

/// What a body's output depends on, input by input.
class FieldFinder {
 public:
  FieldFinder(const Layer& layer, std::size_t place) : layer_(layer), place_(place) {
    for (const TensorType& type : layer.input_types) {
      shapes_.push_back(without_batch(type.shape));
    }
    output_ = without_batch(layer.output_type.shape);
    at_ = indices_of(place, output_);
  }

  std::vector<InputField> run() {
    if (layer_.kind->host_loops != nullptr) {
      find_in(layer_.kind->host_loops(layer_, kDlaNearestEven));
    } else {
      std::visit([this](const auto& body) { find(body); }, layer_.body);
    }
    return std::move(fields_);
  }

 private:
  void add(std::size_t input, Box box) { fields_.push_back({input, shapes_.at(input), std::move(box)}); }

  /// The element at the output's place; the whole input where that has other axes.
  void add_element(std::size_t input) { add(input, shapes_.at(input) == output_ ? point(at_) : whole(shapes_[input])); }

  /// Index of the output's place along an axis of [C, H, W], which a batch may be in front of.
  int64_t at_picture(std::size_t axis) const { return at_.at(at_.size() - 3 + axis); }
  int64_t size_of_picture(const Shape& shape, std::size_t axis) const { return shape.at(shape.size() - 3 + axis); }

  /// The channels of the filter's group, and what a window at these rows and columns covers.
  void add_window(const Window& window, int64_t groups, const Interval& rows, const Interval& columns) {
    const Shape& shape = shapes_.at(0);
    const int64_t channels = size_of_picture(shape, 0) / groups;
    const int64_t group = at_picture(0) / (size_of_picture(output_, 0) / groups);
    Box box = point(Shape(at_.begin(), at_.end() - 3));  // The picture.
    box.push_back({group * channels, (group + 1) * channels - 1});
    box.push_back(under_window(window, 0, rows, size_of_picture(shape, 1)));
    box.push_back(under_window(window, 1, columns, size_of_picture(shape, 2)));
    add(0, std::move(box));
  }

  void find(const Qconv2d& conv) {
    Interval rows{at_picture(1), at_picture(1)}, columns{at_picture(2), at_picture(2)};
    const auto places = [&](std::size_t axis) {
      const int64_t size = size_of_picture(shapes_.at(0), axis + 1);
      return window_steps(Node(), conv.window, static_cast<int>(axis), size, false);
    };
    if (conv.pool) {
      rows = under_window(*conv.pool, 0, rows, places(0));
      columns = under_window(*conv.pool, 1, columns, places(1));
    }
    if (conv.mean) {
      rows = {0, places(0) - 1};
      columns = {0, places(1) - 1};
    }
    add_window(conv.window, conv.groups, rows, columns);
    if (conv.residual) {
      add_element(1);
    }
  }

  /// A row of inputs for each row of outputs; one of each where the inputs are just as many as a filter has weights.
  void find_product(int64_t inputs) {
    if (count_elements(shapes_.at(0)) == inputs || shapes_[0].size() != output_.size()) {
      add(0, whole(shapes_[0]));
      return;
    }
    Box box = point(at_);
    box.back() = {0, shapes_[0].back() - 1};
    add(0, std::move(box));
  }

  void find(const Qlinear& linear) { find_product(linear.sum.weight->type().shape.at(1)); }

  void find(const FloatProduct& product) {
    if (product.weight->type().shape.size() == 2) {
      find_product(product.weight->type().shape[1]);
      return;
    }
    add_window(product.window, product.groups, {at_picture(1), at_picture(1)}, {at_picture(2), at_picture(2)});
  }

  /// As numpy broadcasts: axes are counted from the innermost, and of size 1 there is one place.
  void add_broadcast(std::size_t input) {
    const Shape& shape = shapes_.at(input);
    Box box = whole(shape);
    for (std::size_t back = 1; back <= std::min(shape.size(), at_.size()); ++back) {
      if (shape[shape.size() - back] != 1) {
        const int64_t index = at_[at_.size() - back];
        box[shape.size() - back] = {index, index};
      }
    }
    add(input, std::move(box));
  }

  void find(const Qbinary&) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      add_broadcast(i);
    }
  }

  void find_concat(std::size_t axis_with_batch) {
    const std::size_t axis = axis_with_batch - (layer_.output_type.shape.size() - output_.size());
    Shape at = at_;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const int64_t size = shapes_[i].at(axis);
      if (at.at(axis) < size) {
        add(i, point(at));
        return;
      }
      at[axis] -= size;
    }
  }
  void find(const Qconcat& concat) { find_concat(concat.axis); }
  void find(const FloatConcat& concat) { find_concat(concat.axis); }

  /// The loops' sum, where the result's place is theirs.
  void find(const Rearrange& rearrange) {
    int64_t from = rearrange.map.start, rest = static_cast<int64_t>(place_);
    std::vector<const MapLoop*> loops;
    for (const MapLoop& loop : rearrange.map.loops) {
      loops.push_back(&loop);
    }
    std::ranges::sort(loops, [](const MapLoop* a, const MapLoop* b) { return a->to_step > b->to_step; });
    for (const MapLoop* loop : loops) {
      const int64_t i = loop->size == 1 ? 0 : rest / loop->to_step;
      rest -= i * loop->to_step;
      if (loop->table.empty() ? i < loop->first || i >= loop->last : loop->table.at(static_cast<std::size_t>(i)) < 0) {
        return;  // It comes from nowhere.
      }
      from += loop->table.empty() ? loop->from_step * (i - loop->first) : loop->table[static_cast<std::size_t>(i)];
    }
    add(0, point(indices_of(static_cast<std::size_t>(from), shapes_.at(0))));
  }

  void find(const Requantize&) { add_element(0); }
  void find(const Lookup&) { add_element(0); }
  void find(const Quantize&) { add_element(0); }
  void find(const Dequantize&) { add_element(0); }

  /// Nobody knows.
  void find(const ExternCall&) { find_all(); }
  void find(const Several&) { find_all(); }
  void find_all() {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      add(i, whole(shapes_[i]));
    }
  }

  /// Kinds that are loops on the host.
  template <typename Loops>
  void find(const Loops&) {
    internal_check(false, layer_.name + ": its kind has loops");
  }

  void find_in(const LoopNest& loops);

  void find(const View& view) {
    const std::size_t element = size_bytes(layer_.output_type.element),
                      read = size_bytes(layer_.input_types.at(0).element);
    const std::size_t from = (place_ * element + static_cast<std::size_t>(view.offset)) / read;
    add(0, point(indices_of(from, shapes_.at(0))));
  }

  const Layer& layer_;
  std::size_t place_;
  std::vector<Shape> shapes_;  ///< Of the inputs.
  Shape output_, at_;
  std::vector<InputField> fields_;
};

/// Between which indices a nest reads each of its buffers, where it writes one element of its output.
class ReadFinder {
 public:
  /// \param at  Of the element, with the batch.
  ReadFinder(const Nest& nest, const Shape& at)
      : nest_(nest), ranges_(ranges_of(nest.buffers)), reads_(nest.buffers.size()) {
    fix_variables(nest.body, at);
    visit(nest.body);
  }

  /// Empty where the buffer is not read.
  const std::vector<Box>& reads() const { return reads_; }

 private:
  /// A variable that is an index of the output is worth that of the element.
  void fix_variables(const std::vector<Statement>& body, const Shape& at) {
    for (const Statement& statement : body) {
      if (statement.kind != StatementKind::kStore) {
        fix_variables(statement.body, at);
      } else if (nest_.buffers.at(static_cast<std::size_t>(statement.buffer)).scope == MemoryScope::kOutput) {
        for (std::size_t i = 0; i < statement.indices.size() && i < at.size(); ++i) {
          if (statement.indices[i]->kind == ExpressionKind::kVariable) {
            fixed_[statement.indices[i]->id] = {at[i], at[i]};
          }
        }
      }
    }
  }

  void visit(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      visit(statement.value);
      if (statement.kind == StatementKind::kLoop) {
        const auto fixed = fixed_.find(statement.axis.id);
        ranges_.variables[statement.axis.id] = fixed == fixed_.end() ? Interval{0, last_of(statement)} : fixed->second;
      }
      visit(statement.body);
    }
  }

  void visit(const Expression& x) {
    if (!x) {
      return;
    }
    if (x->kind == ExpressionKind::kElement) {
      read(x);
      visit(x->outside);
    }
    for (const Expression& argument : x->arguments) {
      visit(argument);
    }
  }

  void read(const Expression& x) {
    Box& box = reads_.at(static_cast<std::size_t>(x->id));
    const bool is_first = box.empty();
    for (std::size_t i = 0; i < x->arguments.size(); ++i) {
      const Interval range = interval_of(x->arguments[i], ranges_);
      if (is_first) {
        box.push_back(range);
      } else {
        box[i] = {std::min(box[i].low, range.low), std::max(box[i].high, range.high)};
      }
    }
  }

  const Nest& nest_;
  std::map<int, Interval> fixed_;
  Ranges ranges_;
  std::vector<Box> reads_;
};

void FieldFinder::find_in(const LoopNest& loops) {
  const std::vector<NestBuffer>& buffers = loops.nest.buffers;
  const auto output = std::ranges::find(buffers, MemoryScope::kOutput, &NestBuffer::scope);
  const ReadFinder finder(loops.nest, indices_of(place_, output->shape));
  std::size_t operand = 0, input = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].scope != MemoryScope::kInput) {
      continue;
    }
    const bool is_activation = operand >= loops.constants.size() || loops.constants[operand] == nullptr;
    ++operand;
    if (!is_activation) {
      continue;
    }
    const Box& read = finder.reads()[i];
    const Shape& shape = shapes_.at(input);
    // Buffers have a batch of 1 in front too.
    if (!read.empty() && read.size() == layer_.input_types.at(input).shape.size()) {
      Box box;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        box.push_back(clipped(read[read.size() - shape.size() + axis], shape[axis]));
      }
      add(input, std::move(box));
    } else if (!read.empty()) {
      add(input, whole(shape));
    }
    ++input;
  }
}

}  // namespace

std::size_t InputField::size() const {
  std::size_t size = 1;
  for (const Interval& axis : axes) {
    size *= static_cast<std::size_t>(std::max<int64_t>(axis.high - axis.low + 1, 0));
  }
  return size;
}

void InputField::for_each(const std::function<void(std::size_t)>& visit) const {
  const std::size_t count = size();
  Shape sizes;
  for (const Interval& axis : axes) {
    sizes.push_back(axis.high - axis.low + 1);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Shape indices = indices_of(i, sizes);
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      place = place * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(axes[axis].low + indices[axis]);
    }
    visit(place);
  }
}

Shape indices_of(std::size_t place, const Shape& shape) {
  Shape indices(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[i]);
    indices[i] = static_cast<int64_t>(place % size);
    place /= size;
  }
  return indices;
}

std::vector<InputField> receptive_field(const Layer& layer, std::size_t place) {
  return FieldFinder(layer, place).run();
}

}  // namespace fovea
