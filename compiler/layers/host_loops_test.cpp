// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops of 8-bit layers, run by the interpreter, against their formulas written out here. SEED=n draws others.
#include "host_loops.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "loops/drawn_calls.h"
#include "loops/interpret.h"
#include "ops/operator.h"

namespace fovea {
namespace {

using testing::ElementsAre;

const LayerKind& kind_of(const std::string& name) {
  return *std::ranges::find(layer_kinds(), name, [](const LayerKind& kind) { return std::string(kind.name); });
}

/// What a layer's loops make of x.
Tensor run(const std::string& kind, LayerBody body, const Tensor& x, TensorType y,
           dla_rounding rounding = kDlaNearestEven) {
  Layer layer;
  layer.kind = &kind_of(kind);
  layer.body = std::move(body);
  layer.input_types = {x.type()};
  layer.output_type = std::move(y);
  const LoopNest loops = layer.kind->host_loops(layer, rounding);
  std::vector<const Tensor*> inputs{&x};
  for (std::size_t i = 1; i < loops.constants.size(); ++i) {
    inputs.push_back(loops.constants[i].get());
  }
  return interpret(loops.nest, inputs, layer.output_type);
}

class HostLoops : public testing::Test {
 protected:
  int64_t between(int64_t first, int64_t last) { return drawing_.between(first, last); }
  Quantization draw_quantization() {
    return per_tensor(ElementType::kUint8, static_cast<float>(between(1, 1 << 20)) / (1 << 18), between(0, 255));
  }
  dla_rounding draw_rounding() { return between(0, 3) == 0 ? kDlaFloor : kDlaNearestEven; }

  Tensor draw_bytes(const Shape& shape) {
    Tensor x({shape, ElementType::kUint8});
    for (int64_t i = 0; i < count_elements(shape); ++i) {
      x.set_integer(i, between(0, 255));
    }
    return x;
  }

  static uint8_t rounded_byte(float steps, dla_rounding rounding) {
    const float whole = rounding == kDlaFloor ? std::floor(steps) : std::nearbyint(steps);
    return static_cast<uint8_t>(std::clamp(whole, 0.0F, 255.0F));
  }

 private:
  CallDrawing drawing_{drawing_seed()};
};

Tensor plane_of(int64_t rows, int64_t columns) {
  Tensor x({{1, 1, rows, columns}, ElementType::kUint8});
  for (int64_t i = 0; i < rows * columns; ++i) {
    x.set_integer(i, i + 1);
  }
  return x;
}

std::vector<int> largest(const Window& window, const Tensor& x, const Shape& y) {
  const Tensor result = run("maxpool", MaxPool{window, false}, x, {y, x.type().element});
  std::vector<int> numbers;
  for (int64_t i = 0; i < count_elements(y); ++i) {
    numbers.push_back(static_cast<int>(result.integer_at(i)));
  }
  return numbers;
}

TEST_F(HostLoops, OfAMaxPoolNeverTakePadding) {
  const Tensor x = plane_of(5, 5);
  EXPECT_THAT(largest({{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}, x, {1, 1, 2, 2}), ElementsAre(7, 9, 17, 19));
  EXPECT_THAT(largest({{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}}, x, {1, 1, 3, 3}),
              ElementsAre(7, 9, 10, 17, 19, 20, 22, 24, 25))
      << "the last windows partly, as in ceil mode";
  EXPECT_THAT(largest({{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}}, x, {1, 1, 3, 3}),
              ElementsAre(7, 9, 10, 17, 19, 20, 22, 24, 25));
  EXPECT_THAT(largest({{2, 2}, {1, 1}, {3, 3}, {0, 0, 0, 0}}, x, {1, 1, 2, 2}), ElementsAre(19, 20, 24, 25));
  Tensor negative({{1, 1, 1, 2}, ElementType::kInt8});
  negative.set_integer(0, -7);
  negative.set_integer(1, -9);
  EXPECT_THAT(largest({{1, 2}, {1, 2}, {1, 1}, {0, 1, 0, 1}}, negative, {1, 1, 1, 2}), ElementsAre(-7, -9));
}

TEST_F(HostLoops, OfAnAveragePoolAreTheFormulaUnderEveryWindow) {
  for (int round = 0; round < 500; ++round) {
    const int64_t H = between(5, 9), W = between(5, 9);
    AvgPool pool{{}, false, between(0, 1) == 1, draw_quantization(), draw_quantization()};
    Window& w = pool.window;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      w.kernel[axis] = between(1, 3);
      w.strides[axis] = between(1, 3);
      w.dilations[axis] = between(1, 4) == 1 ? 2 : 1;
      w.pads[axis] = between(0, w.kernel[axis] - 1);
      w.pads[axis + 2] = between(0, w.kernel[axis] - 1);
    }
    pool.ceil_mode = between(0, 1) == 1;
    const Tensor x = draw_bytes({1, 2, H, W});
    const dla_rounding rounding = draw_rounding();
    const int64_t E = window_steps(Call(), w, 0, H, pool.ceil_mode), F = window_steps(Call(), w, 1, W, pool.ceil_mode);
    const Tensor y = run("avgpool", pool, x, {{1, 2, E, F}, ElementType::kUint8}, rounding);
    for (int64_t i = 0; i < 2 * E * F; ++i) {
      const int64_t c = i / (E * F), e = i / F % E, f = i % F;
      float sum = 0;
      int inside = 0;
      for (int64_t r = 0; r < w.kernel[0]; ++r) {
        for (int64_t s = 0; s < w.kernel[1]; ++s) {
          const int64_t row = e * w.strides[0] + r * w.dilations[0] - w.pads[0];
          const int64_t column = f * w.strides[1] + s * w.dilations[1] - w.pads[1];
          if (row >= 0 && row < H && column >= 0 && column < W) {
            const int64_t steps = x.integer_at((c * H + row) * W + column) - pool.x.zero_point();
            const volatile float value = pool.x.scale() * static_cast<float>(steps);
            sum += value;
            ++inside;
          }
        }
      }
      const auto count = static_cast<float>(pool.count_include_pad ? w.kernel[0] * w.kernel[1] : inside);
      const float steps = sum / count / pool.y.scale() + static_cast<float>(pool.y.zero_point());
      const int expected = count == 0 ? 0 : rounded_byte(steps, rounding);
      ASSERT_EQ(y.integer_at(i), expected) << "round " << round << " element " << i;
    }
  }
}

TEST_F(HostLoops, OfAMeanAreTheFormula) {
  for (int round = 0; round < 200; ++round) {
    const GlobalAvgPool pool{draw_quantization(), draw_quantization()};
    const Tensor x = draw_bytes({1, 3, 7, 5});
    const dla_rounding rounding = draw_rounding();
    const Tensor y = run("global_avg_pool", pool, x, {{1, 3, 1, 1}, ElementType::kUint8}, rounding);
    for (int64_t c = 0; c < 3; ++c) {
      int64_t sum = 0;
      for (int64_t i = 0; i < 35; ++i) {
        sum += x.integer_at(c * 35 + i) - pool.x.zero_point();
      }
      const float divisor = pool.y.scale() * 35, scale = pool.x.scale() / divisor;
      const float steps = static_cast<float>(sum) * scale;
      const float whole = rounding == kDlaFloor ? std::floor(steps) : std::nearbyint(steps);
      EXPECT_EQ(y.integer_at(c), std::clamp(whole + static_cast<float>(pool.y.zero_point()), 0.0F, 255.0F)) << round;
    }
  }
}

TEST_F(HostLoops, OfASoftmaxAreTheFormulaAlongAnyAxis) {
  std::size_t near_ties = 0;
  for (int round = 0; round < 50; ++round) {
    const auto axis = static_cast<std::size_t>(between(1, 3));
    const Softmax softmax{per_tensor(ElementType::kUint8, 0.02F, between(0, 255)),
                          per_tensor(ElementType::kUint8, 1.0F / 256, between(0, 2) * 60), axis};
    const Shape shape{1, 6, 5, 7};
    const Tensor x = draw_bytes(shape);
    const Tensor y = run("softmax", softmax, x, x.type());
    const int64_t step = count_elements(Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()));
    for (int64_t i = 0; i < 210; ++i) {
      const int64_t first = i - i / step % shape[axis] * step;
      long double sum = 0;
      for (int64_t k = 0; k < shape[axis]; ++k) {
        sum += std::exp(static_cast<long double>(0.02F) *
                        static_cast<long double>(x.integer_at(first + k * step) - x.integer_at(i)));
      }
      const long double steps = 256 / sum;
      const auto expected = std::min(255.0L, std::nearbyint(steps) + static_cast<long double>(softmax.y.zero_point()));
      const bool is_near_tie = std::abs(steps - std::floor(steps) - 0.5L) < 1e-3L;
      near_ties += is_near_tie ? 1 : 0;
      EXPECT_LE(std::abs(static_cast<long double>(y.integer_at(i)) - expected), is_near_tie ? 1 : 0) << round;
    }
  }
  EXPECT_LT(near_ties, 100U);
}

TEST_F(HostLoops, OfAnArgmaxChooseTheFirstOrTheLast) {
  Tensor x({{1, 2, 4}, ElementType::kUint8});
  const std::vector<int64_t> bytes{3, 9, 9, 1, 200, 7, 7, 200};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    x.set_integer(static_cast<int64_t>(i), bytes[i]);
  }
  const auto places = [&](bool last, std::size_t axis, const Shape& y) {
    const Tensor result = run("argmax", ArgMax{axis, last}, x, {y, ElementType::kFloat32});
    return std::vector<float>(result.values<float>().begin(), result.values<float>().end());
  };
  EXPECT_THAT(places(false, 2, {1, 2, 1}), ElementsAre(1, 0));
  EXPECT_THAT(places(true, 2, {1, 2}), ElementsAre(2, 3));
  EXPECT_THAT(places(false, 1, {1, 1, 4}), ElementsAre(1, 0, 0, 1));
}

TEST_F(HostLoops, OfValuesGiveTheScaleThatTakesThem) {
  for (const std::vector<float>& x : std::vector<std::vector<float>>{
           {-1, 0.5F, 4.1F}, {1, 2, 3}, {-3, -2}, {0, 0}, {-1e-3F, 1e4F}, {-0.3F, 0.1F, 0.7F, -0.6F}}) {
    const auto [first, last] = std::ranges::minmax(x);
    const float least = std::min(0.0F, first), most = std::max(0.0F, last);
    const float scale = most == least ? 1 : (most - least) / 255;
    const Tensor tensor = Tensor::of<float>({static_cast<int64_t>(x.size())}, x);
    const auto value = [&](const std::string& name) {
      Call call;
      call.op = find_operator(name);
      return call.op->evaluate(call, {&tensor}).at(0);
    };
    EXPECT_EQ(value("qnn.dynamic_scale"), scale);
    EXPECT_EQ(value("qnn.dynamic_zero_point"), std::nearbyint(-least / scale));
  }
}

}  // namespace
}  // namespace fovea
