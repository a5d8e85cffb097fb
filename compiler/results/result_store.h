// SPDX-License-Identifier: Apache-2.0
/// \file
/// Results of searches, evaluations and runs, in an SQLite file: rows are found by their content, and several programs
/// may write. `fovea explore` and `--tuning` of the compiler use the same file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "results_schema.h"
#include "spec/machine_json.h"
#include "sqlite_file.h"

namespace fovea {

/// A machine as results are of it: by the numbers that they follow from, whatever its file is called and leaves out.
struct ResultMachine {
  std::string digest;  ///< Of `text`.
  std::string text;    ///< The numbers by their names, a JSON object.
};

ResultMachine result_machine(const MachineFile& machine);

/// What rows are of: the first columns of tables but `machines`.
struct ResultKey {
  std::int64_t model = 0;       ///< kModelVersion of who computed them.
  std::string machine, memory;  ///< ResultMachine::digest; DramPreset::name.
  std::string objective;
  std::int64_t slack = 0;  ///< Percent.

  SqlRow values() const { return {model, machine, memory, objective, slack}; }
};

/// Rows of a table, each with all of its columns in their order.
struct ResultRows {
  std::string table;
  std::vector<SqlRow> rows;
};

class ResultStore {
 public:
  /// For others that write, which takes them a moment.
  static constexpr std::chrono::milliseconds kWait{60'000};

  /// Opens a file, which is made where there is none. \throws StoreError where it can't be opened, is no database of
  /// results, or is one of another version.
  explicit ResultStore(const std::string& path, std::chrono::milliseconds wait = kWait);

  /// Adds rows, all or none; what is there already stays. \throws StoreError.
  void add(const std::vector<ResultRows>& parts) const;

  /// The rows of a table whose first columns have these values, in the order of their keys. \throws StoreError.
  std::vector<SqlRow> find(const std::string& table, const SqlRow& first) const;

  const std::string& path() const { return file_.path(); }

 private:
  void make() const;

  SqliteFile file_;
};

}  // namespace fovea
