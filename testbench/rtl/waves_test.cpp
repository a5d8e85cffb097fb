// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do the waves open, cover their window only, and have every signal that the GTKWave save file names?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/device_bench.h"
#include "bench/small_layer.h"
#include "rtl/fst_file.h"
#include "rtl/wave_groups.h"

namespace fovea {
namespace {

constexpr const char* kMachine = "test_4x4_bus8";  // A small one: waves are verilated for it alone.

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs the small layer twice, as "first" and "second", with waves.
void run_with_waves(const WaveOptions& waves) {
  BackendOptions options;
  options.machine = machine_of(kMachine);
  options.waves = waves;
  DeviceBench bench(options);
  for (const char* name : {"first", "second"}) {
    bench.hal().note_layer(bench.hal().ctx, name);
    expect_usable(bench);
  }
}

/// Hierarchical names of a VCD, each with its width.
std::map<std::string, uint32_t> signals_of(const std::string& vcd) {
  std::map<std::string, uint32_t> signals;
  std::vector<std::string> scopes;
  std::istringstream words(vcd);
  for (std::string word; words >> word && word != "$enddefinitions";) {
    std::string kind, width, code, name;
    if (word == "$scope") {
      words >> kind >> name;
      scopes.push_back(name);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      words >> kind >> width >> code >> name;
      std::string path;
      for (const std::string& scope : scopes) {
        path += scope + ".";
      }
      signals[path + name] = static_cast<uint32_t>(std::strtoul(width.c_str(), nullptr, 10));
    }
  }
  return signals;
}

/// First and last time stamp of a VCD, in picoseconds.
std::pair<uint64_t, uint64_t> times_of(const std::string& vcd) {
  std::pair<uint64_t, uint64_t> times = {UINT64_MAX, 0};
  std::istringstream lines(vcd);
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') {
      const uint64_t time = std::strtoull(line.c_str() + 1, nullptr, 10);
      times = {std::min(times.first, time), std::max(times.second, time)};
    }
  }
  return times;
}

class Waves : public testing::Test {
 protected:
  Waves() { std::filesystem::create_directories(folder); }
  ~Waves() override { std::filesystem::remove_all(folder); }

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_waves_test";
};

TEST_F(Waves, HaveEverySignalOfTheSaveFiles) {
  WaveOptions waves;
  waves.path = folder / "a.vcd";
  waves.cycles = 10;
  run_with_waves(waves);
  const auto signals = signals_of(read_file(waves.path));
  const std::string all = read_file(folder / "a.vcd.gtkw");
  for (const WaveView& view : wave_views(machine_of(kMachine).geometry)) {
    const std::string save_file = read_file(folder / ("a.vcd." + view.name + ".gtkw"));
    for (const WaveGroup& group : view.groups) {
      for (const WaveGroup::Signal& signal : group.signals) {
        ASSERT_EQ(signals.count(signal.name), 1u) << signal.name;
        EXPECT_EQ(signals.at(signal.name), signal.width) << signal.name;
        EXPECT_THAT(save_file, testing::HasSubstr("\n" + signal.name));
        EXPECT_THAT(all, testing::HasSubstr("\n" + signal.name));
      }
    }
  }
}

TEST_F(Waves, CoverTheirWindowOfCycles) {
  WaveOptions waves;
  waves.path = folder / "b.vcd";
  waves.from_cycle = 100;
  waves.cycles = 50;
  run_with_waves(waves);
  const auto [first, last] = times_of(read_file(waves.path));
  constexpr uint64_t kPeriod = 5000;  // 200 MHz.
  EXPECT_NEAR(static_cast<double>(last - first), 50.0 * kPeriod, kPeriod);
}

TEST_F(Waves, CoverTheirLayerOnly) {
  WaveOptions waves;
  waves.path = folder / "both.vcd";
  run_with_waves(waves);
  const auto both = times_of(read_file(waves.path));
  waves.path = folder / "second.vcd";
  waves.layer = "second";
  run_with_waves(waves);
  const auto second = times_of(read_file(waves.path));
  EXPECT_GT(second.first, both.second / 3);
  EXPECT_EQ(second.second, both.second);
}

TEST_F(Waves, ComeAsFstToo) {
  WaveOptions waves;
  waves.path = folder / "c.fst";
  waves.cycles = 100;
  run_with_waves(waves);
  EXPECT_GT(std::filesystem::file_size(waves.path), 1000u);
  EXPECT_EQ(read_file(waves.path)[0], 0) << "an FST starts with a header block";
  EXPECT_TRUE(is_whole_fst(waves.path));
}

TEST_F(Waves, AreKnownToBeCutOff) {
  WaveOptions waves;
  waves.path = folder / "d.fst";
  waves.cycles = 10;
  run_with_waves(waves);
  ASSERT_TRUE(is_whole_fst(waves.path));
  for (uintmax_t bytes = std::filesystem::file_size(waves.path); bytes-- > 0;) {
    std::filesystem::resize_file(waves.path, bytes);
    ASSERT_FALSE(is_whole_fst(waves.path)) << bytes << " bytes";
  }
}

TEST_F(Waves, NameAPathThatCannotBeWritten) {
  WaveOptions waves;
  waves.path = "/nowhere/a.vcd";
  try {
    run_with_waves(waves);
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("/nowhere/a.vcd.gtkw: cannot be written"));
  }
}

}  // namespace
}  // namespace fovea
