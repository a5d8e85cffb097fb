// SPDX-License-Identifier: Apache-2.0
/// \file
/// The constants of a network in the lab's form: an array each, and one file that load_weight() reads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace fovea {

/// weight.c, weight.h and weight.bin. The file holds the constants in the order in which they were added and nothing
/// else, little endian. The device wants filters [M, C, R, S] with C zero-padded to a multiple of 4, and so they lie in
/// the file; compiled with CPU_ONLY, load_weight() leaves the zeros out.
class LabWeights {
 public:
  /// Adds an int8 or int32 constant. \return the name of its array.
  std::string add(const Tensor& constant);

  /// Arrays and `void load_weight(char* filename)`, which ends the program where the file is not this network's.
  std::string c_text() const;
  std::string header_text() const;
  std::span<const std::byte> file() const { return file_; }

 private:
  struct Entry {
    std::string name, type;
    int64_t elements = 0;        ///< In the file.
    std::size_t bytes = 0;       ///< In the file.
    int64_t filters = 0;         ///< M where the constant is padded, else 0;
    std::size_t kept_bytes = 0;  ///< of each, those that are weights,
    std::size_t zero_bytes = 0;  ///< and those that are not.
  };

  std::vector<Entry> entries_;
  std::vector<std::byte> file_;
};

}  // namespace fovea
