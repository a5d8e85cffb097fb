// SPDX-License-Identifier: Apache-2.0
/// \file
/// .npy files are read as numpy writes them, and refused in one line where they can't be.
#include "npy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "tensor/error.h"

namespace fovea {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class NpyFile : public testing::Test {
 protected:
  ~NpyFile() override { std::filesystem::remove(path_); }

  /// A file of numpy.lib.format, its header padded to 64 bytes as numpy pads it.
  void write(const std::string& dictionary, const std::string& data, char version = 1) const {
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    std::string header = dictionary;
    header.resize((8 + length_bytes + header.size() + 64) / 64 * 64 - 8 - length_bytes, ' ');
    header.back() = '\n';
    std::string file = "\x93NUMPY";
    file += {version, '\0'};
    for (std::size_t i = 0; i < length_bytes; ++i) {
      file += static_cast<char>(header.size() >> (8 * i));
    }
    std::ofstream(path_, std::ios::binary) << file << header << data;
  }

  std::string refusal() const {
    try {
      read_npy(path_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) / "fovea_npy_file.npy";
};

TEST_F(NpyFile, IsReadInEachVersion) {
  const float numbers[6] = {1, 2, 3, -4, 5, 0.5f};
  const std::string data(reinterpret_cast<const char*>(numbers), sizeof numbers);
  for (const char version : {1, 2, 3}) {
    write("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data, version);
    EXPECT_EQ(read_npy(path_), Tensor::of<float>({2, 3}, {1, 2, 3, -4, 5, 0.5f}));
  }
  write("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", std::string("\0\1\2\xff", 4));
  EXPECT_EQ(read_npy(path_), Tensor::of<uint8_t>({4}, {0, 1, 2, 255}));
  write("{'descr': '|i1', 'fortran_order': False, 'shape': (), }", "\xff");
  EXPECT_EQ(read_npy(path_), Tensor::of<int8_t>({}, {-1}));
}

TEST_F(NpyFile, Float64BecomesTheNearestFloat32) {
  const double numbers[3] = {0.1, -1e300, 16777217};
  write("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        std::string(reinterpret_cast<const char*>(numbers), sizeof numbers));
  EXPECT_EQ(read_npy(path_), Tensor::of<float>({3}, {0.1f, -std::numeric_limits<float>::max(), 16777216}));
}

TEST_F(NpyFile, IsRefusedInOneLine) {
  EXPECT_THAT(refusal(), EndsWith(": no such file"));
  std::ofstream(path_) << "no such thing at all";
  EXPECT_THAT(refusal(), EndsWith("no .npy file; numpy.save writes one"));
  const std::string shape = "'shape': (2, 2), }";
  write("{'descr': '|u1', 'fortran_order': False, " + shape, "abc");
  EXPECT_THAT(refusal(), EndsWith("truncated: 3 bytes behind its header, not 4"));
  write("{'descr': '|u1', 'fortran_order': False, " + shape, "abcde");
  EXPECT_THAT(refusal(), EndsWith("too long: 5 bytes behind its header, not 4"));
  write("{'descr': '|u1', 'fortran_order': True, " + shape, "abcd");
  EXPECT_THAT(refusal(), EndsWith("in Fortran order; save numpy.ascontiguousarray(x)"));
  write("{'descr': '>f4', 'fortran_order': False, " + shape, std::string(16, '\0'));
  EXPECT_THAT(refusal(), HasSubstr("elements of dtype '>f4'; bool, uint8, int8, int32, int64, float32 and float64"));
  write("{'descr': '<f2', 'fortran_order': False, " + shape, std::string(8, '\0'));
  EXPECT_THAT(refusal(), HasSubstr("dtype '<f2'"));
  write("{'descr': '<f8', 'fortran_order': False, " + shape, std::string(16, '\0'));
  EXPECT_THAT(refusal(), EndsWith("truncated: 16 bytes behind its header, not 32"));
  write("{'descr': '|u1', 'fortran_order': False, }", "abcd");
  EXPECT_THAT(refusal(), HasSubstr("its header does not say shape"));
  write("{'descr': '|u1', 'fortran_order': False, " + shape, "abcd", 4);
  EXPECT_THAT(refusal(), HasSubstr("version 4 of .npy"));
  std::filesystem::resize_file(path_, 11);
  EXPECT_THAT(refusal(), HasSubstr("no .npy file"));
  write("{'descr': '|u1', 'fortran_order': False, " + shape, "");
  std::filesystem::resize_file(path_, 40);
  EXPECT_THAT(refusal(), EndsWith("truncated: it ends within its header"));
}

}  // namespace
}  // namespace fovea
