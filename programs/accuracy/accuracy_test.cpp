// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea accuracy as a user runs it. The tiny network answers with the brightest of three planes.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tiny_network/tiny_network.h"

namespace fovea {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class AccuracyTest : public TinyNetwork {
 protected:
  AccuracyTest() : TinyNetwork(TINY_NETWORK, FOVEA) {
    write("net.json",
          R"({"labels": ["red", "green", "blue"], "mean": [0.4914, 0.4822, 0.4465], "std": [0.247, 0.243, 0.261]})");
    // Picture 0 is blue, 1 and 2 are red; the last one is called green.
    std::string pixels(3 * 48, '\0');
    std::fill_n(pixels.begin() + 32, 16, '\xff');
    std::fill_n(pixels.begin() + 48, 16, '\xff');
    std::fill_n(pixels.begin() + 2 * 48, 16, '\xff');
    write("pictures.u8", pixels);
    write("labels.u8", std::string("\2\0\1", 3));
  }

  Finished run(std::vector<std::string> words) const override {
    words.insert(words.begin(), {FOVEA, "accuracy", at("net")});
    return run_command(words);
  }

  std::vector<std::string> bare(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"--pictures", at("pictures.u8"), "--classes", at("labels.u8")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// A picture of one colour.
  void write_picture(const std::string& name, const std::string& colour) const {
    std::filesystem::create_directories((folder / name).parent_path());
    write(name, "P6 1 1 255\n" + colour);
  }
};

TEST_F(AccuracyTest, SaysSharesTheMatrixAndWhatWasMissed) {
  const Finished finished = run(bare());
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_EQ(finished.out, at("net") +
                              "\n  top-1: 66.67 % (2 of 3), with 95 % confidence 20.77 to 93.85 %\n\n"
                              "                       0     1     2\n"
                              " 0            red      1     .     .\n"
                              " 1          green      1     .     .\n"
                              " 2           blue      .     .     1\n\n"
                              "missed:\n  picture 2: saw red; green came 3.\n");
  EXPECT_EQ(run(bare({"--jobs", "1"})).out, finished.out);
}

TEST_F(AccuracyTest, ReadsAFolderByTheLabels) {
  write_picture("data/blue/a.ppm", std::string("\0\0\xff", 3));
  write_picture("data/blue/b.ppm", std::string("\xff\0\0", 3));
  write_picture("data/red/a.ppm", std::string("\xff\0\0", 3));
  const Finished finished = run({"--data", at("data")});
  EXPECT_THAT(finished.out, HasSubstr("66.67 % (2 of 3)")) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("b.ppm: saw red; blue came "));
  write_picture("data/pink/a.ppm", std::string("\xff\0\0", 3));
  EXPECT_EQ(refusal({"--data", at("data")}),
            "fovea: " + at("data") +
                ": class pink is no label of the network (red, ... blue); name its folder as a label, or have one "
                "for each of the 3 outputs, in their order");
}

TEST_F(AccuracyTest, ReadsAFolderInOrderWhereLabelsSayOtherNames) {
  for (const char* name : {"c1", "c2", "c3"}) {
    write_picture(std::string("data/") + name + "/a.ppm", std::string("\xff\0\0", 3));
  }
  EXPECT_THAT(run({"--data", at("data")}).out, HasSubstr("33.33 % (1 of 3)"));
}

TEST_F(AccuracyTest, ReadsAnInputFile) {
  EXPECT_THAT(run({"--data", at("input.bin")}).out, HasSubstr("100.00 % (6 of 6), with 95 % confidence 60.97 to 100"));
}

TEST_F(AccuracyTest, LaysTwoNetworksBesideEachOther) {
  const Finished finished = run(bare({"--beside", at("net")}));
  EXPECT_THAT(finished.out, HasSubstr("the same answer: 100.00 % (3 of 3), with 95 % confidence 43.85 to 100.00 %\n"
                                      "only the first knew 0, only the second 0\n"))
      << finished.err;
}

TEST_F(AccuracyTest, AnswersInJson) {
  const nlohmann::json json = nlohmann::json::parse(run(bare({"--json"})).out);
  const nlohmann::json& network = json["networks"][0];
  EXPECT_EQ(network["top1"]["right"], 2);
  EXPECT_EQ(network["confusion"], (nlohmann::json{{1, 0, 0}, {1, 0, 0}, {0, 0, 1}}));
  ASSERT_EQ(network["missed"].size(), 1u);
  EXPECT_EQ(network["missed"][0]["saw"], 0);
}

TEST_F(AccuracyTest, GoesOnWhereItWas) {
  const std::string whole = run(bare({"--keep", at("keep")})).out;
  std::string text = read_text(at("keep"));
  EXPECT_THAT(text, EndsWith(" 3\n0 2 0\n1 0 0\n2 0 2\n"));
  // As if it had been ended after the first picture, of which the file says something else now.
  text.resize(text.find("0 2 0"));
  write("keep", text + "0 1 2\n1 ");
  const std::string again = run(bare({"--keep", at("keep")})).out;
  EXPECT_THAT(again, HasSubstr("33.33 % (1 of 3)"));
  EXPECT_THAT(whole, HasSubstr("66.67 % (2 of 3)"));
}

TEST_F(AccuracyTest, RunsOnTheAccelerator) {
  const std::string on_cpu = run(bare()).out;
  use(TINY_DLA);
  EXPECT_EQ(run(bare({"--machine", "eyeriss_6x8", "--backend", "systemc"})).out, on_cpu);
  EXPECT_EQ(refusal(bare()),
            "fovea: " + at("net") + ": compiled for the accelerator; name a simulator, or compile it for the CPU");
  EXPECT_THAT(refusal(bare({"--machine", "eyeriss_12x14", "--backend", "systemc"})),
              HasSubstr("compiled for machine eyeriss_6x8, not eyeriss_12x14"));
  EXPECT_EQ(refusal(bare({"--backend", "fpga"}), kUsage), "fovea: --backend fpga: unknown; cpu|rtl|systemc work");
}

TEST_F(AccuracyTest, RefusesWhatDoesNotFit) {
  write("short.u8", "\1\2");
  EXPECT_THAT(refusal({"--pictures", at("pictures.u8"), "--classes", at("short.u8")}), HasSubstr("2 labels take 96"));
  write("labels.u8", std::string("\2\0\3", 3));
  EXPECT_THAT(refusal(bare()), EndsWith("labels.u8: picture 2 is class 3; the network has 3 outputs"));
  EXPECT_THAT(refusal({"--data", at("nowhere")}), EndsWith("nowhere: no such file"));
  std::filesystem::create_directories(folder / "empty");
  EXPECT_THAT(refusal({"--data", at("empty")}), HasSubstr("empty: has no pictures"));
  EXPECT_EQ(refusal({}, kUsage), "fovea: no pictures given; --data FOLDER works, and --help shows more");
  EXPECT_THAT(refusal(bare({"--jobs", "0"}), kUsage), HasSubstr("--jobs"));
  use(TINY_PORTS);
  EXPECT_THAT(refusal(bare()), EndsWith("accuracy is of networks of one input and one output"));
}

}  // namespace
}  // namespace fovea
