// SPDX-License-Identifier: Apache-2.0
/// \file
/// The weight file: accepted whole, refused with its own reason for each kind of damage.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "dla_test_memory.h"

namespace {

constexpr uint32_t kModelKey = 0x12345678;

/// A weight file with payload "123456789", whose CRC-32 is the check value of the CRC catalogue.
std::string a_file() {
  std::string file = DLA_WEIGHTS_MAGIC;
  const uint32_t header[] = {DLA_WEIGHTS_VERSION, DLA_WEIGHTS_HEADER_BYTES, 9, 0xcbf43926, kModelKey};
  file.append(reinterpret_cast<const char*>(header), sizeof header);
  file.resize(DLA_WEIGHTS_HEADER_BYTES);
  return file + "123456789";
}

dla_model a_model() {
  dla_model model{};
  model.abi = DLA_MODEL_ABI;
  model.model_key = kModelKey;
  model.weights_bytes = 9;
  model.arena_bytes = 100;
  model.run = [](dla_runtime*, const float*, float*) { return kDlaOk; };
  return model;
}

class Weights : public HostRuntime {
 protected:
  dla_status_t load(const std::string& file) { return dla_runtime_load(&rt, &model, file.data(), file.size()); }
  std::string problem(const std::string& file) {
    EXPECT_EQ(load(file), kDlaBadWeights);
    const char* text = dla_weights_problem(&model, file.data(), file.size());
    return text == nullptr ? "" : text;
  }
  dla_model model = a_model();
};

TEST_F(Weights, GoToDeviceMemoryAndTheArenaIsReserved) {
  ASSERT_EQ(load(a_file()), kDlaOk);
  EXPECT_EQ(dla_weights_problem(&model, a_file().data(), a_file().size()), nullptr);
  EXPECT_EQ(rt.weights_bytes, 9u);
  EXPECT_EQ(rt.arena_bytes, 100u);
  EXPECT_EQ(std::memcmp(hal.mem_view(hal.ctx, rt.weights_addr, 9), "123456789", 9), 0);
  EXPECT_GE(rt.arena_addr, rt.weights_addr + 9);
  ASSERT_EQ(load(a_file()), kDlaOk) << "loading again starts afresh";
}

TEST_F(Weights, SayWhenTheyAreTruncated) {
  EXPECT_EQ(problem(""), "it is truncated: shorter than its header");
  EXPECT_EQ(problem(a_file().substr(0, 63)), "it is truncated: shorter than its header");
  EXPECT_EQ(problem(a_file().substr(0, 72)), "it is truncated: shorter than its header says");
  EXPECT_EQ(problem(a_file() + "x"), "it is longer than its header says");
}

TEST_F(Weights, SayWhenTheyAreNotTheModels) {
  EXPECT_EQ(problem(std::string(100, 'x')), "it is not a weight file of foveac");
  std::string newer = a_file();
  newer[8] = 2;
  EXPECT_EQ(problem(newer), "it has a version that this driver does not know");
  std::string foreign = a_file();
  foreign[24] = 1;
  EXPECT_EQ(problem(foreign), "it was made for another model, machine or mapping");
  model.weights_bytes = 8;
  EXPECT_EQ(problem(a_file()), "its size is not the one that the model was compiled with");
}

TEST_F(Weights, SayWhenAnyBitIsFlipped) {
  for (size_t bit = 0; bit < 9 * 8; ++bit) {
    std::string damaged = a_file();
    damaged[DLA_WEIGHTS_HEADER_BYTES + bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_EQ(problem(damaged), "it is damaged: its checksum is wrong") << "bit " << bit;
  }
}

TEST_F(Weights, StayOutWhereMemoryIsTooSmall) {
  model.arena_bytes = 1u << 20;
  EXPECT_EQ(load(a_file()), kDlaNoMemory);
  EXPECT_EQ(rt.arena_bytes, 0u) << "nothing may be used";
}

TEST_F(Weights, NeedAModelOfThisVersion) {
  model.abi = DLA_MODEL_ABI + 1;
  EXPECT_EQ(load(a_file()), kDlaBadArg);
  model = a_model();
  model.run = nullptr;
  EXPECT_EQ(load(a_file()), kDlaBadArg);
  model.run_ports = [](dla_runtime*, const float* const*, float* const*) { return kDlaOk; };
  EXPECT_EQ(load(a_file()), kDlaOk) << "its other form";
  EXPECT_EQ(dla_runtime_load(&rt, nullptr, "", 0), kDlaBadArg);
  EXPECT_EQ(dla_runtime_load(nullptr, &model, "", 0), kDlaBadArg);
}

}  // namespace
