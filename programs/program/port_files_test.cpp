// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files are found by the names of inputs and outputs, and what is no such text is refused in one line.
#include "port_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;

const std::vector<Port> kOne = {{"input", {3, 4, 4}}};
const std::vector<Port> kTwo = {{"left", {3, 4, 4}}, {"right", {2}}};

std::string refusal(const std::string& text, const std::vector<Port>& ports) {
  try {
    read_port_files("INPUT_RAW", text, ports);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(PortFiles, OfOnePortAreABareName) {
  EXPECT_THAT(read_port_files("INPUT_RAW", "x.f32", kOne), ElementsAre("x.f32"));
  EXPECT_THAT(read_port_files("INPUT_RAW", "with,comma.f32", kOne), ElementsAre("with,comma.f32"));
  EXPECT_THAT(read_port_files("INPUT_RAW", "a/b=c.f32", kOne), ElementsAre("a/b=c.f32"));
  EXPECT_THAT(read_port_files("INPUT_RAW", "input=x.f32", kOne), ElementsAre("x.f32"));
}

TEST(PortFiles, OfSeveralPortsComeInTheirOrder) {
  EXPECT_THAT(read_port_files("INPUT_RAW", "left=a.f32,right=b.f32", kTwo), ElementsAre("a.f32", "b.f32"));
  EXPECT_THAT(read_port_files("INPUT_RAW", "right=b.f32,left=a=b.f32", kTwo), ElementsAre("a=b.f32", "b.f32"));
}

TEST(PortFiles, TakeTheLongestName) {
  const std::vector<Port> ports = {{"x", {1}}, {"x=y", {1}}, {"/in/x:0", {1}}};
  EXPECT_THAT(read_port_files("INPUT_RAW", "x=y=2,x=1,/in/x:0=3", ports), ElementsAre("1", "2", "3"));
}

TEST(PortFiles, SayWhatIsWrong) {
  const std::string advice = "; give left=FILE,right=FILE";
  EXPECT_EQ(refusal("left=a.f32", kTwo), "INPUT_RAW: right is missing" + advice);
  EXPECT_EQ(refusal("a.f32", kTwo), "INPUT_RAW: a.f32 names none of the network's left, right" + advice);
  EXPECT_EQ(refusal("", kTwo), "INPUT_RAW:  names none of the network's left, right" + advice);
  EXPECT_EQ(refusal("left=a.f32,up=b.f32", kTwo),
            "INPUT_RAW: up=b.f32 names none of the network's left, right" + advice);
  EXPECT_EQ(refusal("left=a.f32,left=b.f32", kTwo), "INPUT_RAW: left is given twice" + advice);
  EXPECT_EQ(refusal("left=,right=b.f32", kTwo), "INPUT_RAW: left= names no file" + advice);
  EXPECT_EQ(refusal("x=a.f32", kOne), "INPUT_RAW: x=a.f32 names none of the network's input; give input=FILE or FILE");
}

TEST(PortFiles, OfOutputsAreDifferent) {
  EXPECT_NO_THROW(check_no_file_twice("OUTPUT_RAW", {"a", "b"}));
  try {
    check_no_file_twice("OUTPUT_RAW", {"a", "b", "a"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "OUTPUT_RAW: a is given for two outputs; give each a file of its own");
  }
}

TEST(PortFiles, WholeNumbersAreReadWhereFloat32HasThem) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "fovea_port_files.npy";
  const auto write = [&](int64_t number) {
    std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }";
    header.resize(118, ' ');
    std::ofstream(path, std::ios::binary) << "\x93NUMPY" << '\1' << '\0' << '\166' << '\0' << header
                                          << std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const auto read = [&] { return read_port(path, {"ids", {1}}, "the network"); };
  for (const int64_t number :
       {int64_t{-3}, int64_t{16777216}, int64_t{33554432}, std::numeric_limits<int64_t>::min()}) {
    write(number);
    EXPECT_THAT(read(), ElementsAre(static_cast<float>(number)));
  }
  for (const int64_t number : {int64_t{16777217}, int64_t{-33554433}, std::numeric_limits<int64_t>::max()}) {
    write(number);
    try {
      read();
      FAIL() << number;
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), path.string() + ": holds " + std::to_string(number) +
                                  ", which is rounded where inputs are float32; whole numbers up to 16777216 are not");
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace fovea
