// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators of random networks that only move elements: some of them (Slice, Split, Gather), more of them (Pad,
/// Resize, Tile), or others' order (Transpose, DepthToSpace, SpaceToDepth, channel shuffles). Each is drawn as a table
/// of places.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "network_drawing.h"
#include "network_values.h"
#include "network_writer.h"

namespace fovea {
namespace {

using Shape = std::vector<int64_t>;
using Index = std::vector<int64_t>;

/// Along an axis and in all: convolutions of larger values take long.
constexpr int64_t kMostChannels = 32, kMostSize = 24;

bool is_small(const Shape& shape) {
  return shape[1] <= (shape.size() == 2 ? 100 : kMostChannels) &&
         std::all_of(shape.begin() + 2, shape.end(), [](int64_t size) { return size <= kMostSize; });
}

/// A node that reads `from`, each element of `shape` from source(index), or padding where that is empty.
DrawnNode moved(const NetworkDrawing& drawing, ValueId from, const Shape& shape, MovedForm form,
                const std::function<Index(const Index&)>& source) {
  DrawnNode node;
  node.inputs = {from};
  node.shape = shape;
  node.moved = std::move(form);
  const Shape& x = drawing.shape(from);
  for (std::size_t i = 0; i < element_count(shape); ++i) {
    Index index(shape.size());
    auto rest = static_cast<int64_t>(i);
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
      index[axis] = rest % shape[axis];
    }
    const Index place = source(index);
    int64_t at = place.empty() ? -1 : 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      at = at * x[axis] + place[axis];
    }
    node.places.push_back(at);
  }
  return node;
}

/// A node that takes places[i] at index i of an axis.
DrawnNode taken(const NetworkDrawing& drawing, ValueId from, std::size_t axis, const Index& places, MovedForm form) {
  Shape shape = drawing.shape(from);
  shape[axis] = static_cast<int64_t>(places.size());
  return moved(drawing, from, shape, std::move(form), [&](Index index) {
    index[axis] = places[static_cast<std::size_t>(index[axis])];
    return index;
  });
}

bool add(NetworkDrawing& drawing, const OperatorRow& row, DrawnNode node) {
  if (!is_small(node.shape)) {
    return false;
  }
  node.row = &row;
  node.is_on_integers = drawing.one_in(3);
  drawing.add(std::move(node));
  return true;
}

/// A value and one of its axes, that has at least two elements.
std::optional<std::pair<ValueId, std::size_t>> pick_axis(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return element_count(drawing.shape(id)) > 1; });
  if (!from) {
    return std::nullopt;
  }
  const Shape& shape = drawing.shape(*from);
  std::size_t axis = 0;
  while (shape[axis] < 2) {
    axis = static_cast<std::size_t>(drawing.between(1, static_cast<int64_t>(shape.size()) - 1));
  }
  return std::pair(*from, axis);
}

/// \name Some
/// @{

/// Ends beyond the tensor are cut off, as ONNX has it.
DrawnNode slice(NetworkDrawing& drawing, ValueId from, std::size_t axis) {
  const int64_t size = drawing.shape(from)[axis];
  const int64_t step = drawing.one_in(2)            ? 1
                       : drawing.between(0, 1) == 0 ? drawing.between(2, 3)
                                                    : -drawing.between(1, 3);
  const int64_t first = drawing.between(0, size - 1), last = drawing.between(-1, size);
  Index places;
  for (int64_t i = first; i >= 0 && i < size && (step > 0 ? i < last : i > last); i += step) {
    places.push_back(i);
  }
  if (places.empty()) {
    return slice(drawing, from, axis);
  }
  // From the end, or far beyond it.
  const int64_t start = drawing.one_in(2) ? first : first - size;
  const int64_t end = last < 0       ? -size - 1 - 1000 * drawing.between(0, 1)
                      : last == size ? size + 1000 * drawing.between(0, 1)
                                     : last;
  return taken(drawing, from, axis, places,
               {.op = "Slice", .numbers = {{start}, {end}, {static_cast<int64_t>(axis)}, {step}}});
}

/// One of two parts.
DrawnNode part(const NetworkDrawing& drawing, ValueId from, std::size_t axis, int64_t cut, bool is_second) {
  const int64_t size = drawing.shape(from)[axis];
  Index places(static_cast<std::size_t>(is_second ? size - cut : cut));
  std::iota(places.begin(), places.end(), is_second ? cut : 0);
  return taken(drawing, from, axis, places,
               {.op = "Split",
                .ints = {{"axis", static_cast<int64_t>(axis)}},
                .numbers = {{cut, size - cut}},
                .outputs = 2,
                .output = is_second ? 1U : 0U});
}

DrawnNode split(NetworkDrawing& drawing, ValueId from, std::size_t axis) {
  const int64_t cut = drawing.between(1, drawing.shape(from)[axis] - 1);
  return part(drawing, from, axis, cut, drawing.one_in(2));
}

DrawnNode gather(NetworkDrawing& drawing, ValueId from, std::size_t axis) {
  const int64_t size = drawing.shape(from)[axis];
  Index given(static_cast<std::size_t>(drawing.between(1, size + 2)));
  std::generate(given.begin(), given.end(), [&] { return drawing.between(-size, size - 1); });
  Index places = given;
  for (int64_t& place : places) {
    place += place < 0 ? size : 0;
  }
  return taken(drawing, from, axis, places,
               {.op = "Gather", .ints = {{"axis", static_cast<int64_t>(axis)}}, .numbers = {given}});
}

bool draw_some(NetworkDrawing& drawing) {
  const auto at = pick_axis(drawing);
  if (!at) {
    return false;
  }
  const int64_t kind = drawing.between(0, 2);
  const auto draw = kind == 0 ? slice : kind == 1 ? split : gather;
  return add(drawing, kSomeRow, draw(drawing, at->first, at->second));
}

/// @}
/// \name More
/// @{

DrawnNode pad(NetworkDrawing& drawing, ValueId from) {
  const Shape& x = drawing.shape(from);
  const std::size_t rank = x.size();
  const int64_t mode = drawing.between(0, 4);
  MovedForm form{.op = "Pad", .texts = {{"mode", mode == 3 ? "edge" : mode == 4 ? "reflect" : "constant"}}};
  Index pads(2 * rank);
  Shape shape = x;
  for (std::size_t axis = 1; axis < rank; ++axis) {
    for (const std::size_t end : {axis, axis + rank}) {
      pads[end] = drawing.one_in(2) ? 0 : drawing.between(mode < 3 ? -1 : 0, 2);
      pads[end] = std::clamp(pads[end], x[axis] > 2 ? int64_t{-1} : 0, mode == 4 ? x[axis] - 1 : 2);
      shape[axis] += pads[end];
    }
  }
  form.numbers = {pads};
  if (mode < 3) {
    // What an integer stands for, or anything.
    const ValueQuant& quant = drawing.network().nodes[from].quant;
    const auto steps = static_cast<float>(drawing.between(-20, 275)) +
                       (drawing.one_in(2) ? 0 : static_cast<float>(drawing.between(0, 1000)) / 1000);
    form.fill = quant.scale * (steps - static_cast<float>(quant.zero_point));
  }
  return moved(drawing, from, shape, form, [&](Index index) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const int64_t last = x[axis] - 1;
      int64_t& i = index[axis];
      i -= pads[axis];
      if (mode < 3 && (i < 0 || i > last)) {
        return Index();
      }
      i = mode == 4 ? (i < 0 ? -i : i > last ? 2 * last - i : i) : std::clamp<int64_t>(i, 0, last);
    }
    return index;
  });
}

DrawnNode tile(NetworkDrawing& drawing, ValueId from) {
  const Shape& x = drawing.shape(from);
  Shape repeats{1}, shape = x;
  for (std::size_t axis = 1; axis < x.size(); ++axis) {
    repeats.push_back(std::max<int64_t>(drawing.between(-1, 3), 1));
    shape[axis] *= repeats[axis];
  }
  return moved(drawing, from, shape, {.op = "Tile", .numbers = {repeats}}, [&](Index index) {
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
      index[axis] %= x[axis];
    }
    return index;
  });
}

/// Where ONNX Runtime reads index `i` of an axis resized from `from` to `to`.
int64_t resized_place(const std::string& coordinates, const std::string& nearest, float scale, int64_t from, int64_t to,
                      int64_t i) {
  const auto x = static_cast<float>(i);
  const float half = (x + 0.5F) / scale - 0.5F;
  const float at = coordinates == "asymmetric"           ? x / scale
                   : coordinates == "half_pixel"         ? half
                   : coordinates == "pytorch_half_pixel" ? (to > 1 ? half : 0)
                   : to == 1                             ? 0
                             : x * static_cast<float>(from - 1) / static_cast<float>(to - 1);
  const float below = std::floor(at), rounded = std::floor(at + 0.5F);
  const bool is_tie = std::abs(at - below - 0.5F) < 1e-6F;
  const float place = nearest == "floor"                ? below
                      : nearest == "ceil"               ? std::ceil(at)
                      : !is_tie                         ? rounded
                      : nearest == "round_prefer_floor" ? below
                                                        : below + 1;
  return scale == 1 ? i : std::clamp<int64_t>(static_cast<int64_t>(place), 0, from - 1);
}

DrawnNode resize(NetworkDrawing& drawing, ValueId from) {
  static const std::vector<std::string> kCoordinates{"asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners"};
  static const std::vector<std::string> kNearest{"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};
  const std::string& coordinates = kCoordinates[static_cast<std::size_t>(drawing.between(0, 3))];
  const std::string& nearest = kNearest[static_cast<std::size_t>(drawing.between(0, 3))];
  const Shape& x = drawing.shape(from);
  MovedForm form{.op = "Resize", .texts = {{"coordinate_transformation_mode", coordinates}, {"nearest_mode", nearest}}};
  Shape shape = x;
  std::vector<float> scales(x.size(), 1);
  const bool has_sizes = drawing.one_in(2);
  for (std::size_t axis = 2; axis < x.size(); ++axis) {
    scales[axis] = static_cast<float>(drawing.one_in(2) ? 2 : drawing.between(3, 24) / 8.0);
    shape[axis] = std::max<int64_t>(static_cast<int64_t>(static_cast<float>(x[axis]) * scales[axis]), 1);
    if (has_sizes || shape[axis] > static_cast<int64_t>(static_cast<float>(x[axis]) * scales[axis])) {
      scales[axis] = static_cast<float>(shape[axis]) / static_cast<float>(x[axis]);
    }
  }
  form.numbers = {{}, {}};
  if (has_sizes) {
    form.numbers.push_back(shape);
  } else {
    form.scales = scales;
  }
  return moved(drawing, from, shape, form, [&](Index index) {
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
      if (shape != x) {
        index[axis] = resized_place(coordinates, nearest, scales[axis], x[axis], shape[axis], index[axis]);
      }
    }
    return index;
  });
}

bool draw_more(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return element_count(drawing.shape(id)) <= 2000; });
  if (!from) {
    return false;
  }
  const int64_t kind = drawing.between(0, 4);
  const auto draw = kind < 3 ? pad : kind == 3 ? tile : resize;
  return add(drawing, kMoreRow, draw(drawing, *from));
}

/// @}
/// \name Others' order
/// @{

DrawnNode transpose(NetworkDrawing& drawing, ValueId from) {
  const Shape& x = drawing.shape(from);
  Index perm{0, 1, 2, 3};
  for (std::size_t i = 3; i > 1; --i) {
    std::swap(perm[i], perm[static_cast<std::size_t>(drawing.between(1, static_cast<int64_t>(i)))]);
  }
  Shape shape;
  for (const int64_t axis : perm) {
    shape.push_back(x[static_cast<std::size_t>(axis)]);
  }
  return moved(drawing, from, shape, {.op = "Transpose", .lists = {{"perm", perm}}}, [&](const Index& index) {
    Index back(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      back[static_cast<std::size_t>(perm[i])] = index[i];
    }
    return back;
  });
}

/// Blocks of 2 x 2, or of other sizes that divide what there is.
std::optional<DrawnNode> blocks(NetworkDrawing& drawing, ValueId from) {
  const Shape& x = drawing.shape(from);
  const int64_t b = drawing.between(2, 3), bb = b * b;
  if (x[1] % bb == 0 && drawing.one_in(2)) {
    const bool is_depth_first = drawing.one_in(2);
    const Shape shape{1, x[1] / bb, x[2] * b, x[3] * b};
    const MovedForm form{
        .op = "DepthToSpace", .ints = {{"blocksize", b}}, .texts = {{"mode", is_depth_first ? "DCR" : "CRD"}}};
    return moved(drawing, from, shape, form, [&](const Index& i) {
      const int64_t in_block = i[2] % b * b + i[3] % b;
      return Index{0, is_depth_first ? in_block * shape[1] + i[1] : i[1] * bb + in_block, i[2] / b, i[3] / b};
    });
  }
  if (x[2] % b != 0 || x[3] % b != 0) {
    return std::nullopt;
  }
  return moved(drawing, from, {1, x[1] * bb, x[2] / b, x[3] / b}, {.op = "SpaceToDepth", .ints = {{"blocksize", b}}},
               [&](const Index& i) {
                 const int64_t in_block = i[1] / x[1];
                 return Index{0, i[1] % x[1], i[2] * b + in_block / b, i[3] * b + in_block % b};
               });
}

/// Channels of several groups, one of each in turn.
std::optional<DrawnNode> shuffle(const NetworkDrawing& drawing, ValueId from, int64_t groups) {
  const Shape& x = drawing.shape(from);
  const int64_t size = x[1] / groups;
  if (size * groups != x[1]) {
    return std::nullopt;
  }
  return moved(drawing, from, x, {.op = "Shuffle", .ints = {{"groups", groups}}}, [&](Index i) {
    i[1] = i[1] % groups * size + i[1] / groups;
    return i;
  });
}

bool draw_order(NetworkDrawing& drawing) {
  const auto from = drawing.pick([&](ValueId id) { return drawing.shape(id).size() == 4; });
  if (!from) {
    return false;
  }
  const int64_t kind = drawing.between(0, 3);
  std::optional<DrawnNode> node = kind == 0   ? blocks(drawing, *from)
                                  : kind == 1 ? shuffle(drawing, *from, drawing.between(2, 3))
                                              : std::nullopt;
  return add(drawing, kOrderRow, node ? std::move(*node) : transpose(drawing, *from));
}

/// @}

Bytes evaluate(const DrawnNetwork& network, const DrawnNode& node, const Values& values) {
  const ValueQuant& quant = network.nodes[node.inputs[0]].quant;
  Bytes bytes;
  for (const int64_t place : node.places) {
    bytes.push_back(place < 0 ? quantize_outside(node.moved.fill.value_or(0) / quant.scale, quant.zero_point)
                              : values[node.inputs[0]][static_cast<std::size_t>(place)]);
  }
  return bytes;
}

/// Reshape, Transpose, Reshape, as exporters write it.
std::string write_shuffle(NetworkWriter& writer, const DrawnNode& node, const std::string& x) {
  const Shape& shape = node.shape;
  const int64_t groups = node.moved.ints.at("groups");
  const std::string cut = writer.numbers(node.name + "_groups", {1, groups, shape[1] / groups, shape[2], shape[3]});
  const std::string whole = writer.numbers(node.name + "_shape", shape);
  writer.node("Reshape", {x, cut}, node.name + "_cut");
  set_ints(writer.node("Transpose", {node.name + "_cut"}, node.name + "_turned"), "perm", {0, 2, 1, 3, 4});
  return writer.node("Reshape", {node.name + "_turned", whole}, node.name + "_moved").output(0);
}

std::string write(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs,
                  const std::string& fill) {
  const MovedForm& form = node.moved;
  if (form.op == "Shuffle") {
    return write_shuffle(writer, node, inputs[0]);
  }
  std::vector<std::string> all = inputs;
  for (const std::vector<int64_t>& numbers : form.numbers) {
    const std::string name = node.name + "_input" + std::to_string(all.size());
    all.push_back(numbers.empty() ? "" : writer.numbers(name, numbers));
  }
  if (!form.scales.empty()) {
    all.back() = writer.floats(node.name + "_scales", form.scales);
  }
  if (!fill.empty()) {
    all.push_back(fill);
  }
  onnx::NodeProto& proto = writer.node(form.op, all, node.name + "_moved");
  for (const auto& [name, value] : form.ints) {
    set_int(proto, name, value);
  }
  for (const auto& [name, values] : form.lists) {
    set_ints(proto, name, values);
  }
  for (const auto& [name, value] : form.texts) {
    set_text(proto, name, value);
  }
  if (form.outputs == 1) {
    return proto.output(0);
  }
  for (std::size_t i = 1; i < form.outputs; ++i) {
    proto.add_output(node.name + "_moved" + std::to_string(i));
  }
  const std::string taken = proto.output(static_cast<int>(form.output));
  return writer.node("Identity", {taken}, node.name + "_taken").output(0);
}

std::string write_float(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  const auto& fill = node.moved.fill;
  return write(writer, node, inputs, fill ? writer.floats(node.name + "_fill", {*fill}) : "");
}

std::string write_uint8(NetworkWriter& writer, const DrawnNode& node, const std::vector<std::string>& inputs) {
  const auto& fill = node.moved.fill;
  const ValueQuant& quant = writer.input_of(node, 0).quant;
  return write(
      writer, node, inputs,
      fill ? writer.activation(node.name + "_fill_q", quantize_outside(*fill / quant.scale, quant.zero_point)) : "");
}

}  // namespace

const OperatorRow kSomeRow{"some", 2, draw_some, nullptr, evaluate, write_float, write_uint8};
const OperatorRow kMoreRow{"more", 2, draw_more, nullptr, evaluate, write_float, write_uint8};
const OperatorRow kOrderRow{"order", 2, draw_order, nullptr, evaluate, write_float, write_uint8};

DrawnNetwork shuffle_unit() {
  constexpr int64_t kChannels = 16, kSize = 8;
  NetworkDrawing drawing(1, DrawnScales::kAny);
  const ValueId x = drawing.add_input({1, kChannels, kSize, kSize});
  const auto add_node = [&](DrawnNode node, const OperatorRow& row) {
    node.row = &row;
    return drawing.add(std::move(node));
  };
  const auto add_conv = [&](ValueId from, int64_t kernel, int64_t groups, bool relu) {
    DrawnNode conv;
    conv.inputs = {from};
    conv.shape = {1, kChannels / 2, kSize, kSize};
    const int64_t pad = kernel / 2;
    conv.window = {.kernel = {kernel, kernel}, .pads = {pad, pad, pad, pad}};
    conv.groups = groups;
    conv.relu = relu;
    drawing.draw_weights(conv, kChannels / 2 / groups * kernel * kernel);
    return add_node(std::move(conv), kConvRow);
  };
  const ValueId kept = add_node(part(drawing, x, 1, kChannels / 2, false), kSomeRow);
  const ValueId half = add_node(part(drawing, x, 1, kChannels / 2, true), kSomeRow);
  const ValueId convolved = add_conv(add_conv(add_conv(half, 1, 1, true), 3, kChannels / 2, false), 1, 1, true);
  DrawnNode concat;
  concat.inputs = {kept, convolved};
  concat.shape = {1, kChannels, kSize, kSize};
  const ValueId joined = add_node(std::move(concat), kConcatRow);
  drawing.set_outputs({add_node(*shuffle(drawing, joined, 2), kOrderRow)});
  return drawing.network();
}

}  // namespace fovea
