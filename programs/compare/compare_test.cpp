// SPDX-License-Identifier: Apache-2.0
/// \file
/// `fovea compare`, which is `foveac compare` too, as a user runs it: what it prints, and one clear line for bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tiny_network/tiny_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A convolution of 1x1 in the text form of the IR. \param weight  Of filter 1.
std::string network(const std::string& weight, int pictures = 1) {
  return "fn (%x: Tensor[(" + std::to_string(pictures) + R"(, 2, 4, 4), float32] from "input") {
  %q = qnn.quantize(%x, 0.5f, 128u8, axis=1) from "quant"
  %d = qnn.dequantize(%q, 0.5f, 128u8, axis=1)
  %w8 = constant [1, 2, 3, )" +
         weight + R"(] : Tensor[(2, 2, 1, 1), int8]
  %w = qnn.dequantize(%w8, 0.25f, 0i8, axis=0)
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv1"
  %r = qnn.quantize(%c, 0.5f, 128u8, axis=1) from "quant1"
  %y = qnn.dequantize(%r, 0.5f, 128u8, axis=1) from "dequant"
  return %y
}
)";
}

class Compare : public testing::Test {
 protected:
  Compare() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("a.txt", network("4"));
    write("b.txt", network("8"));
    const std::vector<float> ones(32, 1.0f);
    write("x.f32", {reinterpret_cast<const char*>(ones.data()), ones.size() * sizeof(float)});
  }
  ~Compare() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  static Finished foveac(std::vector<std::string> words) {
    words.insert(words.begin(), {FOVEAC, "compare"});
    return run_command(words);
  }

  static Finished fovea(std::vector<std::string> words) {
    words.insert(words.begin(), {FOVEA, "compare"});
    return run_command(words);
  }

  /// The one line that it is refused with.
  static std::string refusal(std::vector<std::string> words, ExitStatus status = kFailed) {
    words.insert(words.begin(), {FOVEA, "compare"});
    const Finished finished = run_command(words);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err.substr(0, finished.err.find('\n'));
  }

  /// Both networks are kept: nothing is said of compiling them any more.
  void keep_networks() const { foveac({at("a.txt"), at("b.txt"), "--input", at("x.f32")}); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_compare";
};

/// x is 2 steps of 0.5 above 128; filter 1 sums 2 * 3 + 2 * 4 or 2 * 3 + 2 * 8 steps of 0.125.
TEST_F(Compare, ExplainsTheFirstDifference) {
  keep_networks();
  const Finished finished = foveac({at("a.txt"), at("b.txt"), "--input", at("x.f32")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_EQ(finished.out, "A: " + at("a.txt") + "\nB: " + at("b.txt") + R"(
layer       shape      type     equal  elements  largest |a - b|  mean  signal to noise
quantize    [2, 4, 4]  uint8       32        32                0     0
conv1       [2, 4, 4]  uint8       16        32                1   0.5           7.0 dB  <- the first
dequantize  [2, 4, 4]  float32     16        32                1   0.5           7.0 dB
2 of 3 layers differ
first difference: conv1 = qconv2d, ONNX: conv1, element [1, 0, 0] of [2, 4, 4]
                            A           B
  output                    132 = 2     134 = 3
  scale, zero point         (0.5, 128)  (0.5, 128)
  accumulator               14 = 1.75   22 = 2.75
  requantized by its layer  132         134
  depends on quantize [2, 4, 4]: channels 0 to 1, row 0, column 0; 0 of these 2 differ
  the networks differ here in: weights of filter 1
  The input is the same and the accumulators are not: weights, bias, pads or the input's zero point.
)");
  EXPECT_EQ(foveac({at("a.txt"), at("b.txt"), "--input", at("x.f32"), "--expect-equal"}).status, 1);
  EXPECT_EQ(foveac({at("a.txt"), at("a.txt"), "--input", at("x.f32"), "--expect-equal"}).status, 0);
}

/// The first picture is all zeros, which no weight makes another.
TEST_F(Compare, ExplainsTheFirstDifferenceOfABatch) {
  write("a.txt", network("4", 2));
  write("b.txt", network("8", 2));
  std::vector<float> pictures(64);
  std::fill_n(pictures.begin() + 32, 32, 1.0F);
  write("x.f32", {reinterpret_cast<const char*>(pictures.data()), pictures.size() * sizeof(float)});
  const std::string out = foveac({at("a.txt"), at("b.txt"), "--input", at("x.f32")}).out;
  EXPECT_THAT(out, HasSubstr("conv1 = qconv2d, ONNX: conv1, element [1, 1, 0, 0] of [2, 2, 4, 4]"));
  EXPECT_THAT(out, HasSubstr("accumulator               14 = 1.75   22 = 2.75"));
  EXPECT_THAT(
      out,
      HasSubstr("depends on quantize [2, 2, 4, 4]: picture 1, channels 0 to 1, row 0, column 0; 0 of these 2 differ"));
}

TEST_F(Compare, RunsNoCodeOfAFolderUnlessItIsTold) {
  write("net/model.so", "no code");
  EXPECT_EQ(refusal({at("net"), at("net")}),
            "fovea: " + at("net") +
                ": its code (model.so) may do anything; name the network's file instead, or say --run-code where you "
                "trust the folder");
  EXPECT_THAT(refusal({at("net"), at("net"), "--run-code"}), HasSubstr("model.so: cannot be loaded"));
  write("net/y.f32", "1234");
  write("net/index.json", R"([{"file": "y.f32", "name": "y", "type": "float32", "shape": [1]}])");
  EXPECT_THAT(fovea({at("net"), at("net")}).out, HasSubstr("y      [1]"));
}

TEST_F(Compare, SaysTheSameInJson) {
  const Finished finished = fovea({at("a.txt"), at("b.txt"), "--input", at("x.f32"), "--json"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json["a"], at("a.txt"));
  EXPECT_EQ(json["differing_layers"], 2);
  ASSERT_EQ(json["layers"].size(), 3u);
  EXPECT_EQ(json["layers"][0]["sqnr_db"], nullptr) << "exact";
  const nlohmann::json& conv = json["layers"][1];
  EXPECT_EQ(conv["layer"], "conv1");
  EXPECT_EQ(conv["shape"], (std::vector<int>{2, 4, 4}));
  EXPECT_EQ(conv["equal"], 16);
  EXPECT_EQ(conv["largest"], 1);
  EXPECT_EQ(conv["is_equal"], false);
  const nlohmann::json& first = json["first_difference"];
  EXPECT_EQ(first["layer"], "conv1");
  EXPECT_EQ(first["at"], (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(first["a"]["accumulators"], std::vector<int>{14});
  EXPECT_EQ(first["b"]["value"], 134);
  EXPECT_EQ(first["settings"][0], "weights of filter 1");
  EXPECT_EQ(first["depends_on"][0]["differing"], 0);
  const Finished same = fovea({at("a.txt"), at("a.txt"), "--input", at("x.f32"), "--json", "--expect-equal"});
  EXPECT_EQ(same.status, 0);
  EXPECT_EQ(nlohmann::json::parse(same.out)["first_difference"], nullptr);
}

TEST_F(Compare, RunsOnEitherBackend) {
  for (const std::string backend : {"systemc", "rtl"}) {
    const Finished finished =
        foveac({at("a.txt"), at("a.txt"), "--input", at("x.f32"), "--backend-b", backend, "--expect-equal"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.out, EndsWith("0 of 3 layers differ\n"));
  }
}

TEST_F(Compare, TakesFoldersOfLayers) {
  const auto npy = [](const std::string& data) {
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 4, 4), }";
    header.resize(118, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
  };
  write("npy/quantize.npy", npy(std::string(32, '\x82')));
  write("npy/conv1.npy", npy(std::string(16, '\x83') + std::string(16, '\x84')));
  Finished finished = foveac({at("a.txt"), at("npy"), "--input", at("x.f32")});
  EXPECT_THAT(finished.out, HasSubstr("conv1     [2, 4, 4]  uint8     16        32              0.5  0.25"));
  EXPECT_THAT(finished.out, HasSubstr("in A only: dequantize\n"));
  EXPECT_THAT(finished.out, HasSubstr("element [0, 0, 0] of [2, 4, 4]"));
  write("raw/index.json",
        R"([{"file": "q.i8", "name": "any", "node": "quant1", "type": "int8", "shape": [1, 2, 4, 4]}])");
  write("raw/q.i8", std::string(16, '\x02') + std::string(16, '\x04'));
  finished = foveac({at("a.txt"), at("raw"), "--input", at("x.f32")});
  EXPECT_THAT(finished.out, HasSubstr("conv1  [2, 4, 4]  uint8, int8     32        32")) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("0 of 1 layers differ"));
}

TEST_F(Compare, RefusesInOneLine) {
  EXPECT_THAT(refusal({at("no"), at("no")}), EndsWith("no: no such file or folder"));
  EXPECT_THAT(refusal({at("npy"), at("no")}), HasSubstr("npy: no such file or folder"));
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(refusal({at("empty"), at("empty")}), HasSubstr("neither a compiled network (model.so) nor layers"));
  write("bad/index.json", "nonsense");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), EndsWith("index.json: not JSON (at byte 2)"));
  write("bad/index.json", "{}");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), EndsWith("index.json: no list of layers; DUMP_LAYERS writes one"));
  write("bad/index.json", R"([{"file": "/etc/passwd", "name": "q", "type": "uint8", "shape": [2]}])");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), HasSubstr("\"file\" is /etc/passwd, outside the folder of this dump"));
  write("bad/index.json", "[]");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), EndsWith("bad: has no layers"));
  write("bad/index.json", R"([{"file": "q.u8", "name": "q", "type": "float16", "shape": [2]}])");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), HasSubstr("entry 0: elements of type float16; uint8"));
  write("bad/index.json", R"([{"file": "q.u8", "name": "q", "type": "uint8", "shape": "2"}])");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), EndsWith("entry 0: \"shape\" is not a list of dimensions"));
  write("bad/index.json", R"([{"file": "q.u8", "name": "q", "type": "uint8", "shape": [2]}])");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), EndsWith("q.u8: no such file"));
  write("bad/q.u8", "1");
  EXPECT_THAT(refusal({at("bad"), at("bad")}), EndsWith("q.u8: 1 bytes; [2] uint8 are 2"));
  write("npy/q.npy", "nothing");
  EXPECT_THAT(refusal({at("npy"), at("npy")}), EndsWith("q.npy: no .npy file; numpy.save writes one"));
  EXPECT_THAT(refusal({at("a.txt"), "b", "--backend-a", "fpga"}, kUsage),
              StartsWith("fovea: --backend-a fpga: unknown"));
  EXPECT_THAT(refusal({"a"}, kUsage), StartsWith("fovea: b is required"));
}

TEST_F(Compare, RefusesANetworksInputInOneLine) {
  keep_networks();
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {at("a.txt"), at("a.txt")});
    const Finished finished = foveac(words);
    EXPECT_NE(finished.status, 0);
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  };
  EXPECT_EQ(error({}), "foveac: " + at("a.txt") + ": no input to run this network on; give --input FILE\n");
  write("short.f32", "1234");
  EXPECT_THAT(error({"--input", at("short.f32")}), HasSubstr("short.f32"));
  EXPECT_THAT(error({"--input", at("none.f32")}), EndsWith("none.f32: no such file\n"));
  EXPECT_THAT(error({"--backend-a", "fpga"}), HasSubstr("fpga"));
  write("a.txt", "no network");
  EXPECT_THAT(error({"--input", at("x.f32")}), StartsWith("foveac: a.txt:1:"));
}

}  // namespace
}  // namespace fovea
