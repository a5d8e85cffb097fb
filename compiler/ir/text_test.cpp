// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is printed is parsed again, and back.
#include "text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tensor/error.h"

namespace fovea {
namespace {

const std::string kWholeText = R"(fn (%0: Tensor[(1, 4), float32] from "in \"put\"\\", %1: Tensor[(), int64]) {
  %2 = constant 0 : Tensor[(64,), int32]
  %3 = constant [1, -2, 3] : Tensor[(3,), int8] from "w"
  %4 = constant [] : Tensor[(0,), int64]
  %5 = qnn.quantize(%0, 0.03125f, 128u8, axis=1) : Tensor[(1, 4), uint8] from "q"
  %6 = region cpu_region_0(%5) [target=cpu, reason="a, b"] : Tensor[(4,), uint8] {
    %7 = composite cpu.two(%5) [target=cpu, layer="two_1", region="cpu_region_0"] : Tensor[(4,), uint8] from "r" {
      %8 = constant -7 : Tensor[(1, 1), int64]
      %9 = reshape(%5, newshape=[4]) : Tensor[(4,), uint8]
      return %9
    }
    return %7
  }
  %10 = full(shape=[2], value=1.0, dtype="float32") : Tensor[(2,), float32]
  %11 = clip(%0, min=-1e-05, max=inf) : Tensor[(1, 4), float32]
  return %6, %11
}
)";

TEST(Text, ComesBackAsItWas) { EXPECT_EQ(print_graph(parse_graph(kWholeText, "whole.txt")), kWholeText); }

TEST(Text, TakesAnyNamesAndNoTypes) {
  const Graph graph = parse_graph("fn (%in: Tensor[(2,), float32]) { // names\n%a.b = nn.relu(%in) return %a.b }", "x");
  EXPECT_EQ(print_graph(graph),
            "fn (%0: Tensor[(2,), float32]) {\n  %1 = nn.relu(%0) : Tensor[(2,), float32]\n  return %1\n}\n");
}

TEST(Text, KeepsEveryBitOfAFloat) {
  const std::vector<float> values{
      0.1F, -0.0F, 1e-45F, std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity(), 16777217.0F};
  GraphBuilder builder;
  const NodeId constant = builder.constant(Tensor::of<float>({6}, values));
  const Graph graph = builder.finish({constant});
  const Graph again = parse_graph(print_graph(graph), "x");
  EXPECT_EQ(*again[again.outputs()[0]].constant, *graph[constant].constant);
}

TEST(Text, TellsMinusZeroFromZero) {
  GraphBuilder builder;
  const NodeId constant = builder.constant(Tensor::of<float>({2}, {0.0F, -0.0F}));
  EXPECT_NE(print_graph(builder.finish({constant})).find("[0, -0]"), std::string::npos);
}

TEST(Text, ScalarsThatAFunctionReadsHaveALine) {
  GraphBuilder inner;
  const NodeId x = inner.input("", {{}, ElementType::kFloat32});
  Function function;
  function.name = "cpu.relu";
  function.body = inner.finish({inner.call("nn.relu", {x})});
  GraphBuilder outer;
  const NodeId scalar = outer.constant(Tensor::of<float>({}, {2}));
  const std::string text = print_graph(outer.finish({outer.call(std::move(function), {scalar})}));
  EXPECT_NE(text.find("%0 = constant 2 : Tensor[(), float32]"), std::string::npos) << text;
  EXPECT_EQ(print_graph(parse_graph(text, "x")), text);
}

TEST(Text, LeavesLongConstantsOutWhereAsked) {
  GraphBuilder builder;
  const NodeId constant = builder.constant(Tensor::of<int8_t>({4}, {1, 2, 3, 4}));
  const Graph graph = builder.finish({constant});
  EXPECT_NE(print_graph(graph, 3).find("constant ... : Tensor[(4,), int8]"), std::string::npos);
  EXPECT_NE(print_graph(graph, 4).find("constant [1, 2, 3, 4]"), std::string::npos);
}

/// A text whose one constant is in a file beside it.
class LongConstants : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    GraphBuilder builder;
    const auto shared = std::make_shared<const Tensor>(Tensor::of<int8_t>({4}, {1, 2, 3, 4}));
    const NodeId first = builder.constant(Tensor::of<float>({2}, {0.1F, -0.0F}), "first");
    graph_ = builder.finish({first, builder.constant(shared, "a"), builder.constant(shared, "b")});
    text_ = print_graph(graph_, 1, &file_);
    write(file_.bytes());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::vector<std::byte>& bytes) const {
    std::ofstream(folder_ / file_.name(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  std::string problem() const {
    try {
      parse_graph(text_, "net.txt", folder_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "fovea_long_constants";
  ConstantFile file_{"constants.bin"};
  Graph graph_;
  std::string text_;
};

TEST_F(LongConstants, ComeBackFromTheirFile) {
  EXPECT_EQ(file_.bytes().size(), 12u) << "what two nodes share is there once";
  EXPECT_NE(text_.find("%1 = constant in \"constants.bin\" at 8 crc32 3057449933 : Tensor[(4,), int8] from \"a\""),
            std::string::npos)
      << text_;
  EXPECT_EQ(print_graph(parse_graph(text_, "net.txt", folder_)), print_graph(graph_));
}

TEST_F(LongConstants, AreMissed) {
  std::filesystem::remove(folder_ / file_.name());
  EXPECT_EQ(problem(),
            "net.txt:2: this constant is in constants.bin, which can't be read; put it into the folder of this text");
}

TEST_F(LongConstants, AreInTheFolderOfTheText) {
  for (const char* name : {"/etc/passwd", "../constants.bin", "a/../../b"}) {
    text_ =
        std::string("fn () {\n  %0 = constant in \"") + name + "\" at 0 crc32 1 : Tensor[(4,), int8]\n  return %0\n}\n";
    EXPECT_EQ(problem(), std::string("net.txt:2: this constant is in ") + name +
                             ", outside the folder of this text; put it there");
  }
}

TEST_F(LongConstants, AreThoseOfTheText) {
  std::vector<std::byte> other = file_.bytes();
  other[9] ^= std::byte{1};
  write(other);
  EXPECT_EQ(
      problem(),
      "net.txt:3: this constant is not what constants.bin holds at 8; take both files from one run of the compiler");
  other.resize(5);
  write(other);
  EXPECT_EQ(
      problem(),
      "net.txt:2: this constant is not what constants.bin holds at 0; take both files from one run of the compiler");
}

struct BadText {
  const char* text;
  const char* message;
};

class BadTexts : public testing::TestWithParam<BadText> {};

TEST_P(BadTexts, AreNamedWithTheirLine) {
  try {
    parse_graph(GetParam().text, "bad.txt");
    FAIL() << "parsed: " << GetParam().text;
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTexts,
    testing::Values(
        BadText{"", "bad.txt:1: expected \"fn\", not the end of the text"},
        BadText{"fn (", "bad.txt:1: expected the name of an input, not the end of the text"},
        BadText{"fn () {\n\n  $", "bad.txt:3: \"$\" has no meaning here"},
        BadText{"fn () { return \"x", "bad.txt:1: the text in quotes does not end in its line"},
        BadText{"fn () { return 3 }",
                "bad.txt:1: \"3\" is no value; a scalar shows its type: 0.5f, 128u8, 0i8, 1i32, 1i64, 1b"},
        BadText{"fn () { return 300u8 }",
                "bad.txt:1: \"300u8\" is no value; a scalar shows its type: 0.5f, 128u8, 0i8, 1i32, 1i64, 1b"},
        BadText{"fn () {\n%c = constant 1\nreturn %c }",
                "bad.txt:2: a constant needs its type, such as \": Tensor[(2,), int8]\""},
        BadText{"fn () { %c = constant [1] : Tensor[(2,), int8] return %c }",
                "bad.txt:1: 1 elements for a Tensor[(2,), int8]"},
        BadText{
            "fn () {\n%b = constant 1 : Tensor[(16777216,), int8]\n%c = constant 1 : Tensor[(1,), int8] return %c }",
            "bad.txt:3: constants that are one number each take more than 16777216 bytes; a file beside the text "
            "works"},
        BadText{"fn () { %c = constant 1 : Tensor[(88888888888881,), float32] return %c }",
                "bad.txt:1: constants that are one number each take more than 16777216 bytes; a file beside the text "
                "works"},
        BadText{"fn () { %c = constant 1 : Tensor[(2,), int9] return %c }", "bad.txt:1: there is no element type int9"},
        BadText{"fn () { %c = constant 1 : Tensor[(-2,), int8] return %c }",
                "bad.txt:1: a shape has no negative numbers"},
        BadText{"fn (%x: Tensor[(1,), int8]) { %y = composite f(%x) [place=dla] { return %x } return %y }",
                "bad.txt:1: a function has no place; it has target, layer, region, reason and note"},
        BadText{"fn (%x: Tensor[(1,), int8], %z: Tensor[(1,), int8]) { %y = composite f(%x) { return %z } return %y }",
                "bad.txt:1: there is no value %z before this line"},
        BadText{"fn (%x: Tensor[(1,), int8]) {\n%y = region r(%x) {\n%z = reshape(%x, newshape=[1]) return %z } return "
                "%y }",
                "bad.txt:3: a region holds composites, not operators"},
        BadText{"fn (%x: Tensor[(1,), int8]) {\n%y = composite f(%x) {\n%z = composite g(%x) { return %x } return %z } "
                "return %y }",
                "bad.txt:3: only a region holds functions, and only composites"},
        BadText{"fn (%x: Tensor[(1,), int8]) {\n%y = region r(%x) [target=dla] {\n%z = composite g(%x) [target=cpu] { "
                "return %x } return %z } return %y }",
                "bad.txt:3: g does not run where its region does"}));

}  // namespace
}  // namespace fovea
