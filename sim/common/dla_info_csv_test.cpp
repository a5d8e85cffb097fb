// SPDX-License-Identifier: Apache-2.0
/// \file
/// dla_info.csv has the specification's columns, in its order, and is never half-written.
#include "dla_info_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace fovea {
namespace {

RunInfo run_info() {
  RunInfo run;
  run.backend = "rtl";
  run.dram = "pipelined";
  run.machine.name = "eyeriss_6x8";
  run.machine.geometry.rows = 6;
  run.machine.geometry.cols = 8;
  run.machine.clock_mhz = 200;
  return run;
}

LayerInfo conv1() {
  LayerInfo layer;
  layer.operation = "qconv2d_relu_maxpool";
  layer.name = "conv1";
  layer.command.shape = {3, 32, 127, 64, 3, 3, 1, 4, 1, 2, 1, 0, true};
  layer.command.mapping = {32, 1, 8, 4, 3, 1, 2, 32, true, 2, kDlaLoopOrderRowsFiltersChannels};
  layer.command.shape.G = 2;
  layer.command.shape.pool_size = 3;
  layer.command.shape.lookup = true;
  layer.command.mapping.g = 6;
  layer.command.mapping.stay = 1;
  layer.command.mapping.fold_rows = 2;
  layer.command.quant.rounding = kDlaFloor;
  layer.counters.cycles = 122880;
  layer.counters.compute_cycles = 36864;
  layer.counters.ifmap_read_bytes = 3072;
  layer.counters.filter_read_bytes = 2048;
  layer.counters.write_bytes = 16384;
  return layer;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cells.push_back(cell);
  }
  return cells;
}

std::map<std::string, std::string> only_row(const std::string& text) {
  std::istringstream lines(text);
  std::string header, row;
  std::getline(lines, header);
  std::getline(lines, row);
  const auto names = split(header), cells = split(row + ",");
  std::map<std::string, std::string> result;
  for (size_t i = 0; i < names.size(); ++i) {
    result[names[i]] = i < cells.size() ? cells[i] : "";
  }
  return result;
}

TEST(DlaInfoCsv, StartsWithTheLabsColumns) {
  EXPECT_THAT(
      format_dla_info(run_info(), {}),
      testing::StartsWith("Operation,Cycles,Time(ns),Memory read,Memory write,m,e,p,q,r,t,PAD,U,R,S,C,M,W,H,layer,"));
}

TEST(DlaInfoCsv, FillsEveryColumn) {
  const auto row = only_row(format_dla_info(run_info(), {conv1()}));
  const std::map<std::string, std::string> expected = {{"Operation", "qconv2d_relu_maxpool"},
                                                       {"Cycles", "122880"},
                                                       {"Time(ns)", "614400"},
                                                       {"Memory read", "5120"},
                                                       {"Memory write", "16384"},
                                                       {"m", "32"},
                                                       {"e", "8"},
                                                       {"p", "4"},
                                                       {"q", "3"},
                                                       {"r", "1"},
                                                       {"t", "2"},
                                                       {"PAD", "1"},
                                                       {"U", "1"},
                                                       {"R", "3"},
                                                       {"S", "3"},
                                                       {"C", "3"},
                                                       {"M", "64"},
                                                       {"W", "127"},
                                                       {"H", "32"},
                                                       {"layer", "conv1"},
                                                       {"backend", "rtl"},
                                                       {"machine", "eyeriss_6x8"},
                                                       {"dram", "pipelined"},
                                                       {"rounding", "floor"},
                                                       {"macs", "3321216"},
                                                       {"mac_utilization", "0.5631"},
                                                       {"compute_cycles", "36864"},
                                                       {"psum_cycles", "0"},
                                                       {"filter_cycles", "0"},
                                                       {"ifmap_cycles", "0"},
                                                       {"dram_cycles", "0"},
                                                       {"output_cycles", "0"},
                                                       {"control_cycles", "0"},
                                                       {"ifmap_read_bytes", "3072"},
                                                       {"filter_read_bytes", "2048"},
                                                       {"write_bytes", "16384"},
                                                       {"read_bursts", "0"},
                                                       {"write_bursts", "0"},
                                                       {"glb_read_words", "0"},
                                                       {"glb_write_words", "0"},
                                                       {"passes", "0"},
                                                       {"V", "4"},
                                                       {"pad_left", "2"},
                                                       {"pad_bottom", "1"},
                                                       {"pad_right", "0"},
                                                       {"G", "2"},
                                                       {"pool", "1"},
                                                       {"pool_size", "3"},
                                                       {"pool_stride", "0"},
                                                       {"residual", "0"},
                                                       {"lookup", "1"},
                                                       {"mean", "0"},
                                                       {"e_glb", "32"},
                                                       {"ifmap_resident", "1"},
                                                       {"g", "6"},
                                                       {"filter_buffers", "2"},
                                                       {"stay", "1"},
                                                       {"fold_rows", "2"},
                                                       {"predicted_cycles", ""},
                                                       {"residual_read_bytes", "0"}};
  EXPECT_EQ(row, expected);
}

TEST(DlaInfoCsv, LeavesTheDevicesCellsOfALayerOnTheCpuEmpty) {
  LayerInfo layer;
  layer.operation = "float_dense";
  layer.name = "fc";
  layer.on_cpu = CpuWork{640, 2856};
  std::map<std::string, std::string> row = only_row(format_dla_info(run_info(), {layer}));
  const std::map<std::string, std::string> filled = {
      {"Operation", "float_dense"}, {"Cycles", "5416"},         {"Time(ns)", "27080"}, {"layer", "fc"},
      {"backend", "cpu"},           {"machine", "eyeriss_6x8"}, {"macs", "640"}};
  for (const auto& [name, cell] : filled) {
    EXPECT_EQ(row[name], cell) << name;
    row.erase(name);
  }
  for (const auto& [name, cell] : row) {
    EXPECT_EQ(cell, "") << name;
  }
}

TEST(DlaInfoCsv, NamesTheTargetOfTheUsersThatRanALayer) {
  LayerInfo layer;
  layer.operation = "qlinear";
  layer.name = "fc";
  layer.on_cpu = CpuWork{.macs = 640, .bytes = 2856, .target = "gemm", .cycles = 68};
  std::map<std::string, std::string> row = only_row(format_dla_info(run_info(), {layer}));
  EXPECT_EQ(row["backend"], "gemm");
  EXPECT_EQ(row["Cycles"], "68") << "its own, not those of the declared CPU";
  EXPECT_EQ(row["dram"], "");
}

TEST(DlaInfoCsv, QuotesAnAwkwardLayerName) {
  LayerInfo layer = conv1();
  layer.name = "a,\"b\"";
  EXPECT_THAT(format_dla_info(run_info(), {layer}), testing::HasSubstr(",\"a,\"\"b\"\"\",rtl,"));
}

TEST(DlaInfoCsv, WritesTheFileAndLeavesNoTemporary) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "dla_info_csv_test";
  std::filesystem::remove_all(folder);
  write_dla_info(folder / "output" / "dla_info.csv", run_info(), {conv1()});
  std::ifstream file(folder / "output" / "dla_info.csv");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), format_dla_info(run_info(), {conv1()}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "output"), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(DlaInfoCsv, NamesAPathThatCannotBeWritten) {
  try {
    write_dla_info("/proc/nothing/dla_info.csv", run_info(), {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("/proc/nothing/dla_info.csv: cannot be written"));
  }
}

}  // namespace
}  // namespace fovea
