// SPDX-License-Identifier: Apache-2.0
/// \file
/// The schema as SQL.
#include "result_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/digest.h"

namespace fovea {
namespace {

std::vector<ResultColumn> columns_of(const ResultTable& table) {
  std::vector<ResultColumn> all = table.key;
  all.insert(all.end(), table.rest.begin(), table.rest.end());
  return all;
}

/// "a, b, c" of columns. \param with_types  As CREATE TABLE has them.
std::string listed(const std::vector<ResultColumn>& columns, bool with_types = false) {
  constexpr const char* kTypes[] = {" INTEGER NOT NULL", " REAL NOT NULL", " TEXT NOT NULL"};
  std::string text;
  for (const ResultColumn& column : columns) {
    text += (text.empty() ? "" : ", ") + column.name + (with_types ? kTypes[static_cast<int>(column.type)] : "");
  }
  return text;
}

const ResultTable& table_of(const std::string& name) {
  for (const ResultTable& table : result_tables()) {
    if (table.name == name) {
      return table;
    }
  }
  throw UsageError("table " + name + ": there is none in a database of results");
}

}  // namespace

ResultMachine result_machine(const MachineFile& machine) {
  nlohmann::ordered_json fields;
  for (const auto& [name, value] : timing_fields(machine)) {
    fields[name] = value;
  }
  const AccessEnergy energy = machine.access_energy();
  fields["energy"] = {{"mac", energy.mac},
                      {"ifmap_spad", energy.ifmap_spad},
                      {"filter_spad_write", energy.filter_spad_write},
                      {"filter_spad_read", energy.filter_spad_read},
                      {"operand_hop", energy.operand_hop},
                      {"psum_hop", energy.psum_hop},
                      {"glb_word", energy.glb_word},
                      {"dram_byte", energy.dram_byte}};
  fields["dram"] = machine.dram.name;  // Of numbers of its own, this is their digest.
  const std::string text = fields.dump();
  Digest digest;
  digest.add(text);
  return {digest.text(), text};
}

ResultStore::ResultStore(const std::string& path, std::chrono::milliseconds wait) : file_(path, wait) {
  if (file_.number("PRAGMA user_version") == 0) {
    make();
  }
  const std::int64_t version = file_.number("PRAGMA user_version");
  if (version != kResultsVersion) {
    file_.refuse("a database of version " + std::to_string(version) + ", and this Fovea reads version " +
                 std::to_string(kResultsVersion) + "; give another file, or remove this one to compute anew");
  }
  if (file_.number("PRAGMA application_id") != kResultsApplication) {
    file_.refuse("a database of something else; give another file");
  }
}

/// Makes the tables, unless another program has meanwhile.
void ResultStore::make() const {
  file_.write([&] {
    if (file_.number("PRAGMA user_version") != 0) {
      return;
    }
    if (file_.number("SELECT count(*) FROM sqlite_master") != 0) {
      file_.refuse("a database of something else; give another file");
    }
    for (const ResultTable& table : result_tables()) {
      file_.run("CREATE TABLE " + table.name + " (" + listed(columns_of(table), true) + ", PRIMARY KEY (" +
                listed(table.key) + ")) WITHOUT ROWID");
    }
    file_.run("PRAGMA application_id = " + std::to_string(kResultsApplication));
    file_.run("PRAGMA user_version = " + std::to_string(kResultsVersion));
  });
}

void ResultStore::add(const std::vector<ResultRows>& parts) const {
  file_.write([&] {
    for (const ResultRows& part : parts) {
      const std::size_t columns = columns_of(table_of(part.table)).size();
      std::string marks = "?";
      for (std::size_t i = 1; i < columns; ++i) {
        marks += ", ?";
      }
      internal_check(std::ranges::all_of(part.rows, [&](const SqlRow& row) { return row.size() == columns; }),
                     "rows of " + part.table + " with all columns");
      file_.run_each("INSERT OR IGNORE INTO " + part.table + " VALUES (" + marks + ")", part.rows);
    }
  });
}

std::vector<SqlRow> ResultStore::find(const std::string& table, const SqlRow& first) const {
  const ResultTable& of = table_of(table);
  const std::vector<ResultColumn> columns = columns_of(of);
  internal_check(first.size() <= of.key.size(), "values of key columns");
  std::string where;
  for (std::size_t i = 0; i < first.size(); ++i) {
    where += (i == 0 ? " WHERE " : " AND ") + columns[i].name + " = ?";
  }
  return file_.rows("SELECT " + listed(columns) + " FROM " + table + where + " ORDER BY " + listed(of.key), first);
}

}  // namespace fovea
