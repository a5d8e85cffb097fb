// SPDX-License-Identifier: Apache-2.0
/// \file
/// test_cpu as a user runs it: what it prints, what it writes, and one clear line for bad input.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tiny_network/tiny_network.h"

namespace fovea {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class TestCpu : public TinyNetwork {
 protected:
  TestCpu() : TinyNetwork(TINY_NETWORK, PROGRAM) {
    program.insert(program.end(), kNormalized.begin(), kNormalized.end());
  }
};

/// The planes are 0.25, 1 and 0.25: normalized and in steps of 1/32, -31, 68 and -24. The logits are the same again.
TEST_F(TestCpu, PrintsAPictureInTheLabsForm) {
  const Finished finished = run({"--input", at("input.bin"), "--class", "1", "--index", "0"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, kNumbered);
  EXPECT_EQ(finished.out, "===============[ single test ]===============\nInput file: " + at("input.bin") +
                              "\nWeight file: " + at("net/weight.bin") +
                              "\nClass index: 1\nImage index: 0\n"
                              "=============================================\n"
                              "Image Test: 0/2 image class        green\n\n\n"
                              "=============================================\n"
                              "[           0]   4.115%\n[           1]  90.765%\n[           2]   5.121%\n"
                              "=============================================\n");
}

TEST_F(TestCpu, PrintsTheMatrixOfAllPictures) {
  const Finished finished = run({"--input", at("input.bin"), "--full"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(run({"--input", at("input.bin"), "--full", "--jobs", "4"}).out, finished.out);
  EXPECT_THAT(finished.out, HasSubstr("[ 0 -             red]  . .\n[ 1 -           green]  . .\n"
                                      "[ 2 -            blue]  . .\n\nCorrect/Total: 6/6\n"));
}

TEST_F(TestCpu, ScoresBarePictures) {
  std::string pixels(3 * 48, '\0');
  std::fill_n(pixels.begin() + 32, 16, '\xff');      // Picture 0 is blue,
  std::fill_n(pixels.begin() + 48, 16, '\xff');      // 1 is red,
  std::fill_n(pixels.begin() + 2 * 48, 16, '\xff');  // and 2 is red too.
  write("pictures.u8", pixels);
  write("labels.u8", std::string("\2\0\1", 3));
  const Finished finished = run({"--pictures", at("pictures.u8"), "--classes", at("labels.u8")});
  EXPECT_EQ(finished.out, "Correct/Total: 2/3\n") << finished.err;
  EXPECT_EQ(run({"--pictures", at("pictures.u8"), "--classes", at("labels.u8"), "--jobs", "2"}).out, finished.out);
}

TEST_F(TestCpu, TakesLabelsFromBesideTheModel) {
  write("model.json", R"({"labels": ["rot", "gruen", "blau"]})");
  const Finished finished =
      run({"--input", at("input.bin"), "--class", "0", "--index", "1", "--model", at("model.onnx")});
  EXPECT_THAT(finished.out, HasSubstr("[       gruen]")) << finished.err;
  write("model.json", R"({"labels": ["one", "two"]})");
  EXPECT_THAT(refusal({"--input", at("input.bin"), "--class", "0", "--index", "0", "--model", at("model.onnx")}),
              EndsWith("model.json: has 2 labels; the network has 3 outputs"));
}

TEST_F(TestCpu, StretchesAPictureFileAndPrintsTheTopClasses) {
  write("green.ppm", "P6 2 1 255\n" + std::string("\0\xff\0\0\xff\0", 6));
  const Finished finished = run({"--image", at("green.ppm")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("=\n[           1]"));
}

TEST_F(TestCpu, RunsOnRawTensors) {
  std::vector<float> tensor(48, 0.0f);
  std::fill_n(tensor.begin() + 16, 16, 1.0f);
  write_floats("x.f32", tensor);
  const Finished finished = run({"--input-raw", at("x.f32"), "--output-raw", at("y.f32")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(read_floats(at("y.f32")), testing::ElementsAre(0.0f, 1.0f, 0.0f));
}

TEST_F(TestCpu, DrawsAnInputWhereNoneIsGiven) {
  const Finished finished = run({});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, testing::MatchesRegex("no input given: it takes random numbers from 0 to 1 .--seed 1.\n"
                                                  "output: 3 numbers, .* to .*, the largest is number [012]\n"));
  EXPECT_EQ(finished.err, "");
  EXPECT_EQ(run({}).out, finished.out);
  EXPECT_EQ(run({"--seed", "1", "--samples", at("input.bin")}).out, finished.out) << "of other classes";
  EXPECT_NE(run({"--seed", "2"}).out, finished.out);
  const std::string numbers = run({"--quiet"}).out;
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), '\n'), 3) << numbers;
  EXPECT_EQ(run({"--output-raw", at("y.f32")}).status, 0);
  EXPECT_EQ(read_floats(at("y.f32")).size(), 3u);
  use(TINY_PORTS);
  EXPECT_THAT(run({}).out, HasSubstr("\njoined: 96 numbers, ")) << "several inputs and outputs";
}

TEST_F(TestCpu, TakesASampleWhereItsClassesAreTheLabels) {
  write("names.txt", "red\ngreen\nblue\n");
  const Finished finished =
      run({"--samples", at("input.bin"), "--labels", at("names.txt"), "--class", "1", "--index", "0"});
  EXPECT_THAT(finished.out, HasSubstr("[       green]  90.765%\n")) << finished.err;
  EXPECT_EQ(finished.err, "");
}

/// Two inputs and two outputs: the sum of two pictures, and both one after another.
class TestCpuOfPorts : public TestCpu {
 protected:
  void SetUp() override {
    use(TINY_PORTS);
    write_floats("left.f32", std::vector<float>(48, 1.0f));
    write_floats("right.f32", std::vector<float>(48, -0.5f));
  }
  /// Words that give the pictures, and more.
  std::vector<std::string> pictures(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"--input-raw", "right=" + at("right.f32") + ",left=" + at("left.f32")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(TestCpuOfPorts, ReadsAndWritesAFileEach) {
  const Finished finished = run(pictures({"--output-raw", "sum=" + at("s.f32") + ",joined=" + at("j.f32")}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(read_floats(at("s.f32")), std::vector<float>(48, 0.5f));
  std::vector<float> joined(48, 1.0f);
  joined.resize(96, -0.5f);
  EXPECT_EQ(read_floats(at("j.f32")), joined);
}

TEST_F(TestCpuOfPorts, PrintsEachOutputUnderItsName) {
  const Finished finished = run(pictures({}));
  std::string text = "sum:\n";
  for (const auto& [value, count] : {std::pair("0.5\n", 48), {"joined:\n", 1}, {"1\n", 48}, {"-0.5\n", 48}}) {
    for (int i = 0; i < count; ++i) {
      text += value;
    }
  }
  EXPECT_EQ(finished.out, text) << finished.err;
}

TEST_F(TestCpuOfPorts, AnswersInJsonByName) {
  const nlohmann::json answer = nlohmann::json::parse(run(pictures({"--json"})).out);
  ASSERT_EQ(answer.at("outputs").size(), 2u) << answer;
  EXPECT_EQ(answer["outputs"]["sum"], nlohmann::json(std::vector<float>(48, 0.5f)));
  EXPECT_EQ(answer["outputs"]["joined"].size(), 96u);
}

TEST_F(TestCpuOfPorts, DumpsEveryLayerInOrder) {
  EXPECT_EQ(run(pictures({"--quiet", "--dump-layers", at("dump")})).status, 0);
  std::vector<std::string> files;
  for (const auto& layer : nlohmann::json::parse(read_text(at("dump/index.json")))) {
    files.push_back(layer["file"]);
  }
  EXPECT_THAT(files, testing::ElementsAre("00_quantize_left.u8", "01_quantize_right.u8", "02_add.u8", "03_join.u8",
                                          "04_dequantize_sum.f32", "05_dequantize_joined.f32"));
  EXPECT_EQ(read_text(at("dump/03_join.u8")), std::string(48, '\xA0') + std::string(48, '\x70'));
}

TEST_F(TestCpuOfPorts, RefusesFilesThatDoNotFitThePorts) {
  const std::string left = "left=" + at("left.f32");
  EXPECT_EQ(refusal({"--input-raw", at("left.f32")}, kUsage), "--input-raw: " + at("left.f32") +
                                                                  " names none of the network's left, right; give "
                                                                  "left=FILE,right=FILE");
  EXPECT_EQ(refusal({"--input-raw", left}, kUsage), "--input-raw: right is missing; give left=FILE,right=FILE");
  write_floats("short.f32", {1, 2, 3});
  EXPECT_EQ(refusal({"--input-raw", left + ",right=" + at("short.f32")}),
            at("short.f32") + ": has 12 bytes; its input right takes 48 float32 numbers, 192 bytes");
  EXPECT_EQ(refusal(pictures({"--output-raw", "sum=" + at("s.f32")}), kUsage),
            "--output-raw: joined is missing; give sum=FILE,joined=FILE");
  EXPECT_EQ(refusal(pictures({"--output-raw", "sum=" + at("s.f32") + ",joined=" + at("s.f32")}), kUsage),
            "--output-raw: " + at("s.f32") + " is given for two outputs; give each a file of its own");
  EXPECT_FALSE(std::filesystem::exists(at("s.f32")));
}

TEST_F(TestCpuOfPorts, RefusesPictures) {
  const std::string line = at("net") +
                           ": this network takes left, right and gives sum, joined, not a picture and its classes; "
                           "give it tensors (--input-raw left=FILE,right=FILE)";
  EXPECT_EQ(refusal({"--input", at("input.bin")}), line);
  EXPECT_EQ(refusal({"--input", at("input.bin"), "--full"}), line);
  write("green.ppm", "P6 2 1 255\n" + std::string("\0\xff\0\0\xff\0", 6));
  EXPECT_EQ(refusal({"--image", at("green.ppm")}), line);
}

TEST_F(TestCpu, DumpsEveryLayer) {
  const Finished finished =
      run({"--input", at("input.bin"), "--class", "2", "--index", "0", "--dump-layers", at("dump")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json index = nlohmann::json::parse(read_text(at("dump/index.json")));
  ASSERT_EQ(index.size(), 3u);
  EXPECT_EQ(index[0], (nlohmann::json{
                          {"file", "00_quantize.u8"}, {"name", "quantize"}, {"type", "uint8"}, {"shape", {3, 4, 4}}}));
  EXPECT_EQ(index[1]["file"], "01_fc.u8");
  EXPECT_EQ(index[2], (nlohmann::json{
                          {"file", "02_dequantize.f32"}, {"name", "dequantize"}, {"type", "float32"}, {"shape", {3}}}));
  EXPECT_EQ(read_text(at("dump/00_quantize.u8")).size(), 48u);
  EXPECT_EQ(read_text(at("dump/02_dequantize.f32")).size(), 12u);
}

TEST_F(TestCpu, AnswersInJson) {
  const Finished finished = run({"--input", at("input.bin"), "--class", "2", "--index", "0", "--json"});
  const nlohmann::json answer = nlohmann::json::parse(finished.out);
  EXPECT_EQ(answer["answer"], "2");
  EXPECT_EQ(answer["classes"].size(), 3u);
}

TEST_F(TestCpu, ExplainsItself) {
  const Finished finished = run_command({PROGRAM, "--help"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("Example:"));
  for (const char* option :
       {"--net", "--input", "--class", "--index", "--image", "--input-raw", "--output-raw", "--full", "--pictures",
        "--classes", "--labels", "--mean", "--std", "--seed", "--dump-layers", "--json", "--quiet"}) {
    EXPECT_THAT(finished.out, HasSubstr(option));
  }
}

TEST_F(TestCpu, RefusesAPictureOutOfRange) {
  EXPECT_EQ(refusal({"--input", at("input.bin"), "--class", "3", "--index", "0"}, kUsage),
            "--class 3: out of range; choose 0 to 2");
  EXPECT_EQ(refusal({"--input", at("input.bin"), "--class", "0", "--index", "2"}, kUsage),
            "--index 2: out of range; choose 0 to 1");
}

TEST_F(TestCpu, RefusesADamagedInput) {
  const std::string whole = read_text(at("input.bin"));
  for (const size_t size : {size_t{0}, size_t{3}, size_t{6}, size_t{30}, whole.size() - 1}) {
    write("short.bin", whole.substr(0, size));
    EXPECT_THAT(refusal({"--input", at("short.bin"), "--class", "0", "--index", "0"}),
                HasSubstr("short.bin: truncated"))
        << size;
  }
  EXPECT_THAT(refusal({"--input", at("missing.bin")}), HasSubstr("missing.bin: no such file"));
}

TEST_F(TestCpu, RefusesAnInputOfAnotherModel) {
  write("other.bin", std::string("\1\0\0\0\1\0\0\0a\1\0\0\0\1\0\0\0\0\0\0\0", 21));
  EXPECT_THAT(refusal({"--input", at("other.bin"), "--class", "0", "--index", "0"}),
              EndsWith("other.bin: its pictures have 1 numbers; the network takes 48, or 16 of one channel"));
}

TEST_F(TestCpu, RefusesDamagedOrForeignWeights) {
  const std::string whole = read_text(at("net/weight.bin"));
  const auto with_weights = [&](const std::string& bytes) {
    write("net/weight.bin", bytes);
    return refusal({"--input", at("input.bin"), "--class", "0", "--index", "0"});
  };
  EXPECT_THAT(with_weights(whole.substr(0, 100)), HasSubstr("weight.bin: it is truncated"));
  std::string foreign = whole;
  foreign[24] ^= 1;
  EXPECT_THAT(with_weights(foreign), HasSubstr("weight.bin: it was made for another model, machine or mapping"));
  std::string damaged = whole;
  damaged.back() ^= 1;
  EXPECT_THAT(with_weights(damaged), HasSubstr("weight.bin: it is damaged"));
  std::filesystem::remove(at("net/weight.bin"));
  EXPECT_THAT(refusal({"--input", at("input.bin")}), HasSubstr("weight.bin: no such file"));
}

TEST_F(TestCpu, RefusesAFolderWithoutAUsableNetwork) {
  const std::vector<std::string> words = {"--input", at("input.bin")};
  use(TINY_FUTURE);
  EXPECT_THAT(refusal(words), EndsWith("model.so: not a network of this version; compile it again"));
  use(TINY_DLA);
  EXPECT_THAT(refusal(words), EndsWith(": compiled for the accelerator; compile it with --target cpu"));
  write("net/model.so", "no library");
  EXPECT_THAT(refusal(words), HasSubstr("model.so: cannot be loaded"));
  std::filesystem::remove(at("net/model.so"));
  EXPECT_THAT(refusal(words), HasSubstr("net: no compiled network (model.so) there"));
}

TEST_F(TestCpu, RefusesWhatIsNoPicture) {
  write("text.png", "no picture");
  EXPECT_THAT(refusal({"--image", at("text.png")}), StartsWith(at("text.png") + ": "));
  EXPECT_THAT(refusal({"--image", at("missing.png")}), StartsWith(at("missing.png") + ": "));
}

TEST_F(TestCpu, RefusesATensorOfAnotherSizeAndWritesNothing) {
  write_floats("x.f32", {1, 2, 3});
  EXPECT_THAT(refusal({"--input-raw", at("x.f32"), "--output-raw", at("y.f32")}),
              EndsWith("x.f32: has 12 bytes; the network takes 48 float32 numbers, 192 bytes"));
  EXPECT_FALSE(std::filesystem::exists(at("y.f32")));
}

TEST_F(TestCpu, RefusesADumpFolderThatCannotBe) {
  write("file", "");
  EXPECT_THAT(refusal({"--input", at("input.bin"), "--class", "0", "--index", "0", "--dump-layers", at("file")}),
              HasSubstr("file: can't make this output folder"));
}

TEST_F(TestCpu, RefusesUnknownOptions) {
  EXPECT_THAT(refusal({"--colour"}, kUsage), HasSubstr("--colour"));
  EXPECT_THAT(refusal({"--input", at("input.bin"), "--class", "red"}, kUsage), HasSubstr("red"));
}

}  // namespace
}  // namespace fovea
