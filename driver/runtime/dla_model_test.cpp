// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network's inputs, outputs and run, in both of its forms.
#include <gmock/gmock.h>

#include "dla_runtime.h"

namespace {

using testing::ElementsAre;

dla_model one_of_each() {
  dla_model model{};
  model.input_rank = 3;
  model.output_rank = 1;
  model.input_shape[0] = 3, model.input_shape[1] = 4, model.input_shape[2] = 5;
  model.output_shape[0] = 10;
  model.run = [](dla_runtime*, const float* input, float* output) {
    *output = *input + 1;
    return kDlaOk;
  };
  return model;
}

const dla_port kInputs[] = {{.name = "left", .rank = 1, .shape = {1}}, {.name = "right", .rank = 2, .shape = {1, 1}}};
const dla_port kOutputs[] = {{.name = "sum", .rank = 1, .shape = {1}},
                             {.name = "difference", .rank = 1, .shape = {1}},
                             {.name = "product", .rank = 1, .shape = {1}}};

dla_model several() {
  dla_model model{};
  model.inputs = kInputs;
  model.input_count = 2;
  model.outputs = kOutputs;
  model.output_count = 3;
  model.run_ports = [](dla_runtime* rt, const float* const* inputs, float* const* outputs) {
    *outputs[0] = *inputs[0] + *inputs[1];
    *outputs[1] = *inputs[0] - *inputs[1];
    *outputs[2] = *inputs[0] * *inputs[1];
    return rt == nullptr ? kDlaOk : kDlaBadArg;
  };
  return model;
}

TEST(Model, WithOneInputAndOutputGivesThemNames) {
  const dla_model model = one_of_each();
  ASSERT_EQ(dla_model_input_count(&model), 1u);
  ASSERT_EQ(dla_model_output_count(&model), 1u);
  const dla_port input = dla_model_input(&model, 0), output = dla_model_output(&model, 0);
  EXPECT_STREQ(input.name, "input");
  EXPECT_EQ(input.rank, 3u);
  EXPECT_THAT(input.shape, ElementsAre(3, 4, 5, 0, 0, 0, 0, 0));
  EXPECT_STREQ(output.name, "output");
  EXPECT_EQ(output.rank, 1u);
  EXPECT_EQ(output.shape[0], 10u);
}

TEST(Model, WithSeveralHasThoseOfItsTables) {
  const dla_model model = several();
  ASSERT_EQ(dla_model_input_count(&model), 2u);
  ASSERT_EQ(dla_model_output_count(&model), 3u);
  EXPECT_STREQ(dla_model_input(&model, 1).name, "right");
  EXPECT_EQ(dla_model_input(&model, 1).rank, 2u);
  EXPECT_STREQ(dla_model_output(&model, 2).name, "product");
}

TEST(Model, RunsInEitherForm) {
  const float five = 5, three = 3;
  const float* inputs[] = {&five, &three};
  float results[3] = {};
  float* outputs[] = {&results[0], &results[1], &results[2]};
  dla_model model = one_of_each();
  EXPECT_EQ(dla_model_run(&model, nullptr, inputs, outputs), kDlaOk);
  EXPECT_THAT(results, ElementsAre(6, 0, 0));
  model = several();
  EXPECT_EQ(dla_model_run(&model, nullptr, inputs, outputs), kDlaOk);
  EXPECT_THAT(results, ElementsAre(8, 2, 15));
  dla_runtime rt{};
  EXPECT_EQ(dla_model_run(&model, &rt, inputs, outputs), kDlaBadArg) << "its status comes back";
}

}  // namespace
