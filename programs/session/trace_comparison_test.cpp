// SPDX-License-Identifier: Apache-2.0
/// \file
/// compare_traces says how long equal traces are, and where different ones part.
#include "trace_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "files/scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kTrace =
    "         0  layer   conv1\n"
    "        51  ctrl    start\n"
    "       100  load    read    0x80000000  16\n"
    "       110  array   start   0\n"
    "       120  array   start   1\n"
    "       130  array   start   2\n"
    "       140  ctrl    end     0\n"
    "       143  irq     high\n";

class TracesTest : public testing::Test {
 protected:
  TraceComparison compare(const std::string& a, const std::string& b) const {
    std::ofstream(traces_[0]) << a;
    std::ofstream(traces_[1]) << b;
    return compare_traces(traces_);
  }

  std::string printed(const TraceComparison& comparison) const {
    std::ostringstream text;
    print_traces(text, {"a.txt", "b.txt"}, comparison);
    return text.str();
  }

  const ScratchFolder folder_;
  const Traces traces_{folder_ / "a.txt", folder_ / "b.txt"};
};

TEST_F(TracesTest, EqualOnesAreAsLongAsTheirLayers) {
  EXPECT_EQ(printed(compare(kTrace, kTrace)), "equal: 8 events, 89 cycles\n");
  const std::string twice = std::string(kTrace) + kTrace;
  EXPECT_EQ(printed(compare(twice, twice)), "equal: 16 events, 178 cycles\n");
}

TEST_F(TracesTest, ADifferenceIsShownBehindWhatWasBeforeIt) {
  std::string late = kTrace;
  late.replace(late.find("120  array"), 3, "121");
  const TraceComparison comparison = compare(kTrace, late);
  EXPECT_FALSE(comparison.are_equal);
  EXPECT_EQ(printed(comparison),
            "they part after 4 equal events; - is a.txt, + is b.txt\n"
            "           0  layer   conv1\n"
            "          51  ctrl    start\n"
            "         100  load    read    0x80000000  16\n"
            "         110  array   start   0\n"
            "-        120  array   start   1\n"
            "-        130  array   start   2\n"
            "-        140  ctrl    end     0\n"
            "-        143  irq     high\n"
            "+        121  array   start   1\n"
            "+        130  array   start   2\n"
            "+        140  ctrl    end     0\n"
            "+        143  irq     high\n");
  std::ostringstream text;
  print_traces_json(text, traces_, comparison);
  const nlohmann::json json = nlohmann::json::parse(text.str());
  EXPECT_EQ(json["are_equal"], false);
  EXPECT_EQ(json["equal_events"], 4);
  EXPECT_EQ(json["traces"][1]["file"], traces_[1].string());
  EXPECT_EQ(json["traces"][1]["rest"][0], "       121  array   start   1");
}

TEST_F(TracesTest, FiveEventsAreShownOfMany) {
  std::string many, other;
  for (int i = 0; i < 40; ++i) {
    many += std::to_string(i) + "  array   start   0\n";
    other += std::to_string(i < 20 ? i : i + 1) + "  array   start   0\n";
  }
  const TraceComparison comparison = compare(many, other);
  EXPECT_EQ(comparison.events, 20u);
  ASSERT_EQ(comparison.before.size(), 5u);
  EXPECT_EQ(comparison.before.back(), "19  array   start   0");
  EXPECT_EQ(comparison.rest[0].size(), 5u);
  EXPECT_EQ(comparison.rest[1].size(), 5u);
}

TEST_F(TracesTest, OneThatEndsEarlyDiffers) {
  const std::string whole = kTrace;
  const TraceComparison comparison = compare(whole, whole.substr(0, whole.find("       143")));
  EXPECT_THAT(comparison.rest[0], ElementsAre("       143  irq     high"));
  EXPECT_THAT(printed(comparison), HasSubstr("-        143  irq     high\n+ (no more events)\n"));
}

TEST_F(TracesTest, AMissingFileIsNamed) {
  try {
    compare_traces({"none.txt", "none.txt"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "none.txt: cannot be read; give two files of --transactions");
  }
}

}  // namespace
}  // namespace fovea
