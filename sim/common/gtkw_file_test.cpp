// SPDX-License-Identifier: Apache-2.0
/// \file
/// The GTKWave save file names the dump and each signal in GTKWave's own notation.
#include "gtkw_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace fovea {
namespace {

TEST(GtkwFile, ShowsBitsAsLinesAndWordsInHexadecimal) {
  const std::vector<WaveGroup> groups = {{"Interrupt", {{"TOP.irq_o"}}}, {"Read", {{"TOP.araddr_o", 32}}}};
  EXPECT_EQ(format_gtkw("/w/a.vcd", groups),
            "[dumpfile] \"/w/a.vcd\"\n"
            "[timestart] 0\n"
            "@200\n-Interrupt\n"
            "@28\nTOP.irq_o\n"
            "@200\n-Read\n"
            "@22\nTOP.araddr_o[31:0]\n");
}

TEST(GtkwFile, NamesAPathThatCannotBeWritten) {
  try {
    write_gtkw("/nowhere/a.vcd", {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("/nowhere/a.vcd.gtkw: cannot be written"));
  }
}

}  // namespace
}  // namespace fovea
