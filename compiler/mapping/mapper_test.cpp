// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fully connected layers get every shape that multiplies their bytes, a cheap one of them, or the limit in the way.
#include "mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "command/command_text.h"
#include "mapper.h"
#include "spec/machine_json.h"
#include "vgg_shapes.h"

namespace fovea {
namespace {

dla_machine default_machine() { return read_machine("sim/spec/machines/eyeriss_6x8.json").geometry; }

ShapeChoice choose(const dla_machine& machine, std::uint32_t inputs, std::uint32_t outputs,
                   MappingMode mode = MappingMode::kSearch) {
  MachineFile file;
  file.geometry = machine;
  return Mapper(file, mode).choose_linear({inputs, outputs});
}

std::string reason(std::uint32_t inputs, std::uint32_t outputs, MappingMode mode = MappingMode::kSearch) {
  const ShapeChoice choice = choose(default_machine(), inputs, outputs, mode);
  EXPECT_NE(choice.mapping.plan.has_value(), !choice.mapping.reason.empty());
  return choice.mapping.reason;
}

TEST(LinearShapes, AreAllFactorings) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> factors;
  for (const dla_shape& shape : linear_shapes({4096, 10})) {
    EXPECT_EQ(shape.C * shape.R * shape.S, 4096u);
    EXPECT_EQ(std::tuple(shape.H, shape.W, shape.M), std::tuple(shape.R, shape.S, 10u));
    EXPECT_EQ(std::tuple(shape.U, shape.V, dla_padded_rows(&shape), dla_padded_cols(&shape)),
              std::tuple(1u, 1u, shape.H, shape.W));
    EXPECT_EQ(std::tuple(shape.pool, shape.scaled, shape.filter_scales), std::tuple(false, false, false));
    factors.insert({shape.C, shape.R, shape.S});
  }
  EXPECT_EQ(factors.size(), 16u) << "R and S are 1, 2, 4 or 8";
  EXPECT_TRUE(linear_shapes({4096, 10, true}).front().scaled);
  EXPECT_TRUE(linear_shapes({4096, 10, true, true}).front().filter_scales);
  EXPECT_EQ(linear_shapes({65521, 1}).size(), 1u) << "a prime: 1x1 filters only";
  EXPECT_EQ(linear_shapes({65535 * 121, 1}).size(), 1u) << "the largest C with the largest filter";
  EXPECT_EQ(linear_shapes({65537, 1}).size(), 0u) << "a prime above C's limit";
}

/// Groups of one filter may share it: windows under each other, which are the same bytes in the same order.
TEST(LinearShapes, StackGroupsThatAreAlike) {
  LinearLayer layer{9, 1, true, false, 256};
  const std::vector<dla_shape> apart = linear_shapes(layer);
  layer.alike = true;
  const std::vector<dla_shape> all = linear_shapes(layer);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> stacked;
  for (const dla_shape& shape : std::span(all).subspan(apart.size())) {
    EXPECT_EQ(shape.G * shape.H * shape.W, 256u * 9) << "all bytes";
    EXPECT_EQ(std::tuple(shape.C, shape.M, shape.U, shape.W, shape.R * shape.S),
              std::tuple(1u, 1u, shape.R, shape.S, 9u));
    EXPECT_EQ(shape.G * dla_unpooled_rows(&shape), 256u) << "an output a channel";
    stacked.insert({shape.R, shape.S, shape.H / shape.R});
  }
  EXPECT_THAT(stacked, testing::UnorderedElementsAre(std::tuple(1, 9, 2), std::tuple(1, 9, 4), std::tuple(1, 9, 8),
                                                     std::tuple(1, 9, 16), std::tuple(3, 3, 2), std::tuple(3, 3, 4),
                                                     std::tuple(3, 3, 8), std::tuple(3, 3, 16)));
  layer.inputs = 169;
  EXPECT_TRUE(std::ranges::all_of(linear_shapes(layer), [](const dla_shape& s) { return s.H == s.R; }))
      << "13 rows or columns are more than a filter has";
}

/// 256 planes of 3x3: with a filter each, as many bytes of filters as of planes go through DRAM.
TEST(ChooseLinear, SharesFilters) {
  Mapper mapper(read_machine("sim/spec/machines/eyeriss_6x8.json"), MappingMode::kSearch);
  LinearLayer layer{9, 1, true, false, 256};
  const PlannedMapping apart = mapper.choose_linear(layer).mapping.plan.value();
  layer.alike = true;
  const ShapeChoice& shared = mapper.choose_linear(layer);
  EXPECT_GT(shared.shape.H, shared.shape.R);
  EXPECT_LT(2 * shared.mapping.plan.value().cost.cycles, apart.cost.cycles);
}

/// The three layers of VGG-8 come near the words that they must read: inputs, weights and biases once.
TEST(ChooseLinear, ComesNearTheFloor) {
  const dla_machine machine = default_machine();
  const std::pair<std::uint32_t, std::uint32_t> layers[] = {{4096, 256}, {256, 128}, {128, 10}};
  for (const auto& [inputs, outputs] : layers) {
    const ShapeChoice choice = choose(machine, inputs, outputs);
    ASSERT_TRUE(choice.mapping.plan) << choice.mapping.reason;
    const PlannedMapping& plan = *choice.mapping.plan;
    const dla_layer layer = {choice.shape, plan.mapping, plan.glb, {7, kDlaFloor, 0, 128, 128}, 0, 0, 0};
    EXPECT_EQ(dla_check_layer(&machine, &layer), kDlaErrorNone) << to_text(plan.mapping);
    const std::uint64_t compulsory = inputs + std::uint64_t{inputs} * outputs + 4 * outputs;
    EXPECT_LE(plan.cost.dram_bytes.read(), compulsory + compulsory / 20);
    EXPECT_LE(plan.cost.cycles, compulsory / machine.bus_bytes * 115 / 100 + 500) << "500 to set up and to end";
  }
}

TEST(ChooseLinear, TakesTheCheapestShape) {
  const dla_machine machine = default_machine();
  const std::uint64_t chosen = choose(machine, 240, 12).mapping.plan->cost.cycles;
  std::uint64_t fewest = UINT64_MAX, most = 0;
  for (const dla_shape& shape : linear_shapes({240, 12})) {
    const std::uint64_t cycles = choose_mapping(machine, shape, MappingMode::kSearch).plan->cost.cycles;
    fewest = std::min(fewest, cycles);
    most = std::max(most, cycles);
  }
  EXPECT_EQ(chosen, fewest);
  EXPECT_LT(chosen, most) << "the shapes differ, so there is something to choose";
}

TEST(Mapper, PredictsWithTheMemoryOfTheMachine) {
  MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const dla_shape shape = kVgg8[1];
  const PlannedMapping usual = Mapper(machine, MappingMode::kSearch).choose(shape).mapping.plan.value();
  machine.dram.pace = {1, 4};
  std::snprintf(machine.dram.name, sizeof machine.dram.name, "own");
  Mapper mapper(machine, MappingMode::kSearch);
  const ShapeChoice& choice = mapper.choose(shape);
  const PlannedMapping& slow = choice.mapping.plan.value();
  EXPECT_EQ(slow.cost.cycles, predict_layer(machine.geometry, choice.shape, slow.mapping, machine.dram).cycles);
  EXPECT_EQ(slow.cost.causes.total(), slow.cost.cycles);
  EXPECT_EQ(to_text(slow.mapping), to_text(usual.mapping)) << "the search does not know the memory";
  EXPECT_GT(slow.cost.cycles, usual.cost.cycles);
}

/// Of a fully connected layer, whatever the bounds leave out: every factoring mapped on its own.
TEST(Mapper, ChoosesSideBySideWhatItChoosesAlone) {
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const std::vector<dla_shape> shapes(std::begin(kVgg8), std::end(kVgg8));
  const std::vector<LinearLayer> linears = {{256, 128}, {240, 12}, {97, 5, true, true}, {65537, 3}, {128, 10}};
  Mapper together(machine, MappingMode::kSearch);
  together.prepare(shapes, linears);
  for (const dla_shape& shape : shapes) {
    EXPECT_EQ(to_text(together.choose(shape).mapping.plan->mapping),
              to_text(choose_mapping(machine.geometry, shape, MappingMode::kSearch).plan->mapping));
  }
  for (const LinearLayer& layer : linears) {
    const ShapeChoice all = fovea::choose_linear(
        layer, [&](const dla_shape& shape) { return choose_mapping(machine.geometry, shape, MappingMode::kSearch); });
    const ShapeChoice& chosen = together.choose_linear(layer);
    EXPECT_EQ(to_text(chosen.shape), to_text(all.shape));
    EXPECT_EQ(chosen.mapping.reason, all.mapping.reason);
    EXPECT_EQ(chosen.mapping.plan ? to_text(chosen.mapping.plan->mapping) : "",
              all.mapping.plan ? to_text(all.mapping.plan->mapping) : "");
  }
}

/// What is known is taken as it is, by the text that another mapper gives it; the rest is searched for.
TEST(Mapper, TakesWhatIsKnown) {
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const LinearLayer first{512, 10}, second{512, 10, true};
  Mapper searching(machine, MappingMode::kSearch);
  searching.prepare({kVgg8[0]}, {first});
  std::map<std::string, ShapeChoice> known;
  for (const auto& [asked, choice] : searching.chosen()) {
    known.emplace(asked, *choice).first->second.mapping.plan->cost.cycles = 7;
  }
  ASSERT_EQ(known.size(), 2u);

  Mapper knowing(machine, MappingMode::kSearch);
  std::set<std::string> asked;
  knowing.use_choices([&](const std::string& text) {
    asked.insert(text);
    const auto found = known.find(text);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  });
  EXPECT_EQ(knowing.choose(kVgg8[0]).mapping.plan->cost.cycles, 7u);
  EXPECT_EQ(knowing.choose_linear(first).mapping.plan->cost.cycles, 7u);
  EXPECT_GT(knowing.choose_linear(second).mapping.plan->cost.cycles, 7u) << "another layer, of another text";
  EXPECT_EQ(asked, (std::set{to_text(kVgg8[0]), to_text(first), to_text(second)}));
}

TEST(Mapper, TakesARecordBeforeWhatIsKnown) {
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const LinearLayer layer{512, 10};
  const ShapeChoice searched = Mapper(machine, MappingMode::kSearch).choose_linear(layer);
  const auto record = [&](const dla_shape& shape) {
    const bool is_it = to_text(shape) == to_text(searched.shape);
    return is_it ? std::optional(searched.mapping.plan->mapping) : std::nullopt;
  };
  Mapper mapper(machine, MappingMode::kSearch, {}, record);
  mapper.use_choices([&](const std::string&) { return std::optional(searched); });
  EXPECT_TRUE(mapper.choose_linear(layer).mapping.is_recorded);
  const ShapeChoice& other = mapper.choose_linear({512, 20});
  EXPECT_EQ(other.shape.M, 20u) << "what is known is of another layer";
  EXPECT_FALSE(other.mapping.is_recorded);
}

/// The first is the shape itself; the others see the same pixels, in the same order.
TEST(EqualShapes, AreOfConvolutionsThatSeeEachPixelAlone) {
  const dla_shape pixels{.C = 96, .H = 7, .W = 7, .M = 160, .R = 1, .S = 1, .U = 1, .V = 1};
  ASSERT_EQ(equal_shapes(pixels).size(), 2u);
  EXPECT_EQ(to_text(equal_shapes(pixels)[0]), to_text(pixels));
  EXPECT_EQ(equal_shapes(pixels)[1].H, 1u);
  EXPECT_EQ(equal_shapes(pixels)[1].W, 49u);
  const std::function<void(dla_shape&)> others[] = {
      [](dla_shape& s) { s.R = 3; },       [](dla_shape& s) { s.S = 2; },        [](dla_shape& s) { s.U = 2; },
      [](dla_shape& s) { s.V = 2; },       [](dla_shape& s) { s.pad_left = 1; }, [](dla_shape& s) { s.pad_bottom = 1; },
      [](dla_shape& s) { s.pool = true; }, [](dla_shape& s) { s.H = 1; },        [](dla_shape& s) { s.W = 37; }};
  for (const auto& make_other : others) {
    dla_shape shape = pixels;
    make_other(shape);
    EXPECT_EQ(equal_shapes(shape).size(), 1u) << to_text(shape);
  }
}

/// Pictures under each other: each window's pixels may have other rows.
TEST(EqualShapes, AreOfWindowsThatShareNoRow) {
  const dla_shape windows{.C = 256, .H = 16, .W = 4, .M = 10, .R = 4, .S = 4, .U = 4, .V = 1};
  const std::vector<dla_shape> shapes = equal_shapes(windows);
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(to_text(shapes[0]), to_text(windows));
  EXPECT_EQ(to_text(shapes[1]), to_text(dla_shape{.C = 256, .H = 8, .W = 8, .M = 10, .R = 2, .S = 8, .U = 2, .V = 1}));
  const std::function<void(dla_shape&)> others[] = {[](dla_shape& s) { s.U = 3; }, [](dla_shape& s) { s.W = 5; },
                                                    [](dla_shape& s) { s.pad_top = 1; },
                                                    [](dla_shape& s) { s.H = 15; }};
  for (const auto& make_other : others) {
    dla_shape shape = windows;
    make_other(shape);
    EXPECT_EQ(equal_shapes(shape).size(), 1u) << to_text(shape);
  }
}

/// Of filters by the pixel on 7 x 7 pixels, 16 columns of PEs are full only where these are one row.
TEST(Mapper, TakesTheBestOfEqualShapes) {
  const MachineFile machine = read_machine("sim/spec/machines/fovea_16x16.json");
  const dla_shape pixels{.C = 960, .H = 7, .W = 7, .M = 160, .R = 1, .S = 1, .U = 1, .V = 1, .scaled = true};
  const MappingChoice rows = choose_mapping(machine.geometry, pixels, MappingMode::kSearch);
  const MappingChoice row = choose_mapping(machine.geometry, equal_shapes(pixels)[1], MappingMode::kSearch);
  ASSERT_LT(row.plan->cost.cycles, rows.plan->cost.cycles * 95 / 100);
  Mapper mapper(machine, MappingMode::kSearch);
  EXPECT_EQ(mapper.choose(pixels).shape.H, 1u);
  EXPECT_EQ(to_text(mapper.choose(pixels).mapping.plan->mapping), to_text(row.plan->mapping));
  Mapper lab(machine, MappingMode::kLab);
  EXPECT_EQ(lab.choose(pixels).shape.H, 7u);
}

/// By bytes as by cycles: what wins is the first of all that there are.
TEST(Mapper, RanksEqualShapesByTheGoal) {
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const dla_shape pixels{.C = 64, .H = 14, .W = 14, .M = 48, .R = 1, .S = 1, .U = 1, .V = 1};
  for (const Objective objective : kObjectives) {
    Mapper mapper(machine, MappingMode::kSearch, Goal(objective, 0));
    const AccessEnergy costs = machine.access_energy();
    const ShapeChoice& chosen = mapper.choose(pixels);
    const auto rank = [&](const dla_shape& shape, const dla_mapping& mapping) {
      return Ranking{objective, 0}.rank(price_figures(machine.geometry, &costs, shape, mapping));
    };
    for (const dla_shape& shape : equal_shapes(pixels)) {
      const auto alone = choose_mapping(machine.geometry, shape, MappingMode::kSearch, Goal(objective, 0), costs);
      EXPECT_LE(rank(chosen.shape, chosen.mapping.plan->mapping), rank(shape, alone.plan->mapping));
    }
  }
}

TEST(ChooseLinear, NamesTheBindingLimit) {
  EXPECT_EQ(reason(65521, 3), "");
  EXPECT_EQ(reason(65537, 3),
            "65537 inputs; the accelerator takes products C * R * S with C up to 65535, R up to 11 and S up to 11");
  EXPECT_EQ(reason(8, 65536), "65536 outputs; the accelerator takes up to 65535");
  dla_machine machine = default_machine();
  machine.glb_bytes = machine.glb_bank_bytes;
  EXPECT_EQ(choose(machine, 64, 8).mapping.reason,
            "two filter chunks need 16 of the GLB's 2048 bytes, beside the ifmap")
      << "a bias and a padded weight, twice";
}

TEST(ChooseLinear, LeavesTheLabsLayersToTheCpu) {
  EXPECT_EQ(reason(256, 128, MappingMode::kLab), "the lab has no mapping for fully connected layers");
}

}  // namespace
}  // namespace fovea
