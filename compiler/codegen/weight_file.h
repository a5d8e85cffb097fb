// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects a network's constants and makes weight.bin of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// A named run of bytes in the payload.
struct WeightEntry {
  std::string name;  ///< A C identifier: "conv1_filter".
  std::uint64_t offset = 0, bytes = 0;
};

/// The payload, in the order in which entries were added, each at a multiple of the alignment.
class WeightFile {
 public:
  explicit WeightFile(std::size_t alignment = 16) : alignment_(alignment) {}

  /// Adds a constant. \return its offset.
  std::uint32_t add(std::string name, std::span<const std::byte> bytes);

  const std::vector<WeightEntry>& entries() const { return entries_; }
  std::span<const std::byte> payload() const { return payload_; }

  /// The whole file: 64 bytes of header (driver/runtime/dla_runtime.h has its layout), then the payload.
  std::vector<std::byte> encode(std::uint32_t model_key) const;

 private:
  std::size_t alignment_;
  std::vector<WeightEntry> entries_;
  std::vector<std::byte> payload_;
};

}  // namespace fovea
