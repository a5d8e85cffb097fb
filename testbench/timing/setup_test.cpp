// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is a wrong command refused in the cycle of the verdict, whatever is wrong: interrupt in cycle k, not k - 1?
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "bench/small_layer.h"

namespace fovea {
namespace {

/// A mistake in the small layer.
struct Mistake {
  const char* name;
  std::function<void(dla_layer&, const dla_machine&)> make;
};

using L = dla_layer;
using M = dla_machine;

const Mistake kMistakes[] = {
    {"no channel", [](L& l, const M&) { l.shape.C = 0; }},
    {"e of 0", [](L& l, const M&) { l.mapping.e = 0; }},
    {"q * S above the spad", [](L& l, const M& m) { l.mapping.q = m.ifmap_spad_bytes / 3 + 1; }},
    {"p * q * S above the spad", [](L& l, const M& m) { l.mapping.p = m.filter_spad_bytes / 12 + 1; }},
    {"r sets above the rows", [](L& l, const M& m) { l.mapping.r = m.rows / 3 + 1; }},
    {"t sets above the array", [](L& l, const M& m) { l.mapping.t = m.rows / 3 * (m.cols / 4) + 1; }},
    {"ifmap region too small", [](L& l, const M& m) { l.glb.ifmap.size_bytes -= 4 * m.glb_bank_bytes; }},
    {"filter region too small", [](L& l, const M& m) { l.glb.filter.size_bytes -= m.glb_bank_bytes; }},
    {"psum region too small", [](L& l, const M&) { l.glb.psum.size_bytes = 0; }},
    {"output region too small", [](L& l, const M&) { l.glb.out.size_bytes = 0; }},
    {"filters not on a word", [](L& l, const M&) { l.filter_addr += 1; }},
    {"ofmap wraps", [](L& l, const M&) { l.ofmap_addr = 0xffffffff; }},
    {"ifmap wraps", [](L& l, const M&) { l.ifmap_addr = 0xffffffff; }},
};

class SetupTiming : public testing::TestWithParam<Scenario> {
 protected:
  DeviceBench bench{GetParam()};
};

TEST_P(SetupTiming, RefusesInTheCycleOfTheVerdict) {
  // START is accepted in the first of its access's three cycles.
  constexpr uint32_t kAccessed = 2, kCycles = 29 * 3 + 4;
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.name);
    LayerCase test = small_layer(bench.machine());
    bench.place(test);
    mistake.make(test.layer, bench.machine());
    ASSERT_EQ(dla_write_layer(&bench.hal(), &bench.machine(), &test.layer), kDlaOk);
    ASSERT_EQ(dla_start(&bench.hal()), kDlaOk);
    EXPECT_EQ(dla_wait(&bench.hal(), kCycles - kAccessed - 1), kDlaTimeout);
    EXPECT_EQ(dla_wait(&bench.hal(), 1), kDlaOk);
    EXPECT_EQ(bench.read(DLA_COUNT_CYCLES_REG), kCycles);
    EXPECT_EQ(dla_ack_irq(&bench.hal()), kDlaOk);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SetupTiming, testing::ValuesIn(all_scenarios()),
                         [](const auto& scenario) { return name_of(scenario.param); });

}  // namespace
}  // namespace fovea
