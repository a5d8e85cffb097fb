// SPDX-License-Identifier: Apache-2.0
/// \file
/// SQLite's C interface, and what its faults mean to a person.
#include "sqlite_file.h"

#include <utility>

namespace fovea {

SqliteFile::SqliteFile(std::string path, std::chrono::milliseconds wait) : path_(std::move(path)), wait_(wait) {
  sqlite3* file = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  file_.reset(file);
  check(code);
  sqlite3_extended_result_codes(file, 1);
  sqlite3_busy_timeout(file, static_cast<int>(wait.count()));
}

void SqliteFile::run(const std::string& sql) const {
  const Statement statement = prepare(sql);
  while (step(statement.get())) {
  }
}

std::int64_t SqliteFile::number(const std::string& sql) const {
  const std::vector<SqlRow> all = rows(sql, {});
  return std::get<std::int64_t>(all.at(0).at(0));
}

std::vector<SqlRow> SqliteFile::rows(const std::string& sql, const SqlRow& bound) const {
  const Statement statement = prepare(sql);
  bind(statement.get(), bound);
  std::vector<SqlRow> all;
  while (step(statement.get())) {
    SqlRow row;
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
      switch (sqlite3_column_type(statement.get(), i)) {
        case SQLITE_INTEGER:
          row.emplace_back(std::int64_t{sqlite3_column_int64(statement.get(), i)});
          break;
        case SQLITE_FLOAT:
          row.emplace_back(sqlite3_column_double(statement.get(), i));
          break;
        case SQLITE_TEXT:
          row.emplace_back(std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), i)),
                                       static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), i))));
          break;
        default:
          refuse("a value is of no type that results have; give another file");
      }
    }
    all.push_back(std::move(row));
  }
  return all;
}

void SqliteFile::run_each(const std::string& sql, const std::vector<SqlRow>& bound) const {
  const Statement statement = prepare(sql);
  for (const SqlRow& values : bound) {
    bind(statement.get(), values);
    while (step(statement.get())) {
    }
    sqlite3_reset(statement.get());
  }
}

void SqliteFile::write(const std::function<void()>& work) const {
  run("BEGIN IMMEDIATE");
  try {
    work();
    run("COMMIT");
  } catch (...) {
    if (sqlite3_get_autocommit(file_.get()) == 0) {  // SQLite itself ends it where the disk is full.
      sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    throw;
  }
}

void SqliteFile::refuse(const std::string& what) const { throw StoreError(shown_text(path_ + ": " + what)); }

SqliteFile::Statement SqliteFile::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(file_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr));
  return Statement(statement);
}

void SqliteFile::bind(sqlite3_stmt* statement, const SqlRow& values) const {
  int place = 0;
  for (const SqlValue& value : values) {
    ++place;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      check(sqlite3_bind_int64(statement, place, *integer));
    } else if (const auto* real = std::get_if<double>(&value)) {
      check(sqlite3_bind_double(statement, place, *real));
    } else {
      const auto& text = std::get<std::string>(value);
      check(sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    }
  }
}

/// Whether there is a row.
bool SqliteFile::step(sqlite3_stmt* statement) const {
  const int code = sqlite3_step(statement);
  if (code != SQLITE_DONE && code != SQLITE_ROW) {
    check(code);
  }
  return code == SQLITE_ROW;
}

void SqliteFile::check(int code) const {
  if (code != SQLITE_OK) {
    refuse(fault(code));
  }
}

std::string SqliteFile::fault(int code) const {
  switch (code & 0xff) {  // The rest tells faults of one kind apart.
    case SQLITE_FULL:
      return "there is no room to write results; make some, the rows of before are kept";
    case SQLITE_IOERR:
      return "cannot be written, the disk or a quota is full, or it is faulty; the rows of before are kept";
    case SQLITE_READONLY:
      return "cannot be written, it is read-only; give another file, or make it writable";
    case SQLITE_CANTOPEN:
      return "cannot be opened; give a file in a folder that is there and can be written";
    case SQLITE_NOTADB:
      return "no SQLite database; give another file";
    case SQLITE_CORRUPT:
      return "a damaged SQLite database; give another file";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program has kept it for " + std::to_string((wait_.count() + 999) / 1000) +
             " s; try again when that has ended";
    default:
      return sqlite3_errmsg(file_.get());
  }
}

}  // namespace fovea
