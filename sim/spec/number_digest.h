// SPDX-License-Identifier: Apache-2.0
/// \file
/// What stands for a row of numbers, in names and in records.
#pragma once

#include <cstdint>

namespace fovea {

/// FNV-1a, of numbers in place of bytes.
class NumberDigest {
 public:
  void add(std::uint32_t number) { value_ = (value_ ^ number) * 0x100000001b3u; }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace fovea
