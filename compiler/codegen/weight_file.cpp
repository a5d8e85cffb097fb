// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes of weight.bin, little endian.
#include "weight_file.h"

#include <algorithm>
#include <string_view>

#include "ir/checksum.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic = "FOVEAW01";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kHeaderBytes = 64;

void put_u32(std::vector<std::byte>& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<std::byte>(value >> shift));
  }
}

}  // namespace

std::uint32_t WeightFile::add(std::string name, std::span<const std::byte> bytes) {
  const std::size_t offset = payload_.size();
  if (offset + bytes.size() + alignment_ + kHeaderBytes > UINT32_MAX) {
    user_error(name + ": the network's weights don't fit the device's 32-bit memory");
  }
  entries_.push_back({std::move(name), offset, bytes.size()});
  payload_.insert(payload_.end(), bytes.begin(), bytes.end());
  payload_.resize((payload_.size() + alignment_ - 1) / alignment_ * alignment_);
  return static_cast<std::uint32_t>(offset);
}

std::vector<std::byte> WeightFile::encode(std::uint32_t model_key) const {
  std::vector<std::byte> file;
  file.reserve(kHeaderBytes + payload_.size());
  for (const char letter : kMagic) {
    file.push_back(static_cast<std::byte>(letter));
  }
  for (const std::uint32_t word :
       {kVersion, kHeaderBytes, static_cast<std::uint32_t>(payload_.size()), checksum(payload_), model_key}) {
    put_u32(file, word);
  }
  file.resize(kHeaderBytes);
  file.insert(file.end(), payload_.begin(), payload_.end());
  return file;
}

}  // namespace fovea
