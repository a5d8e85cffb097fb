// SPDX-License-Identifier: Apache-2.0
/// \file
/// An SQLite file, open; nothing outside of this folder knows SQL.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tensor/error.h"

namespace fovea {

/// A database can't be used, or not be written: what() is one line that names the file. Rows of before are safe.
class StoreError : public UserError {
 public:
  using UserError::UserError;
};

using SqlValue = std::variant<std::int64_t, double, std::string>;
using SqlRow = std::vector<SqlValue>;

/// All \throw StoreError.
class SqliteFile {
 public:
  /// Opens a file, or makes an empty one. \param wait  For other programs that write.
  SqliteFile(std::string path, std::chrono::milliseconds wait);

  /// A statement without rows, such as a PRAGMA that sets a number.
  void run(const std::string& sql) const;

  /// The number that a statement answers, such as a PRAGMA.
  std::int64_t number(const std::string& sql) const;

  /// The rows that a statement answers. \param bound  For its question marks.
  std::vector<SqlRow> rows(const std::string& sql, const SqlRow& bound) const;

  /// Runs a statement for each row of values.
  void run_each(const std::string& sql, const std::vector<SqlRow>& bound) const;

  /// Does `work` as the only program that writes, all of it or nothing.
  void write(const std::function<void()>& work) const;

  const std::string& path() const { return path_; }

  /// Throws StoreError: the file, and `what`.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct Close {
    void operator()(sqlite3* file) const { sqlite3_close(file); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement prepare(const std::string& sql) const;
  void bind(sqlite3_stmt* statement, const SqlRow& values) const;
  bool step(sqlite3_stmt* statement) const;
  void check(int code) const;
  std::string fault(int code) const;

  std::string path_;
  std::chrono::milliseconds wait_;
  std::unique_ptr<sqlite3, Close> file_;
};

}  // namespace fovea
