// SPDX-License-Identifier: Apache-2.0
/// \file
/// C functions of the user's: what they are handed, where their outputs are, and what an error of theirs becomes.
#include <gmock/gmock.h>

#include "dla_test_memory.h"

namespace {

using testing::ElementsAre;

/// Adds the inputs and the attribute "k" to the second output; the first one is left out.
int add_up(const dla_extern_call* call) {
  if (call->input_count != 3 || call->inputs[1].data != nullptr || call->outputs[0].data != nullptr) {
    return 7;
  }
  for (uint64_t i = 0; i < call->outputs[1].elements; ++i) {
    static_cast<uint8_t*>(call->outputs[1].data)[i] =
        static_cast<uint8_t>(static_cast<const uint8_t*>(call->inputs[0].data)[i] +
                             static_cast<const uint8_t*>(call->inputs[2].data)[i] + dla_extern_int(call, "k", 0));
  }
  return static_cast<int>(dla_extern_int(call, "code", 0));
}

class ExternCall : public HostRuntime {
 protected:
  void SetUp() override {
    HostRuntime::SetUp();
    put<uint8_t>(arena(16), {1, 2, 3});
    put<uint8_t>(weights(32), {10, 20, 30});
    put<uint8_t>(arena(64), std::vector<uint8_t>(19, 99));
    args.run = add_up;
    args.inputs = inputs;
    args.outputs = outputs;
    args.places = places;
    args.offsets = offsets;
    args.attributes = attributes;
  }

  const int64_t dims[2] = {1, 3}, five[1] = {5};
  dla_extern_tensor inputs[3] = {{nullptr, kDlaUint8, 2, dims, 3}, {}, {nullptr, kDlaUint8, 2, dims, 3}};
  dla_extern_tensor outputs[2] = {{}, {nullptr, kDlaUint8, 2, dims, 3}};
  dla_nest_input places[2] = {{.x_host = nullptr, .x = 16, .is_constant = false, .bytes = 3},
                              {.x_host = nullptr, .x = 32, .is_constant = true, .bytes = 3}};
  const uint32_t offsets[2] = {0, 16};
  dla_extern_attribute attributes[1] = {{"k", 1, five, nullptr, nullptr}};
  struct dla_extern_cpu args {
    .name = "sums", .run = nullptr, .op = "mine.Sums", .node = "/net/sums", .inputs = nullptr, .input_count = 3,
    .places = nullptr, .place_count = 2, .outputs = nullptr, .output_count = 2, .offsets = nullptr,
    .attributes = nullptr, .attribute_count = 1, .y_host = nullptr, .y = 64, .type = "uint8", .element_bytes = 1,
    .rank = 1, .shape = {
      19
    }
  };
};

TEST_F(ExternCall, IsHandedTensorsAndAttributes) {
  EXPECT_EQ(dla_extern_cpu(&rt, &args), kDlaOk);
  EXPECT_THAT(get(arena(80), 3), ElementsAre(16, 27, 38));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].bytes.size(), 19u);
  EXPECT_EQ(shown[0].bytes[0], 0) << "what no output is is 0";
}

TEST_F(ExternCall, EndsTheRunWithItsCode) {
  attributes[0].name = "code";
  EXPECT_EQ(dla_extern_cpu(&rt, &args), kDlaExternFailed);
  EXPECT_STREQ(rt.failed_op, "mine.Sums");
  EXPECT_STREQ(rt.failed_node, "/net/sums");
  EXPECT_EQ(rt.failed_code, 5);
  EXPECT_TRUE(shown.empty());
}

TEST_F(ExternCall, RefusesTensorsThatAreNowhere) {
  args.place_count = 1;
  EXPECT_EQ(dla_extern_cpu(&rt, &args), kDlaBadArg);
  args.place_count = 2;
  places[0].x = kArenaBytes - 2;
  EXPECT_EQ(dla_extern_cpu(&rt, &args), kDlaBadArg);
  places[0].x = 16;
  args.y = kArenaBytes - 18;
  EXPECT_EQ(dla_extern_cpu(&rt, &args), kDlaBadArg);
  args.y = 64;
  args.run = nullptr;
  EXPECT_EQ(dla_extern_cpu(&rt, &args), kDlaBadArg);
}

}  // namespace
