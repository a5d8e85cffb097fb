// SPDX-License-Identifier: Apache-2.0
/// \file
/// The best of the best for a memory, by the walk; and foveac, which keeps it and uses it the next time.
#include "tune.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

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

TEST(TuneShape, TakesTheFastestOnEachMemory) {
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const dla_shape shape{.C = 64, .H = 8, .W = 8, .M = 96, .R = 3, .S = 3, .U = 1, .V = 1, .pad_top = 1};
  const Mapper mapper(machine, MappingMode::kSearch, Objective::kCycles);
  for (const std::string& dram : dram_preset_names()) {
    const auto record = tune_shape(mapper, shape, 40, dram);
    ASSERT_TRUE(record) << dram;
    EXPECT_EQ(record->dram, dram);
    std::uint64_t fewest = UINT64_MAX;
    for (const PlannedMapping& plan :
         search_mappings(machine.geometry, machine.access_energy(), shape, Objective::kCycles, 40).best) {
      fewest = std::min(fewest, predict_layer(machine.geometry, shape, plan.mapping, dram_preset(dram)).cycles);
    }
    EXPECT_EQ(record->cycles, fewest) << dram;
    EXPECT_EQ(predict_layer(machine.geometry, shape, record->mapping, dram_preset(dram)).cycles, fewest) << dram;
  }
}

TEST(TuneShape, TakesTheMemoryOfTheMachine) {
  MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  machine.dram = dram_preset("lab");
  const dla_shape shape{.C = 64, .H = 8, .W = 8, .M = 96, .R = 3, .S = 3, .U = 1, .V = 1, .pad_top = 1};
  const auto record = tune_shape(Mapper(machine, MappingMode::kSearch, Objective::kCycles), shape, 3, "");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->dram, "lab");
  EXPECT_EQ(record->cycles, predict_layer(machine.geometry, shape, record->mapping, dram_preset("lab")).cycles);
}

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

TEST_F(Tune, ALaterCompileUsesTheRecordOfItsMemory) {
  const auto [status, printed] = foveac("--tune 6 --dram ddr");
  ASSERT_EQ(status, 0) << printed;
  EXPECT_NE(printed.find(", recorded"), std::string::npos) << printed;
  TuningRecords records(records_);
  ASSERT_EQ(records.all().size(), 1u);
  TuningRecord changed = records.all().at(0);
  changed.mapping.filter_buffers = 3;  // No search would say so.
  records.add(changed);
  records.save(records_);
  EXPECT_NE(foveac("--dram ddr").second.find("buffers=3 stay=1, recorded"), std::string::npos);
  EXPECT_EQ(foveac("").second.find("recorded"), std::string::npos) << "of another memory";
}

TEST_F(Tune, AnotherMachineVersionIsANote) {
  std::ifstream shipped("sim/spec/machines/eyeriss_6x8.json");
  std::string machine{std::istreambuf_iterator<char>(shipped), {}};
  machine.replace(machine.find("eyeriss_6x8"), 11, "one_of_mine");
  const std::string option = "--machine " + (folder_ / "machine.json").string();
  std::ofstream(folder_ / "machine.json") << machine;
  ASSERT_EQ(foveac(option + " --tune 1").first, 0);
  machine.replace(machine.find("65536"), 5, "32768");
  std::ofstream(folder_ / "machine.json") << machine;
  const auto [status, printed] = foveac(option);
  EXPECT_EQ(status, 0);
  EXPECT_NE(printed.find(": 1 records of another version of one_of_mine are ignored\n"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("recorded\n"), std::string::npos) << printed;
}

TEST_F(Tune, FailsInOneLine) {
  for (const std::string option : {"--measure-with", "--backend"}) {
    EXPECT_EQ(
        foveac(option + " systemc"),
        std::pair(2, "foveac: " + option +
                         ": --tune ranks by predicted cycles and measures nothing; --dram says for which memory\n"));
  }
  EXPECT_THAT(foveac("--dram fast").second, testing::StartsWith("foveac: --dram fast: unknown; "));
  std::ofstream(records_) << "nonsense";
  EXPECT_EQ(foveac("").second,
            "foveac: " + records_.string() + ": not JSON (at byte 2); repair it, or remove it and tune again\n");
}

}  // namespace
}  // namespace fovea
