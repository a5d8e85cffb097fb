// SPDX-License-Identifier: Apache-2.0
/// \file
/// For tests: a runtime over host memory with an arena, weights, and an observer that keeps what it is shown.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "dla_runtime.h"
#include "hal/dla_host_memory.h"

/// A tensor that a call has shown.
struct ShownTensor {
  std::string name, type;
  std::vector<uint32_t> shape;
  std::vector<uint8_t> bytes;
};

/// A runtime without a device, whose arena and weights are plain arrays.
class HostRuntime : public testing::Test {
 protected:
  static constexpr uint32_t kArenaBytes = 8192, kWeightsBytes = 65536;

  void SetUp() override {
    ASSERT_EQ(dla_host_memory_open(&space_, memory_.data(), memory_.size(), &hal), kDlaOk);
    ASSERT_EQ(dla_runtime_open(&rt, &hal), kDlaOk);
    ASSERT_EQ(hal.mem_alloc(hal.ctx, kArenaBytes, 64, &rt.arena_addr), kDlaOk);
    ASSERT_EQ(hal.mem_alloc(hal.ctx, kWeightsBytes, 64, &rt.weights_addr), kDlaOk);
    rt.arena_bytes = kArenaBytes;
    rt.weights_bytes = kWeightsBytes;
    rt.observer.ctx = this;
    rt.observer.on_tensor = [](void* ctx, const dla_tensor* t) {
      const auto* data = static_cast<const uint8_t*>(t->data);
      static_cast<HostRuntime*>(ctx)->shown.push_back(
          {t->name, t->type, {t->shape, t->shape + t->rank}, {data, data + t->bytes}});
    };
  }

  uint8_t* arena(uint32_t offset = 0) { return memory_.data() + offset; }
  uint8_t* weights(uint32_t offset = 0) { return memory_.data() + kArenaBytes + offset; }

  /// Copies values of any type to a place in arena or weights.
  template <class T>
  void put(uint8_t* place, const std::vector<T>& values) {
    std::memcpy(place, values.data(), values.size() * sizeof(T));
  }

  /// `count` bytes at a place.
  static std::vector<uint8_t> get(const uint8_t* place, size_t count) { return {place, place + count}; }

  dla_hal_t hal{};
  dla_runtime rt{};
  std::vector<ShownTensor> shown;

 private:
  alignas(DLA_HOST_MEMORY_ALIGN) std::array<uint8_t, kArenaBytes + kWeightsBytes> memory_{};
  dla_host_memory space_{};
};
