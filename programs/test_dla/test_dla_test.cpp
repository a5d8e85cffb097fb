// SPDX-License-Identifier: Apache-2.0
/// \file
/// test_dla as a user runs it, on the RTL: the answer, the table of layers, waves, and one clear line for bad input.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/backend.h"
#include "common/dram_timing.h"
#include "spec/dla_regs.h"
#include "tiny_network/tiny_network.h"

namespace fovea {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kMachine = "sim/spec/machines/eyeriss_6x8.json";

class TestDla : public TinyNetwork {
 protected:
  TestDla() : TinyNetwork(TINY_NETWORK, PROGRAM) {
    program.insert(program.end(), kNormalized.begin(), kNormalized.end());
  }

  /// Words for the first green picture on the default machine, and more.
  std::vector<std::string> green(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"--machine", kMachine, "--input", at("input.bin"),
                                      "--class",   "1",      "--index", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(TestDla, AnswersAsTheCpuDoes) {
  const Finished finished = run(green({"--quiet"}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_EQ(finished.out,
            "=============================================\n"
            "[           0]   4.115%\n[           1]  90.765%\n[           2]   5.121%\n"
            "=============================================\n");
}

TEST_F(TestDla, RunsAllPictures) {
  const Finished finished = run({"--machine", kMachine, "--input", at("input.bin"), "--full"});
  EXPECT_THAT(finished.out, HasSubstr("Correct/Total: 6/6\n")) << finished.err;
}

TEST_F(TestDla, SharesPicturesBetweenProcesses) {
  for (const std::string& backend : backend_names()) {
    const Finished finished =
        run({"--machine", kMachine, "--input", at("input.bin"), "--full", "--backend", backend, "--jobs", "2"});
    EXPECT_THAT(finished.out, HasSubstr("Correct/Total: 6/6\n")) << finished.err;
  }
  EXPECT_EQ(refusal(green({"--jobs", "2", "--info", at("dla_info.csv")}), kUsage),
            "--jobs 2: --info is written by one process; leave one out");
  EXPECT_THAT(refusal(green({"--jobs", "2", "--dump-layers", at("dump")}), kUsage), HasSubstr("leave one out"));
  EXPECT_THAT(refusal(green({"--jobs", "0"}), kUsage), HasSubstr("--jobs"));
}

TEST_F(TestDla, AnswersTheSameWithAnyDram) {
  const std::string answer = run(green({"--quiet"})).out;
  EXPECT_NE(answer, "");
  for (const std::string& dram : dram_preset_names()) {
    EXPECT_EQ(run(green({"--quiet", "--dram", dram})).out, answer);
  }
}

TEST_F(TestDla, WritesARowALayerAndPrintsATable) {
  const Finished finished = run(green({"--info", at("dla_info.csv")}));
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("\nconv "));
  const std::string csv = read_text(at("dla_info.csv"));
  EXPECT_THAT(csv, StartsWith("Operation,Cycles,Time(ns),Memory read,Memory write,m,e,p,q,r,t,PAD,U,R,S,C,M,W,H,"));
  EXPECT_THAT(csv, HasSubstr("\nqconv2d,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
}

TEST_F(TestDla, EndsWithATableOfLayers) {
  const Finished finished = run(green());
  EXPECT_THAT(finished.out, HasSubstr("=\nlayer "));
  EXPECT_THAT(finished.out, HasSubstr("\nconv "));
  EXPECT_THAT(finished.out, HasSubstr("\nall "));
  EXPECT_THAT(finished.out, HasSubstr("control "));
}

TEST_F(TestDla, SumsTheLayersOfAllPictures) {
  const auto macs_of_all = [](const std::string& text) {
    std::istringstream words(text.substr(text.find("\nall ") + 5));
    std::string macs;
    words >> macs;
    std::erase(macs, ',');
    return std::stoull(macs);
  };
  const Finished one = run(green());
  const Finished six = run({"--machine", kMachine, "--input", at("input.bin"), "--full"});
  EXPECT_EQ(macs_of_all(six.out), 6 * macs_of_all(one.out)) << six.out;
  EXPECT_EQ(six.out.find("\nconv "), six.out.rfind("\nconv ")) << "one line a layer";
}

TEST_F(TestDla, GivesScriptsOneObject) {
  const Finished finished = run(green({"--json", "--info", at("dla_info.csv")}));
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto answer = nlohmann::json::parse(finished.out);
  EXPECT_EQ(answer["answer"], "1");
  EXPECT_EQ(answer["device"]["machine"], "eyeriss_6x8");
  const auto& layers = answer["device"]["layers"];
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0]["layer"], "conv");
  EXPECT_EQ(layers[0]["Cycles"], answer["device"]["cycles"]);
  EXPECT_TRUE(layers[0]["mac_utilization"].is_number());
  EXPECT_FALSE(answer.contains("host"));
  EXPECT_EQ(answer["cpu"]["layers"], nlohmann::json::array());
  EXPECT_EQ(answer["all"]["cycles"], answer["device"]["cycles"]);
  const auto timed = nlohmann::json::parse(run(green({"--json", "--host-times"})).out);
  const auto& host = timed["host"];
  EXPECT_EQ(host["runs"], 5);
  ASSERT_GE(host["layers"].size(), 2u);
  EXPECT_EQ(host["layers"][0]["layer"], "quantize");
  for (const auto& layer : host["layers"]) {
    EXPECT_NE(layer["layer"], "conv") << "the device's";
    EXPECT_GT(layer["seconds"], 0);
    EXPECT_LT(layer["seconds"], 1);
  }
  const std::string csv = read_text(at("dla_info.csv"));
  EXPECT_EQ(layers[0].size(), static_cast<std::size_t>(std::count(csv.begin(), csv.begin() + csv.find('\n'), ',')) + 1);
}

/// A machine of 16-bit MACs of 2 pJ, where everything else that is accessed costs a known sum.
TEST_F(TestDla, SaysWhatARunComesTo) {
  auto machine = nlohmann::json::parse(read_text(kMachine));
  machine["energy_pj"] = nlohmann::json::parse(R"({"technology": "65 nm", "source": "a test",
      "mac": {"bits": 8, "pj": 0.5}, "hop": {"bits": 8, "pj": 1}, "dram": {"bits": 8, "pj": 100},
      "memories": [{"bytes": 1, "bits": 8, "pj": 2}, {"bytes": 1000000, "bits": 8, "pj": 2}]})");
  machine["density"] = nlohmann::json::parse(
      R"({"gates_per_mm2": 1e6, "sram_bits_per_mm2": 1e6, "technology": "65 nm", "source": "another"})");
  write("priced.json", machine.dump());
  write("net/tiny.json", R"({"layers": [{"name": "conv", "macs": 432, "calls": [{"name": "conv", "accesses":
      {"mac": 500, "spad": {"ifmap": 70}, "pe": {"ifmap": 30, "filter": 20, "psum": 10}}}]}]})");
  std::vector<std::string> words = green({"--json"});
  std::replace(words.begin(), words.end(), std::string(kMachine), at("priced.json"));
  const auto answer = nlohmann::json::parse(run(words).out);
  const auto& all = answer["all"];
  const auto& layer = answer["device"]["layers"][0];
  const double cycles = layer["Cycles"],
               bytes = layer["Memory read"].get<double>() + layer["Memory write"].get<double>(),
               words_moved = layer["glb_read_words"].get<double>() + layer["glb_write_words"].get<double>();
  const double macs = answer["device"]["layers"][0]["macs"];
  // Spads: pixels, weights in, and a word of 4 weights out a product. Psums hop as 4 bytes. A word of a bank is 4
  // bytes.
  const double pj = 500 * 0.5 + (70 + 20) * 2.0 + 500 * 8.0 + 50 * 1.0 + 10 * 4.0 + words_moved * 8 + bytes * 100;
  EXPECT_NEAR(all["energy_pj"].get<double>() / pj, 1, 1e-9);
  EXPECT_NEAR(all["gops_per_watt"].get<double>() / (2000 * macs / pj), 1, 1e-9);
  EXPECT_NEAR(all["frames_per_second"].get<double>() / (200e6 / cycles), 1, 1e-9);
  EXPECT_NEAR(all["gops"].get<double>() / (2 * macs * 0.2 / cycles), 1, 1e-9);
  EXPECT_NEAR(all["tops_per_mm2"].get<double>() * all["area_mm2"].get<double>() / all["gops"].get<double>(), 1e-3,
              1e-12);
  EXPECT_THAT(run(green()).out, ContainsRegex("frames a second, .* GOPS at 200 MHz"));
}

/// The fully connected layer of 48 by 3 is the CPU's: 144 MACs, and 48 + 144 + 3 * 4 + 3 bytes.
TEST_F(TestDla, CountsTheLayersThatTheCpuRuns) {
  write("net/tiny.json", R"({"layers": [{"name": "conv", "macs": 432},
      {"name": "fc", "composite": "qlinear", "reason": "too small", "macs": 144, "host_bytes": 207}]})");
  const auto answer = nlohmann::json::parse(run(green({"--json", "--info", at("dla_info.csv")})).out);
  const int cycles = 4 * 144 + 207, device = answer["device"]["cycles"];
  EXPECT_EQ(answer["cpu"]["layers"], nlohmann::json::parse(R"([{"layer": "fc", "operation": "qlinear", "macs": 144,
      "bytes": 207, "cycles": 783}])"));
  EXPECT_EQ(answer["all"]["cycles"], device + cycles);
  EXPECT_EQ(answer["device"]["layers"].size(), 1u);
  EXPECT_EQ(answer["device"]["conditions"]["MACs"], "576");
  EXPECT_THAT(read_text(at("dla_info.csv")), HasSubstr("\nqlinear,783,3915,,,,"));
  const std::string one = run(green()).out;
  EXPECT_THAT(one, ContainsRegex("\nfc  +144 +783  "));
  EXPECT_THAT(one, HasSubstr("\naccelerator "));
  EXPECT_THAT(one, ContainsRegex("\nCPU  +144 +783  "));
  EXPECT_THAT(one, HasSubstr(", 4 cycles a MAC and 1 a byte moved, as declared; "));
  const std::string six = run({"--machine", kMachine, "--input", at("input.bin"), "--full"}).out;
  EXPECT_THAT(six, ContainsRegex("\nCPU  +864 +4,698  ")) << "of six pictures";
}

TEST_F(TestDla, EndsWithATableOfLayersOfTensorsToo) {
  write_floats("x.f32", std::vector<float>(48, 1.0f));
  const Finished finished = run({"--machine", kMachine, "--input-raw", at("x.f32"), "--output-raw", at("y.f32")});
  EXPECT_THAT(finished.out, StartsWith("layer ")) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("\nconv "));
  EXPECT_EQ(finished.err, "");
  EXPECT_EQ(run({"--machine", kMachine, "--input-raw", at("x.f32"), "--output-raw", at("y.f32"), "--quiet"}).out, "");
}

/// What is written to standard output has it for itself.
TEST_F(TestDla, WritesToStandardOutput) {
  write_floats("x.f32", std::vector<float>(48, 1.0f));
  ASSERT_EQ(run({"--machine", kMachine, "--input-raw", at("x.f32"), "--output-raw", at("y.f32")}).status, 0);
  const Finished raw = run({"--machine", kMachine, "--input-raw", at("x.f32"), "--output-raw", "-"});
  EXPECT_EQ(raw.out, read_text(at("y.f32")));
  EXPECT_THAT(raw.err, HasSubstr("\nconv "));
  ASSERT_EQ(run(green({"--info", at("info.csv")})).status, 0);
  const Finished info = run(green({"--info", "-"}));
  EXPECT_EQ(info.out, read_text(at("info.csv")));
  EXPECT_THAT(info.err, HasSubstr("90.765%"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(TestDla, LogsTheBusWhereAsked) {
  const Finished finished = run(green({"--debug", "--quiet"}));
  EXPECT_EQ(finished.status, 0);
  EXPECT_GT(std::count(finished.err.begin(), finished.err.end(), '\n'), 14) << "a line a register at least";
}

TEST_F(TestDla, WritesTheSameTransactionsFromAllBackends) {
  for (const std::string& backend : backend_names()) {
    ASSERT_EQ(run(green({"--backend", backend, "--transactions", at(backend)})).status, 0);
    EXPECT_EQ(read_text(at(backend)), read_text(at(backend_names().front())));
  }
  EXPECT_THAT(read_text(at("rtl")), HasSubstr("  layer   conv\n"));
  EXPECT_THAT(read_text(at("rtl")), HasSubstr("  array   start   0\n"));
}

TEST_F(TestDla, WritesATimelineWithTheLayersOfTheCpu) {
  ASSERT_EQ(run(green({"--trace", at("trace.json")})).status, 0);
  const std::string trace = read_text(at("trace.json"));
  EXPECT_THAT(trace, StartsWith("{\"displayTimeUnit\""));
  EXPECT_THAT(trace, HasSubstr("\"tid\":10,\"ts\":18,\"name\":\"quantize\""));
  EXPECT_THAT(trace, ::testing::Not(HasSubstr("\"tid\":10,\"ts\":18,\"name\":\"conv\"")));
  EXPECT_EQ(run(green({"--trace", at("a/new/trace.json")})).status, 0);
  EXPECT_THAT(read_text(at("a/new/trace.json")), StartsWith("{\"displayTimeUnit\""));
  EXPECT_THAT(refusal(green({"--trace", at("trace.json/t.json")})),
              HasSubstr("trace.json: can't make this output folder"));
}

TEST_F(TestDla, WritesTheTransactionsOfALayerThatRuns) {
  EXPECT_EQ(run(green({"--transactions", at("t.txt"), "--transactions-layer", "conv"})).status, 0);
  EXPECT_THAT(read_text(at("t.txt")), StartsWith("         0  layer   conv\n"));
  const Finished other = run(green({"--transactions", at("u.txt"), "--transactions-layer", "pool"}));
  EXPECT_EQ(other.status, kFailed);
  EXPECT_EQ(other.err, kNumbered + "pool: no layer of that name runs on the device; choose conv\n");
  EXPECT_FALSE(std::filesystem::exists(at("u.txt")) || std::filesystem::exists(at("u.txt.part")));
}

TEST_F(TestDla, DumpsLayersAsTheCpuDoes) {
  ASSERT_EQ(run(green({"--dump-layers", at("dump")})).status, 0);
  EXPECT_EQ(read_text(at("dump/01_conv.u8")), read_text(at("dump/00_quantize.u8")))
      << "the convolution changes nothing";
  EXPECT_EQ(read_text(at("dump/01_conv.u8")).size(), 48u);
}

TEST_F(TestDla, ExplainsItself) {
  const Finished finished = run_command({PROGRAM, "--help"});
  EXPECT_EQ(finished.status, 0);
  for (const char* option :
       {"Example:", "--backend", "--dram", "--machine", "--info", "--vcd", "--vcd-layer", "--vcd-from", "--vcd-cycles",
        "--vcd-trigger", "--trace", "--transactions", "--debug", "--checked"}) {
    EXPECT_THAT(finished.out, HasSubstr(option));
  }
}

TEST_F(TestDla, RefusesUnknownChoices) {
  EXPECT_THAT(refusal(green({"--backend", "fpga"}), kUsage), HasSubstr("rtl"));
  EXPECT_THAT(refusal(green({"--dram", "fast"}), kUsage), HasSubstr("pipelined"));
  EXPECT_THAT(refusal(green({"--vcd", at("waves.txt")})), HasSubstr(".vcd"));
  EXPECT_THAT(refusal(green({"--vcd-layer", "conv"}), kUsage), HasSubstr("--vcd"));
}

TEST_F(TestDla, RefusesAnotherMachine) {
  const std::vector<std::string> words = {"--input", at("input.bin"), "--machine",
                                          "sim/spec/machines/eyeriss_12x14.json"};
  EXPECT_THAT(refusal(words),
              EndsWith("net: compiled for machine eyeriss_6x8, not eyeriss_12x14; compile it for that one"));
  EXPECT_THAT(refusal({"--input", at("input.bin"), "--machine", at("none.json")}), StartsWith(at("none.json") + ":"));
}

TEST_F(TestDla, RunsANetworkThatHasNothingForTheAccelerator) {
  const std::string answer = run(green({"--quiet"})).out;
  use(TINY_CPU);
  const Finished finished = run(green());
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.err,
            at("net") +
                ": no layer runs on the accelerator; `fovea check` lists the reasons, and `fovea quantize` "
                "quantizes float networks\n" +
                kNumbered);
  EXPECT_THAT(finished.out, EndsWith(answer)) << "no table of layers";
  const Finished quiet = run(green({"--quiet"}));
  EXPECT_EQ(quiet.out, answer);
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(nlohmann::json::parse(run(green({"--json"})).out)["answer"], "1");
  EXPECT_THAT(run({"--machine", kMachine, "--input", at("input.bin"), "--full", "--jobs", "2"}).out,
              HasSubstr("Correct/Total: 6/6\n"));
}

TEST_F(TestDla, RunsAGraphOfSeveralInputsAndOutputs) {
  use(TINY_PORTS);
  write_floats("left.f32", std::vector<float>(48, 1.0f));
  write_floats("right.f32", std::vector<float>(48, -0.5f));
  std::vector<float> joined(48, 1.0f);
  joined.resize(96, -0.5f);
  for (const std::string& backend : backend_names()) {
    const std::vector<std::string> words = {"--machine",   kMachine,
                                            "--backend",   backend,
                                            "--input-raw", "left=" + at("left.f32") + ",right=" + at("right.f32")};
    std::vector<std::string> written = words;
    written.insert(written.end(), {"--output-raw", "sum=" + at("s.f32") + ",joined=" + at("j.f32"), "--info",
                                   at("dla_info.csv"), "--trace", at("trace.json"), "--dump-layers", at("dump")});
    EXPECT_EQ(run(written).status, 0);
    EXPECT_EQ(read_floats(at("s.f32")), std::vector<float>(48, 0.5f));
    EXPECT_EQ(read_floats(at("j.f32")), joined);
    const std::string csv = read_text(at("dla_info.csv"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
    EXPECT_THAT(read_text(at("trace.json")), HasSubstr("\"name\":\"join\""));
    EXPECT_EQ(read_text(at("dump/02_conv.u8")), std::string(48, '\xa0'));
    std::vector<std::string> json = words;
    json.emplace_back("--json");
    const auto answer = nlohmann::json::parse(run(json).out);
    EXPECT_EQ(answer["outputs"]["sum"], nlohmann::json(std::vector<float>(48, 0.5f)));
    EXPECT_EQ(answer["device"]["layers"].size(), 1u);
  }
}

TEST_F(TestDla, LeavesNoTableBehindWhereTheRunFails) {
  EXPECT_THAT(refusal({"--machine", kMachine, "--input", at("input.bin"), "--class", "7", "--info", at("dla_info.csv")},
                      kUsage),
              HasSubstr("--class 7"));
  EXPECT_FALSE(std::filesystem::exists(at("dla_info.csv")));
}

}  // namespace
}  // namespace fovea
