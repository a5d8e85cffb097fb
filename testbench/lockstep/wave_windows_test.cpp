// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do the waves of every backend cover the window asked for, and is one line said where there is nothing in it?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/device_bench.h"
#include "bench/small_layer.h"

namespace fovea {
namespace {

constexpr uint64_t kPeriod = 5000;  // Picoseconds, at 200 MHz.

class WaveWindows : public testing::TestWithParam<std::string> {
 protected:
  WaveWindows() {
    std::filesystem::create_directories(folder);
    waves.path = folder / "a.vcd";
  }
  ~WaveWindows() override { std::filesystem::remove_all(folder); }

  /// Runs the small layer as "first" and as "second". \return what finish() says; "" if nothing.
  std::string run() {
    BackendOptions options;
    options.machine = machine_of("test_4x4_bus8");  // A small one: waves are verilated for it alone.
    options.memory_bytes = DeviceBench::kMemoryBytes;
    options.waves = waves;
    try {
      DeviceBench bench(options.machine, open_backend(GetParam(), options));
      for (const char* name : {"first", "second"}) {
        bench.hal().note_layer(bench.hal().ctx, name);
        expect_usable(bench);
      }
      bench.backend().finish();
    } catch (const BackendError& error) {
      EXPECT_TRUE(std::filesystem::is_empty(folder)) << "something was left behind";
      return error.what();
    }
    return "";
  }

  /// Cycles from the first to the last time stamp of the dump. (Times themselves go on from device to device.)
  uint64_t length() const {
    std::vector<uint64_t> times;
    std::ifstream file(waves.path);
    for (std::string line; std::getline(file, line);) {
      if (line[0] == '#') {
        times.push_back(std::stoull(line.substr(1)) / kPeriod);
      }
    }
    EXPECT_FALSE(times.empty());
    return times.empty() ? 0 : times.back() - times.front();
  }

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("fovea_wave_windows_" + GetParam());
  WaveOptions waves;
};

TEST_P(WaveWindows, CoverTheirCycles) {
  waves.from_cycle = 270;
  waves.cycles = 300;
  EXPECT_EQ(run(), "");
  EXPECT_LE(length(), 300u);
  EXPECT_GT(length(), 50u);
}

TEST_P(WaveWindows, CoverTheirLayer) {
  EXPECT_EQ(run(), "");
  const uint64_t all = length();
  for (const char* layer : {"first", "second"}) {
    waves.layer = layer;
    EXPECT_EQ(run(), "");
    EXPECT_LT(length(), all * 6 / 10);
    EXPECT_GT(length(), all * 3 / 10);
  }
}

TEST_P(WaveWindows, BeginWithTheirTrigger) {
  waves.layer = "second";
  EXPECT_EQ(run(), "");
  const uint64_t all = length();
  waves.trigger = "write=0x14";  // CTRL: the layer is started, after its registers have been written.
  EXPECT_EQ(run(), "");
  EXPECT_LE(length(), all);
  waves.cycles = 400;
  EXPECT_EQ(run(), "");
  EXPECT_LE(length(), 400u);
}

TEST_P(WaveWindows, SayWhyThereIsNothing) {
  waves.layer = "third";
  EXPECT_EQ(run(), "third: no layer of that name runs on the device; choose first, second");
  waves.layer = "first";
  waves.from_cycle = 1'000'000;
  EXPECT_THAT(run(), testing::StartsWith(waves.path.string() +
                                         ": no waves: the window begins in cycle 1000000, and first takes "));
  waves.from_cycle = 0;
  waves.trigger = "error";
  EXPECT_EQ(run(), waves.path.string() + ": no waves: error did not come");
  waves.trigger = "stal=9";
  EXPECT_THAT(run(), testing::StartsWith("trigger stal=9: unknown; choose"));
}

INSTANTIATE_TEST_SUITE_P(Backends, WaveWindows, testing::ValuesIn(backends_with_waves(".vcd")),
                         [](const auto& backend) { return backend.param; });

/// Text of a file.
std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Names of a save file's signals, without their hierarchy.
std::vector<std::string> shown_in(const std::string& save_file) {
  std::vector<std::string> names;
  std::istringstream lines(save_file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("SystemC.", 0) == 0) {
      names.push_back(line.substr(line.rfind('.') + 1));
    }
  }
  return names;
}

TEST(SystemcWaves, HaveEverySignalOfTheirSaveFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_systemc_waves";
  std::filesystem::create_directories(folder);
  BackendOptions options;
  options.machine = shipped_machine("eyeriss_6x8");
  options.memory_bytes = DeviceBench::kMemoryBytes;
  options.waves.path = folder / "a.vcd";
  {
    DeviceBench bench(options.machine, open_backend("systemc", options));
    expect_usable(bench);
    bench.backend().finish();
  }
  const std::string vcd = read(options.waves.path);
  for (const char* view : {".passes.gtkw", ".bus.gtkw", ".gtkw"}) {
    const std::vector<std::string> names = shown_in(read(options.waves.path.string() + view));
    EXPECT_GT(names.size(), 5u) << view;
    for (const std::string& name : names) {
      // As "phase [31:0]" or "busy".
      const std::string var = name.substr(0, name.find('['));
      const std::string range = name.size() == var.size() ? " " : " " + name.substr(var.size());
      EXPECT_THAT(vcd, testing::HasSubstr("  " + var + range)) << view;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(SystemcWaves, AreVcdOnly) {
  BackendOptions options;
  options.machine = shipped_machine("eyeriss_6x8");
  options.waves.path = "waves.fst";
  try {
    open_backend("systemc", options);
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "waves.fst: the SystemC model writes .vcd only; vcd2fst makes .fst of it");
  }
}

}  // namespace
}  // namespace fovea
