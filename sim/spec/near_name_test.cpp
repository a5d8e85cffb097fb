// SPDX-License-Identifier: Apache-2.0
/// \file
/// A slip of the fingers is understood, another word is not.
#include "near_name.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(NearName, IsWithinALetterInThree) {
  const std::vector<std::string> names = {"run", "report", "--machine", "--mapping"};
  EXPECT_EQ(did_you_mean("rnu", names), "; did you mean run?");
  EXPECT_EQ(did_you_mean("reprot", names), "; did you mean report?");
  EXPECT_EQ(did_you_mean("--machin", names), "; did you mean --machine?");
  EXPECT_EQ(did_you_mean("--trace", names), "");
  EXPECT_EQ(did_you_mean("x", {"y"}), "");
  EXPECT_EQ(did_you_mean("", {}), "");
}

TEST(NearName, IsTheOneThatBeginsSo) {
  const std::vector<std::string> names = {"pipelined", "eyeriss_6x8", "eyeriss_12x14"};
  EXPECT_EQ(did_you_mean("pip", names), "; did you mean pipelined?");
  EXPECT_EQ(did_you_mean("pi", names), "");
  EXPECT_EQ(did_you_mean("eyer", names), "");
}

}  // namespace
}  // namespace fovea
