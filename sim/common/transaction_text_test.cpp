// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do transactions come out as text that two runs can be compared by, and only those of the layer asked for?
#include "transaction_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace fovea {
namespace {

using Kind = TransactionKind;

class TransactionTexts : public testing::Test {
 protected:
  ~TransactionTexts() override { std::filesystem::remove(path); }

  /// Writes two layers, "a" from cycle 0 and "b" from cycle 200.
  std::string write(const std::string& layer) const {
    TransactionTextFile file({path, layer});
    file.take_layer(0, "a");
    file.take({5, Kind::kRegisterWrite, 0x14, 1});
    file.take({5, Kind::kLayerStart});
    file.take({100, Kind::kReadRequest, 0x80000000, 16});
    file.take({135, Kind::kReadEnd, 0x80000000});
    file.take_layer(200, "b");
    file.take({210, Kind::kPassStart, 3});
    file.take({230, Kind::kInterrupt});
    file.finish(231);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "transaction_text_test.txt";
};

TEST_F(TransactionTexts, HasALineAnEvent) {
  EXPECT_EQ(write(""),
            "         0  layer   a\n"
            "         5  regs    write   0x00000014  1\n"
            "         5  ctrl    start\n"
            "       100  load    read    0x80000000  16\n"
            "       135  load    end     0x80000000\n"
            "       200  layer   b\n"
            "       210  array   start   3\n"
            "       230  irq     high\n");
}

TEST_F(TransactionTexts, CountsTheCyclesOfALayerFromItsBegin) {
  EXPECT_EQ(write("b"),
            "         0  layer   b\n"
            "        10  array   start   3\n"
            "        30  irq     high\n");
}

TEST_F(TransactionTexts, NamesTheLayersThatThereAre) {
  try {
    write("c");
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "c: no layer of that name runs on the device; choose a, b");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace fovea
