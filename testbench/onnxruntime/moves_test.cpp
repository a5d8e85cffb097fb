// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does an imported Resize, Pad, Slice, Split, ... give what ONNX Runtime gives, in each form that it had in some
/// opset? SEED=n draws other sizes.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>

#include "bench/number_from_environment.h"
#include "ir/evaluate.h"
#include "onnx/import.h"
#include "onnx/model_builder.h"
#include "onnxruntime_oracle.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 7);

const int kDraws = static_cast<int>(number_from_environment("DRAWS", 20));  ///< Of each mode of Resize.

/// A network of one node that reads x, a float32 tensor; its first output, or the last of several, is the network's.
class Move {
 public:
  Move(const std::string& op, int64_t opset, std::vector<int64_t> shape) : shape_(std::move(shape)), model_(shape_) {
    // The builder's QuantizeLinear, in a form that every opset has.
    model_.graph().mutable_node(0)->set_domain("com.microsoft");
    model_.model().mutable_opset_import(0)->set_version(opset);
    auto& microsoft = *model_.model().add_opset_import();
    microsoft.set_domain("com.microsoft");
    microsoft.set_version(1);
    node_ = &model_.node(op, "move", {"x"}, {"y"});
  }

  Move& ints(const std::vector<int64_t>& values) {
    model_.integers(next(), onnx::TensorProto::INT64, {static_cast<int64_t>(values.size())}, values);
    return *this;
  }
  Move& floats(const std::vector<float>& values) {
    model_.floats(next(), {static_cast<int64_t>(values.size())}, values);
    return *this;
  }
  Move& matrix(const std::vector<int64_t>& shape, const std::vector<int64_t>& values) {
    model_.integers(next(), onnx::TensorProto::INT64, shape, values);
    return *this;
  }
  Move& nothing() {
    node_->add_input("");
    return *this;
  }
  Move& with(const std::string& name, int64_t value) {
    set_int(*node_, name, value);
    return *this;
  }
  Move& with(const std::string& name, const std::vector<int64_t>& values) {
    set_ints(*node_, name, values);
    return *this;
  }
  Move& with(const std::string& name, const std::string& value) {
    set_text(*node_, name, value);
    return *this;
  }
  Move& with_float(const std::string& name, float value) {
    set_float(*node_, name, value);
    return *this;
  }
  Move& with_floats(const std::string& name, const std::vector<float>& values) {
    auto& attribute = add_attribute(*node_, name, onnx::AttributeProto::FLOATS);
    for (const float value : values) {
      attribute.add_floats(value);
    }
    return *this;
  }
  /// One of several outputs, which come before it.
  Move& outputs(int count) {
    node_->clear_output();
    for (int i = 1; i < count; ++i) {
      node_->add_output("part" + std::to_string(i));
    }
    node_->add_output("y");
    return *this;
  }

  std::vector<float> x() const {
    std::vector<float> values(static_cast<std::size_t>(count_elements(shape_)));
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
  }

  Question write(const fs::path& path) {
    auto& y = *model_.graph().add_output();
    y.set_name("y");
    y.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    std::ofstream file(path, std::ios::binary);
    model_.model().SerializeToOstream(&file);
    return {path, {{"x", shape_, x()}}, {}};
  }

  Tensor evaluated() {
    return evaluate(import_model(model_.model(), "move.onnx"), {Tensor::of<float>(shape_, x())}).at(0);
  }

  std::string text() { return model_.model().ShortDebugString(); }

 private:
  std::string next() {
    node_->add_input("input" + std::to_string(node_->input_size()));
    return node_->input(node_->input_size() - 1);
  }

  std::vector<int64_t> shape_;
  ModelBuilder model_;
  onnx::NodeProto* node_;
};

/// Asks ONNX Runtime about all of them, and compares element by element.
void expect_answers(const std::string& name, std::vector<Move> moves) {
  const fs::path folder = fs::path(WORK_FOLDER) / name;
  fs::create_directories(folder);
  std::vector<Question> questions;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    questions.push_back(moves[i].write(folder / (std::to_string(i) + ".onnx")));
  }
  const std::vector<Answer> answers = ask_onnxruntime(questions, folder);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    ASSERT_EQ(answers[i].error, "") << moves[i].text();
    const Tensor y = moves[i].evaluated();
    EXPECT_EQ(y.type().shape, answers[i].outputs.at(0).shape) << moves[i].text();
    EXPECT_EQ((std::vector<float>(y.values<float>().begin(), y.values<float>().end())), answers[i].outputs[0].data)
        << moves[i].text();
  }
  std::printf("SEED=%llu: %zu networks\n", static_cast<unsigned long long>(kSeed), moves.size());
}

class Sizes {
 public:
  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(source_() % static_cast<uint64_t>(last - first + 1));
  }
  float scale() { return static_cast<float>(between(2, 40)) / 10; }

 private:
  std::mt19937_64 source_{kSeed};
};

const std::vector<std::string> kNearest{"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};

TEST(Moves, ResizeToScalesAndSizes) {
  Sizes sizes;
  std::vector<Move> moves;
  for (const std::string coordinates : {"asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners",
                                        "tf_half_pixel_for_nn", "tf_crop_and_resize", "half_pixel_symmetric"}) {
    for (const std::string& nearest : kNearest) {
      for (int i = 0; i < kDraws; ++i) {
        const int64_t opset = coordinates == "half_pixel_symmetric" ? 19 : i % 2 == 0 ? 11 : 13;
        const std::vector<int64_t> shape{1, 2, sizes.between(1, 9), sizes.between(1, 9)};
        Move& move = moves.emplace_back("Resize", opset, shape);
        move.with("coordinate_transformation_mode", coordinates).with("nearest_mode", nearest);
        if (coordinates == "tf_crop_and_resize") {
          const auto end = [&] { return static_cast<float>(sizes.between(6, 12)) / 10; };
          const auto start = [&] { return static_cast<float>(sizes.between(-2, 4)) / 10; };
          move.floats({0, 0, start(), start(), 1, 1, end(), end()}).with_float("extrapolation_value", -3);
        } else if (opset == 11) {
          move.floats({});
        } else {
          move.nothing();
        }
        const bool has_sizes = i % 4 < 2;
        if (has_sizes) {
          opset == 11 ? move.floats({}) : move.nothing();
          move.ints({1, 2, sizes.between(1, 20), sizes.between(1, 20)});
        } else {
          const auto scale = [&](int64_t size) { return std::max(sizes.scale(), 1.05F / static_cast<float>(size)); };
          move.floats({1, 1, scale(shape[2]), scale(shape[3])});
        }
      }
    }
  }
  expect_answers("resize", std::move(moves));
}

/// The last bit too: behind it, values between two steps of a quantization are many.
TEST(Moves, InterpolationsAddInTheSameOrder) {
  Sizes sizes;
  std::vector<Move> moves;
  const std::vector<std::vector<bool>> scaled{{false, false, true},        {false, false, true, true},
                                              {false, false, true, false}, {false, false, false, true},
                                              {false, true, true, false},  {false, false, true, true, true}};
  for (const std::string coordinates :
       {"asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners", "half_pixel_symmetric"}) {
    for (const std::vector<bool>& axes : scaled) {
      for (const std::string mode : {"linear", "cubic"}) {
        for (int i = 0; i < kDraws / 4; ++i) {
          std::vector<int64_t> shape;
          std::vector<float> scales;
          for (const bool is_scaled : axes) {
            shape.push_back(shape.empty() ? 1 : sizes.between(2, 9));
            scales.push_back(is_scaled ? std::max(sizes.scale(), 1.05F / static_cast<float>(shape.back())) : 1);
          }
          if (mode == "linear" || (axes.size() == 4 && axes[2] && axes[3])) {
            Move& move = moves.emplace_back("Resize", 19, shape).with("mode", mode);
            move.with("coordinate_transformation_mode", coordinates).nothing().floats(scales);
          }
        }
      }
    }
  }
  expect_answers("interpolations", std::move(moves));
}

TEST(Moves, ResizeOfSomeAxesKeepsTheirRatio) {
  Sizes sizes;
  std::vector<Move> moves;
  for (const std::string policy : {"stretch", "not_larger", "not_smaller"}) {
    for (int i = 0; i < 20; ++i) {
      Move& move =
          moves.emplace_back("Resize", 18, std::vector<int64_t>{1, 2, sizes.between(2, 9), sizes.between(2, 9)});
      move.nothing().nothing().ints({sizes.between(1, 20), sizes.between(1, 20)});
      move.with("axes", std::vector<int64_t>{2, 3}).with("keep_aspect_ratio_policy", policy);
    }
  }
  moves.emplace_back("Resize", 18, std::vector<int64_t>{1, 2, 3, 4})
      .nothing()
      .floats({2.5F})
      .with("axes", std::vector<int64_t>{3});
  expect_answers("axes", std::move(moves));
}

TEST(Moves, UpsampleAndTheFirstResize) {
  Sizes sizes;
  std::vector<Move> moves;
  for (int i = 0; i < 20; ++i) {
    const std::vector<int64_t> shape{1, 2, sizes.between(1, 9), sizes.between(1, 9)};
    const std::vector<float> up{1, 1, 1 + sizes.scale(), 1 + sizes.scale()};
    moves.emplace_back("Upsample", 7, shape).with_floats("scales", up).with("mode", "nearest");
    moves.emplace_back("Upsample", 9, shape).floats(up).with("mode", "nearest");
    const auto scale = [&](int64_t size) { return std::max(sizes.scale(), 1.05F / static_cast<float>(size)); };
    moves.emplace_back("Resize", 10, shape).floats({1, 1, scale(shape[2]), scale(shape[3])}).with("mode", "nearest");
  }
  expect_answers("upsample", std::move(moves));
}

TEST(Moves, PadInAllModes) {
  Sizes sizes;
  std::vector<Move> moves;
  for (const std::string mode : {"constant", "edge", "reflect"}) {
    for (int i = 0; i < 12; ++i) {
      const std::vector<int64_t> shape{1, sizes.between(3, 5), sizes.between(3, 6), sizes.between(3, 6)};
      const int64_t least = mode == "constant" ? -1 : 0;
      std::vector<int64_t> pads(8);
      for (const std::size_t end : {1, 2, 3, 5, 6, 7}) {
        pads[end] = sizes.between(least, 2);
      }
      moves.emplace_back("Pad", 10, shape).with("pads", pads).with("mode", mode).with_float("value", -2.5F);
      moves.emplace_back("Pad", 11, shape).ints(pads).floats({4}).with("mode", mode);
      moves.emplace_back("Pad", 13, shape).ints(pads).with("mode", mode);
      const std::vector<int64_t> some{pads[3], pads[1], pads[7], pads[5]};
      moves.emplace_back("Pad", 18, shape).ints(some).nothing().ints({-1, 1}).with("mode", mode);
    }
  }
  moves.emplace_back("Pad", 19, std::vector<int64_t>{1, 3, 4}).ints({0, 1, 2, 0, 2, 3}).with("mode", "wrap");
  expect_answers("pad", std::move(moves));
}

TEST(Moves, SliceAndSplit) {
  Sizes sizes;
  std::vector<Move> moves;
  const std::vector<int64_t> shape{1, 4, 6, 7};
  for (int i = 0; i < 40; ++i) {
    const std::vector<int64_t> axes{sizes.between(0, 1) == 0 ? 2 : -2, 3};
    const int64_t step = sizes.between(1, 3), other = sizes.between(1, 3);
    const std::vector<int64_t> starts{sizes.between(0, 2), sizes.between(-7, 1)},
        ends{sizes.between(3, 9), sizes.between(-3, 99)};
    moves.emplace_back("Slice", 9, shape).with("starts", starts).with("ends", ends).with("axes", axes);
    moves.emplace_back("Slice", 10, shape).ints(starts).ints(ends).ints(axes).ints({step, other});
    moves.emplace_back("Slice", 13, shape)
        .ints({sizes.between(3, 9), -1})
        .ints({sizes.between(-99, 2) - 6, INT64_MIN})
        .ints(axes)
        .ints({-step, -other});
  }
  moves.emplace_back("Split", 11, shape).with("axis", 2).with("split", std::vector<int64_t>{1, 2, 3}).outputs(3);
  moves.emplace_back("Split", 11, shape).with("axis", -2).outputs(3);
  moves.emplace_back("Split", 13, shape).ints({3, 4}).with("axis", 3).outputs(2);
  moves.emplace_back("Split", 13, shape).with("axis", 1).outputs(2);
  moves.emplace_back("Split", 18, shape).with("axis", 3).with("num_outputs", 3).outputs(3);
  moves.emplace_back("Split", 18, shape).ints({7}).with("axis", 3).outputs(1);
  expect_answers("slice", std::move(moves));
}

TEST(Moves, TheRest) {
  std::vector<Move> moves;
  const std::vector<int64_t> shape{1, 8, 4, 6};
  moves.emplace_back("Gather", 13, shape).ints({3, -1, 3}).with("axis", 1);
  moves.emplace_back("Gather", 11, shape).matrix({}, {-2}).with("axis", -1);
  moves.emplace_back("Gather", 13, shape).matrix({2, 2}, {0, -1, 2, 0}).with("axis", 2);
  moves.emplace_back("Tile", 13, shape).ints({1, 2, 1, 3});
  moves.emplace_back("Expand", 13, std::vector<int64_t>{1, 3, 1}).ints({2, 1, 3, 4});
  moves.emplace_back("Expand", 8, std::vector<int64_t>{1, 3, 1}).ints({5});
  moves.emplace_back("DepthToSpace", 9, shape).with("blocksize", 2);
  moves.emplace_back("DepthToSpace", 13, shape).with("blocksize", 2).with("mode", "CRD");
  moves.emplace_back("SpaceToDepth", 13, shape).with("blocksize", 2);
  moves.emplace_back("Transpose", 13, shape);
  moves.emplace_back("Transpose", 7, shape).with("perm", std::vector<int64_t>{0, 3, 1, 2});
  moves.emplace_back("Flatten", 11, shape).with("axis", -2);
  moves.emplace_back("Flatten", 9, shape).with("axis", 0);
  moves.emplace_back("Reshape", 13, shape).ints({0, -1, 3});
  moves.emplace_back("Squeeze", 11, shape).with("axes", std::vector<int64_t>{0});
  moves.emplace_back("Squeeze", 13, shape).ints({-4});
  moves.emplace_back("Squeeze", 13, shape);
  moves.emplace_back("Unsqueeze", 11, shape).with("axes", std::vector<int64_t>{2, 0});
  moves.emplace_back("Unsqueeze", 13, shape).ints({-1, 1});
  expect_answers("rest", std::move(moves));
}

}  // namespace
}  // namespace fovea
