// SPDX-License-Identifier: Apache-2.0
/// \file
/// A database of results: what is found again, and faults that cost no row.
#include "result_store.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const ResultKey kKey = {1, "d0", "pipelined", "cycles", 2};

/// A row of evaluations.
SqlRow evaluation(std::int64_t number, std::size_t bytes = 2) {
  SqlRow row = kKey.values();
  for (const SqlValue& value : SqlRow{"n" + std::to_string(number), number, std::int64_t{1}, std::int64_t{2}, 0.5,
                                      number, std::string(bytes, 'x')}) {
    row.push_back(value);
  }
  return row;
}

class Results : public testing::Test {
 protected:
  Results() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Results() override { fs::remove_all(folder_); }

  /// Each in a statement of its own on the file. Without FILE's checks.
  void change(const std::string& sql) const { SqliteFile(path_, ResultStore::kWait).run(sql); }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What opening the file fails with, without its name. It stays as it is.
  std::string fault(std::chrono::milliseconds wait = ResultStore::kWait) const {
    const std::string before = bytes();
    try {
      const ResultStore store(path_, wait);
    } catch (const StoreError& error) {
      EXPECT_EQ(bytes(), before);
      EXPECT_THAT(error.what(), testing::StartsWith(path_ + ": "));
      return std::string(error.what()).substr(path_.size() + 2);
    }
    return "";
  }

  /// What adding rows fails with in a process of which `limit` makes less.
  std::string fault_of_adding(const std::vector<SqlRow>& rows, const std::function<void()>& limit) const {
    const fs::path said = folder_ / "said";
    std::ofstream(said).close();
    fs::permissions(said, fs::perms::all);
    const pid_t child = fork();
    if (child == 0) {
      limit();
      std::string text;
      try {
        const ResultStore store(path_);
        text = std::to_string(store.find("evaluations", {}).size()) + " rows, ";
        store.add({{"evaluations", rows}});
      } catch (const StoreError& error) {
        text += error.what();
      }
      const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_FSIZE, &none);
      std::ofstream(said) << text;
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    std::ifstream file(said);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "fovea_results";
  std::string path_ = (folder_ / "results.sqlite").string();
};

TEST_F(Results, AreFoundByTheFirstColumnsOfTheirKey) {
  const ResultStore store(path_);
  store.add(
      {{"evaluations", {evaluation(2), evaluation(1)}}, {"machines", {SqlRow{std::string("d0"), std::string("{}")}}}});
  SqlRow changed = evaluation(1);
  changed.back() = std::string("other");
  store.add({{"evaluations", {changed, evaluation(3)}}});  // What is there already stays.
  const std::vector<SqlRow> all = {evaluation(1), evaluation(2), evaluation(3)};
  EXPECT_EQ(store.find("evaluations", {}), all);
  EXPECT_EQ(ResultStore(path_).find("evaluations", kKey.values()), all);
  SqlRow one = kKey.values();
  one.emplace_back(std::string("n2"));
  EXPECT_EQ(store.find("evaluations", one), std::vector<SqlRow>{evaluation(2)});
  one.front() = std::int64_t{2};
  EXPECT_TRUE(store.find("evaluations", one).empty());
  EXPECT_EQ(store.find("machines", {}).size(), 1u);
  EXPECT_THROW(store.find("none", {}), UsageError);
}

TEST_F(Results, OfNoMachineThatDiffersAreTaken) {
  const MachineFile machine = read_machine("sim/spec/machines/eyeriss_6x8.json");
  const std::string digest = result_machine(machine).digest;
  MachineFile other = machine;
  other.name = "mine";
  EXPECT_EQ(result_machine(other).digest, digest);
  const auto differs = [&](const auto& change) {
    MachineFile changed = machine;
    change(changed);
    return result_machine(changed).digest != digest;
  };
  EXPECT_TRUE(differs([](MachineFile& m) { m.geometry.glb_bytes /= 2; }));
  EXPECT_TRUE(differs([](MachineFile& m) { m.energy.glb = 7; }));
  EXPECT_TRUE(differs([](MachineFile& m) { m.clock_mhz = 100; }));
  EXPECT_TRUE(differs([](MachineFile& m) { m.cpu.cycles_per_mac = 5; }));
  EXPECT_TRUE(differs([](MachineFile& m) { m.dram = dram_preset("ddr"); }));
}

TEST_F(Results, AreNotTakenFromAFileOfSomethingElse) {
  std::ofstream(path_) << std::string(2000, 'x');
  EXPECT_EQ(fault(), "no SQLite database; give another file");
  fs::remove(path_);
  change("CREATE TABLE other (a)");
  EXPECT_EQ(fault(), "a database of something else; give another file");
  change("PRAGMA user_version = " + std::to_string(kResultsVersion));
  EXPECT_EQ(fault(), "a database of something else; give another file");
  path_ = (folder_ / "none" / "results.sqlite").string();
  EXPECT_EQ(fault(), "cannot be opened; give a file in a folder that is there and can be written");
}

TEST_F(Results, OfAnotherVersionAreRefused) {
  ResultStore(path_).add({{"evaluations", {evaluation(1)}}});
  change("PRAGMA user_version = 99");
  EXPECT_EQ(fault(), "a database of version 99, and this Fovea reads version " + std::to_string(kResultsVersion) +
                         "; give another file, or remove this one to compute anew");
}

TEST_F(Results, WaitForOthersNotForEver) {
  ResultStore(path_).add({{"evaluations", {evaluation(1)}}});
  const SqliteFile other(path_, ResultStore::kWait);
  other.run("BEGIN EXCLUSIVE");
  EXPECT_EQ(fault(std::chrono::milliseconds(20)), "another program has kept it for 1 s; try again when that has ended");
  other.run("COMMIT");
  EXPECT_EQ(fault(), "");
}

TEST_F(Results, SurviveAFullDisk) {
  std::vector<SqlRow> rows(1, evaluation(1));
  ResultStore(path_).add({{"evaluations", rows}});
  for (std::int64_t number = 2; number < 200; ++number) {
    rows.push_back(evaluation(number, 4000));
  }
  const std::string said = fault_of_adding(rows, [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlim_t most = fs::file_size(path_) + 100'000;
    const rlimit limit = {most, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(said, "1 rows, " + path_ +
                      ": cannot be written, the disk or a quota is full, or it is faulty; the rows of before are kept");
  EXPECT_EQ(ResultStore(path_).find("evaluations", {}), std::vector<SqlRow>{evaluation(1)});
  ResultStore(path_).add({{"evaluations", rows}});
  EXPECT_EQ(ResultStore(path_).find("evaluations", {}).size(), rows.size());
}

TEST_F(Results, OfAReadOnlyFileAreRead) {
  ResultStore(path_).add({{"evaluations", {evaluation(1)}}});
  fs::permissions(path_, fs::perms(0444));
  const std::string said = fault_of_adding({evaluation(2)}, [] {
    if (geteuid() == 0) {
      ASSERT_EQ(setuid(65534), 0);  // To the superuser, nothing is read-only.
    }
  });
  EXPECT_EQ(said, "1 rows, " + path_ + ": cannot be written, it is read-only; give another file, or make it writable");
  EXPECT_EQ(ResultStore(path_).find("evaluations", {}), std::vector<SqlRow>{evaluation(1)});
}

}  // namespace
}  // namespace fovea
