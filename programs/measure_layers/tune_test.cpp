// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does `foveac --tune` measure on a simulator, keep the fastest mapping, and use it the next time?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mapping/mapper.h"
#include "tuning/measure.h"
#include "tuning/records.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// A convolution in the text form of the IR.
constexpr char kNetwork[] = R"(fn (%x: Tensor[(1, 2, 8, 8), float32] from "input") {
  %q = qnn.quantize(%x, 0.5f, 128u8, axis=1) from "quant"
  %d = qnn.dequantize(%q, 0.5f, 128u8, axis=1)
  %w8 = constant 1 : Tensor[(4, 2, 3, 3), int8]
  %w = qnn.dequantize(%w8, 0.25f, 0i8, axis=0)
  %c = nn.conv2d(%d, %w, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1) from "/conv1/Conv"
  %r = qnn.quantize(%c, 0.5f, 128u8, axis=1)
  %y = qnn.dequantize(%r, 0.5f, 128u8, axis=1) from "dequant"
  return %y
}
)";

class Tune : public testing::Test {
 protected:
  Tune() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "net.txt") << kNetwork;
  }
  ~Tune() override { fs::remove_all(folder_); }

  /// Runs foveac. \return its exit status and what it printed, on both streams.
  std::pair<int, std::string> foveac(const std::string& arguments) {
    const std::string command = std::string(FOVEAC) + " " + (folder_ / "net.txt").string() + " -o " +
                                (folder_ / "net").string() + " --records " + records_.string() + " " + arguments +
                                " >" + (folder_ / "log").string() + " 2>&1";
    const int status = std::system(command.c_str());
    std::ifstream log(folder_ / "log");
    return {WEXITSTATUS(status), {std::istreambuf_iterator<char>(log), {}}};
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "fovea_tune", records_ = folder_ / "tuning.json";
};

TEST_F(Tune, KeepsTheFastestOfTheBest) {
  const auto [status, printed] = foveac("--tune 6");
  ASSERT_EQ(status, 0) << printed;
  EXPECT_NE(printed.find(", recorded"), std::string::npos) << printed;
  const TuningRecords records(records_);
  ASSERT_EQ(records.all().size(), 1u);
  const TuningRecord& kept = records.all()[0];
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  std::vector<dla_mapping> mappings;
  for (const PlannedMapping& plan :
       search_mappings(machine.geometry, machine.access_energy(), kept.shape, Objective::kCycles, 6).best) {
    mappings.push_back(plan.mapping);
  }
  const std::vector<std::uint64_t> cycles =
      measure_cycles({MEASURE_LAYERS, "sim/spec/machines/eyeriss_6x8.json"}, kept.shape, mappings);
  ASSERT_EQ(cycles.size(), 6u);
  EXPECT_EQ(kept.measured_cycles, *std::min_element(cycles.begin(), cycles.end()));
}

TEST_F(Tune, ALaterCompileUsesTheRecord) {
  ASSERT_EQ(foveac("--tune 2").first, 0);
  TuningRecords records(records_);
  TuningRecord changed = records.all().at(0);
  changed.mapping.filter_buffers = 3;  // No search would say so.
  records.add(changed);
  records.save(records_);
  const auto [status, printed] = foveac("--measure-with no/such/program");
  EXPECT_EQ(status, 0) << "nothing is measured again: " << printed;
  EXPECT_NE(printed.find("buffers=3 stay=1, recorded"), std::string::npos) << printed;
}

TEST_F(Tune, AnotherMachineVersionIsANote) {
  ASSERT_EQ(foveac("--tune 1").first, 0);
  std::ifstream shipped("sim/spec/machines/eyeriss_6x8.json");
  std::string machine{std::istreambuf_iterator<char>(shipped), {}};
  machine.replace(machine.find("65536"), 5, "32768");
  std::ofstream(folder_ / "machine.json") << machine;
  const auto [status, printed] = foveac("--machine " + (folder_ / "machine.json").string());
  EXPECT_EQ(status, 0);
  EXPECT_NE(printed.find(": 1 records of another version of eyeriss_6x8 are ignored\n"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("recorded\n"), std::string::npos) << printed;
}

TEST_F(Tune, FailsInOneLine) {
  const auto [status, printed] = foveac("--tune 1 --measure-with no/such/program");
  EXPECT_EQ(status, 1);
  EXPECT_EQ(printed,
            "foveac: no/such/program: no such program; build measure_layers, or name it with --measure-with\n");
  EXPECT_FALSE(fs::exists(folder_ / "net" / "model.c"));
  EXPECT_THAT(foveac("--tune 1 --backend fpga").second,
              testing::StartsWith("foveac: " MEASURE_LAYERS
                                  ": failed: measure_layers: no backend 'fpga'; known: rtl, systemc"));
  std::ofstream(records_) << "nonsense";
  EXPECT_EQ(foveac("").second,
            "foveac: " + records_.string() + ": not JSON (at byte 2); repair it, or remove it and tune again\n");
}

}  // namespace
}  // namespace fovea
