// SPDX-License-Identifier: Apache-2.0
/// \file
/// Of two networks that differ in one planted thing, is the layer found in which it was planted?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "compare/comparison.h"
#include "compare/explanation.h"
#include "compare/layer_dump_reader.h"
#include "compare/print_comparison.h"
#include "compare/run_side.h"
#include "files/child_process.h"
#include "planted_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

/// Two networks, compiled and run on one input.
class PlantedFaults : public testing::TestWithParam<Fault> {
 protected:
  PlantedFaults() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~PlantedFaults() override { fs::remove_all(folder_); }

  void run(const std::vector<std::string>& words) const {
    const auto status = run_child(words, folder_ / "log");
    ASSERT_EQ(status, 0) << words[0] << ": " << last_line(folder_ / "log");
  }

  /// \param rounded_down  The layer whose rounding is changed in the code; "" for none.
  Side compiled(const std::string& name, const PlantedNetwork& network, const std::string& rounded_down) const {
    const fs::path model = folder_ / (name + ".onnx"), net = folder_ / name;
    fs::remove_all(net);
    write_planted(network, model);
    run({FOVEAC, model.string(), "-o", net.string(), "--target", "cpu"});
    if (!rounded_down.empty()) {
      EXPECT_TRUE(plant_rounding(net / "model.c", rounded_down)) << rounded_down;
    }
    run({C_COMPILER, "-std=c11", "-O0", "-fPIC", "-shared", "-Isim", "-Idriver", "-Idriver/runtime",
         (net / "model.c").string(), "-o", (net / "model.so").string()});
    return run_side(net, name, {"cpu", "", (folder_ / "x.f32").string()});
  }

  void write_input(const std::vector<float>& input) const {
    std::ofstream(folder_ / "x.f32", std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size() * sizeof(float)));
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_planted_faults";
};

/// What another runtime leaves: names and bytes, no scales and no network.
Side without_network(Side side) {
  side.network = nullptr;
  side.inputs.clear();
  for (LayerValue& value : side.values) {
    value.notes = {{}, {value.name}, std::nullopt};
    value.layer = std::nullopt;
  }
  return side;
}

std::string first_of(const Side& a, const Side& b) {
  const Comparison comparison = compare_sides(a, b, 0);
  return comparison.first ? a.values[comparison.layers[*comparison.first].a].name : "none";
}

/// What the explanation has to name.
void expect_cause(Fault fault, const Explanation& e) {
  switch (fault) {
    case Fault::kWeight:
      EXPECT_THAT(e.settings, testing::ElementsAre(HasSubstr("weights of filter")));
      EXPECT_NE(e.a.accumulators, e.b.accumulators);
      break;
    case Fault::kScale:
      EXPECT_THAT(e.settings, Contains(HasSubstr("scale")));
      break;
    case Fault::kZeroPoint:
      EXPECT_THAT(e.settings, testing::ElementsAre(HasSubstr("zero point")));
      break;
    case Fault::kPad:
      EXPECT_THAT(e.settings, testing::ElementsAre("pads"));
      EXPECT_NE(e.a.accumulators, e.b.accumulators);
      break;
    case Fault::kRounding:
      EXPECT_THAT(e.settings, testing::IsEmpty());
      EXPECT_EQ(e.a.accumulators, e.b.accumulators);
      EXPECT_THAT(e.verdict, HasSubstr("what B gives is not what its layer makes of that"));
      break;
  }
}

TEST_P(PlantedFaults, AreFoundInTenOfTen) {
  int found = 0, found_in_dump = 0;
  for (int i = 0; i < 10; ++i) {
    const auto seed = static_cast<unsigned>(10 * static_cast<int>(GetParam()) + i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    PlantedNetwork network = draw_planted(random);
    write_input(draw_input(network, random));
    const Side a = compiled("a", network, "");
    const std::string layer = "conv" + std::to_string(plant(GetParam(), network, random));
    const Side b = compiled("b", network, GetParam() == Fault::kRounding ? layer : "");
    found += first_of(a, b) == layer ? 1 : 0;
    found_in_dump += first_of(a, without_network(b)) == layer ? 1 : 0;
    EXPECT_EQ(first_of(a, b), layer);
    EXPECT_EQ(first_of(a, without_network(b)), layer);
    const Comparison comparison = compare_sides(a, b, 0);
    ASSERT_TRUE(comparison.first);
    expect_cause(GetParam(), explain(a, b, comparison, *comparison.first));
  }
  EXPECT_EQ(found, 10);
  EXPECT_EQ(found_in_dump, 10);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFaults,
                         testing::Values(Fault::kWeight, Fault::kScale, Fault::kZeroPoint, Fault::kPad,
                                         Fault::kRounding));

/// The byte that each convolution makes of the accumulators that are computed again is the one that it gave.
TEST_F(PlantedFaults, AccumulatorsExplainEveryByte) {
  std::size_t bytes = 0;
  for (unsigned seed = 100; seed < 110; ++seed) {
    std::mt19937 random(seed);
    const PlantedNetwork network = draw_planted(random);
    write_input(draw_input(network, random));
    const Side side = compiled("a", network, "");
    Comparison comparison = compare_sides(side, side, 0);
    EXPECT_FALSE(comparison.first);
    for (std::size_t i = 0; i < comparison.layers.size(); ++i) {
      for (std::size_t place = 0; place < comparison.layers[i].difference.elements; ++place) {
        comparison.layers[i].difference.first = place;
        const Explanation e = explain(side, side, comparison, i);
        if (e.a.requantized) {
          ASSERT_EQ(e.a.value, *e.a.requantized) << e.layer << ", element " << place;
          ++bytes;
        }
      }
    }
  }
  EXPECT_GT(bytes, 20000u);
}

}  // namespace
}  // namespace fovea
