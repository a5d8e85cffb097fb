// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the printed nest: every product of the layer is visited exactly once, on a PE that exists.
#include "loop_nest.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "mapping_space.h"
#include "spec/drawn_layers.h"

namespace fovea {
namespace {

struct Loop {
  char dimension;
  unsigned step, trips;
  bool is_parallel;
  int shared;  ///< Elements of a piece that the next has too; below 0: left out between them.
};

struct Range {
  unsigned first, count;
};

int shared_in(const std::string& line) {
  std::smatch match;
  if (!std::regex_search(line, match, std::regex(R"(, (\d) (shared|left out)\))"))) {
    return 0;
  }
  return match[2] == "shared" ? std::stoi(match[1]) : -std::stoi(match[1]);
}

std::vector<Loop> parse_loops(const std::string& text) {
  const std::regex form(R"( *(parallel-)?for ([A-Z]) by (\d+): (\d+) x \(.*\))");
  std::vector<Loop> loops;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, form)) {
      loops.push_back({match[2].str()[0], static_cast<unsigned>(std::stoul(match[3])),
                       static_cast<unsigned>(std::stoul(match[4])), match[1].matched, shared_in(line)});
    }
  }
  return loops;
}

/// Runs loop `index` and those below it, and calls visit at the innermost.
template <typename Visit>
void run(const std::vector<Loop>& loops, std::size_t index, std::map<char, Range>& ranges, const Visit& visit) {
  if (index == loops.size()) {
    visit();
    return;
  }
  const Loop& loop = loops[index];
  const Range whole = ranges.at(loop.dimension);
  unsigned trips = 0;
  const auto shared = static_cast<unsigned>(loop.shared);
  for_tiles(whole.count - shared, loop.step - shared, [&](unsigned at, unsigned count) {
    ranges[loop.dimension] = {whole.first + at, count + shared};
    run(loops, index + 1, ranges, visit);
    ++trips;
  });
  ASSERT_LE(trips, loop.trips);
  ranges[loop.dimension] = whole;
}

TEST(LoopNest, VisitsEveryProductAsOftenAsStripsShareIt) {
  int checked = 0;
  for (const Drawn& d : draw_legal(51, 1000)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    const dla_shape& s = d.shape;
    const unsigned groups = dla_groups(&s);
    const std::uint64_t macs = std::uint64_t{groups} * s.M * s.C * s.R * s.S * passes.E * passes.F;
    if (macs > 100'000 || d.mapping.m > most_filters(d.machine, s, d.mapping)) {
      continue;
    }
    ++checked;
    const std::vector<Loop> loops = parse_loops(print_nest(d.machine, s, d.mapping));
    std::map<char, Range> at = {{'G', {0, groups}}, {'M', {0, s.M}},      {'C', {0, s.C}},     {'R', {0, s.R}},
                                {'S', {0, s.S}},    {'E', {0, passes.E}}, {'F', {0, passes.F}}};
    std::vector<std::uint8_t> visits(macs);
    run(loops, 0, at, [&] {
      std::uint64_t place = 0;
      for (const auto& [dimension, extent] :
           {std::pair('G', groups), {'M', s.M}, {'C', s.C}, {'R', s.R}, {'S', s.S}, {'E', passes.E}, {'F', passes.F}}) {
        ASSERT_EQ(at[dimension].count, 1u) << dimension << " is not cut down to single elements";
        place = place * extent + at[dimension].first;
      }
      ++visits.at(place);
    });
    // As often as strips have the row.
    std::vector<unsigned> strips(passes.E);
    for_row_tiles(s, passes.E, d.mapping.e_glb, [&](unsigned tile, unsigned rows) {
      for_row_tiles(s, rows, d.mapping.e, [&](unsigned strip, unsigned e) {
        for (unsigned row = 0; row < e; ++row) {
          ++strips[tile + strip + row];
        }
      });
    });
    for (std::size_t i = 0; i < visits.size(); ++i) {
      ASSERT_EQ(visits[i], strips[i / passes.F % passes.E]);
    }
    ASSERT_TRUE(s.pool || std::all_of(strips.begin(), strips.end(), [](unsigned n) { return n == 1; }));
    std::uint64_t pes = 1;
    for (const Loop& loop : loops) {
      pes *= loop.is_parallel ? loop.trips : 1;
    }
    ASSERT_LE(pes, d.machine.rows * d.machine.cols);
  }
  EXPECT_GT(checked, 50);
}

TEST(LoopNest, ReadsLikeTheLoopsOfTheMachine) {
  const dla_machine machine = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
  const dla_shape conv2 = {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, true};
  const dla_mapping mapping = {40, 1, 8, 4, 4, 2, 1, 16, true, 8, kDlaLoopOrderRowsFiltersChannels};
  EXPECT_EQ(print_nest(machine, conv2, mapping), R"(DRAM: ifmap, 16384 B
DRAM: filters and biases, 111360 B
DRAM: ofmap, 12288 B
for E by 16: 1 x (e_glb)
  GLB: ifmap, all channels of the rows, 16640 B
  for M by 40: 5 x (m)
    GLB: psums, 40960 B
    for C by 8: 8 x (q*r)
      for R by 3: 1 x (folds)
        for M by 4: 10 x (p*t)
          GLB: 8 filter chunks, 2432 B
          spad: filters, of each PE, 48 B
          for E by 8: 2 x (strips)
            GLB: two output tiles, 256 B
            for F by 1: 16 x (columns)
              spad: ifmap window, of each PE, 12 B
              parallel-for M by 4: 1 x (t)
                parallel-for C by 4: 2 x (r)
                  parallel-for R by 1: 3 x (PE rows)
                    parallel-for E by 1: 8 x (PE columns, e)
                      for M by 1: 4 x (p)
                        register: psum, of each PE, 4 B
                        for C by 1: 4 x (q)
                          for S by 1: 3 x (products)
                            psum += ifmap * filter
)");
}

}  // namespace
}  // namespace fovea
