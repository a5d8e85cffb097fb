// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program in C is told, and that it has a device.
#include "dla_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "spec/dla_regs.h"

namespace {

using testing::StartsWith;

std::string refusal(const char* name, const dla_backend_options& options) {
  std::array<char, 200> message{};
  dla_backend_t* backend = dla_backend_open(name, &options, message.data(), message.size());
  EXPECT_EQ(backend, nullptr);
  dla_backend_close(backend, nullptr, 0);
  return message.data();
}

TEST(DlaBackend, CarriesTheDevice) {
  dla_backend_options options{};
  options.version = DLA_BACKEND_VERSION;
  options.memory_bytes = 1u << 20;
  std::array<char, 200> message{};
  dla_backend_t* backend = dla_backend_open("systemc", &options, message.data(), message.size());
  ASSERT_NE(backend, nullptr) << message.data();
  const dla_hal_t* hal = dla_backend_hal(backend);
  uint32_t id = 0;
  EXPECT_EQ(hal->read32(hal->ctx, DLA_ID_REG, &id), kDlaOk);
  EXPECT_EQ(id, DLA_ID_RESET);
  EXPECT_GT(dla_backend_cycles(backend), 0u);
  EXPECT_EQ(dla_backend_close(backend, nullptr, 0), 0);
}

TEST(DlaBackend, SaysWhatItCannotOpen) {
  dla_backend_options options{};
  options.version = DLA_BACKEND_VERSION;
  EXPECT_THAT(refusal("fpga", options), StartsWith("no backend 'fpga'; known: systemc, rtl"));
  EXPECT_THAT(refusal(nullptr, options), StartsWith("dla_backend_open: no name"));
  options.machine = "no_machine";
  EXPECT_THAT(refusal("systemc", options), StartsWith("no_machine"));
}

TEST(DlaBackend, RefusesAProgramOfAnotherVersion) {
  dla_backend_options options{};
  options.version = 99;
  EXPECT_EQ(refusal("systemc", options), "this program is of version 99 of the backends, and Fovea here of version " +
                                             std::to_string(DLA_BACKEND_VERSION) + "; compile it again");
}

TEST(DlaBackend, CutsTheMessage) {
  dla_backend_options options{};
  std::array<char, 8> message{};
  EXPECT_EQ(dla_backend_open("systemc", &options, message.data(), message.size()), nullptr);
  EXPECT_STREQ(message.data(), "this pr");
}

}  // namespace
