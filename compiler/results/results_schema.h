// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tables of a database of results: the one place that says what is in the file. Python has it from `_fovea`.
#pragma once

#include <string>
#include <vector>

namespace fovea {

/// In the file as PRAGMA user_version: another number after each change to a table, to what a column has, or to
/// ResultMachine::text.
inline constexpr int kResultsVersion = 2;

/// In the file as PRAGMA application_id: "FOVE".
inline constexpr int kResultsApplication = 0x464f5645;

enum class ColumnType { kInteger, kReal, kText };

struct ResultColumn {
  std::string name;
  ColumnType type = ColumnType::kText;
};

/// A row is found by the columns of its key, which come first.
struct ResultTable {
  std::string name;
  std::vector<ResultColumn> key, rest;
};

/// All tables.
inline const std::vector<ResultTable>& result_tables() {
  constexpr ColumnType kInteger = ColumnType::kInteger, kReal = ColumnType::kReal;
  // What results are of: ResultKey.
  const std::vector<ResultColumn> of = {
      {"model", kInteger}, {"machine"}, {"memory"}, {"objective"}, {"slack", kInteger}};
  const auto with = [](std::vector<ResultColumn> columns, const std::vector<ResultColumn>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
  };
  const std::vector<ResultColumn> bytes_and_energy = {
      {"dram_read_bytes", kInteger}, {"dram_write_bytes", kInteger}, {"energy_macs", kReal}};
  const std::vector<ResultColumn> costs = with({{"cycles", kInteger}}, bytes_and_energy);
  static const std::vector<ResultTable> tables = {
      // A layer's command, by the text of what is asked for; `mapping` is "" where none fits, for `reason`. Cycles by
      // cause are those of CyclesByCause.
      {"layers", with(of, {{"asked"}}),
       with({{"shape"},
             {"mapping"},
             {"reason"},
             {"search_cycles", kInteger},
             {"cycles", kInteger},
             {"compute_cycles", kInteger},
             {"psum_cycles", kInteger},
             {"filter_cycles", kInteger},
             {"ifmap_cycles", kInteger},
             {"dram_cycles", kInteger},
             {"output_cycles", kInteger},
             {"control_cycles", kInteger}},
            bytes_and_energy)},
      // A network, by the digest of its file and of how it is read, with its residency unless that is none: sums, of
      // all
      // pictures of a batch, and its layers as JSON.
      {"evaluations", with(of, {{"network"}}), with(costs, {{"accelerator_cycles", kInteger}, {"layers"}})},
      // The same as simulated by a backend, of Fovea's `version`. Cycles are the accelerator's.
      {"confirmations", with(of, {{"network"}, {"backend"}, {"version"}}), costs},
      // What a machine's digest is of, for those who read the file.
      {"machines", {{"machine"}}, {{"fields"}}},
  };
  return tables;
}

}  // namespace fovea
