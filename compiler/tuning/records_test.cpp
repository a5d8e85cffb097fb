// SPDX-License-Identifier: Apache-2.0
/// \file
/// Records come back as they were written, of this machine only, and a bad file or a failed write loses nothing.
#include "records.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "loops/nest_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr dla_shape kShape = {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, true};
constexpr dla_mapping kMapping = {16, 1, 2, 4, 4, 2, 4, 16, true, 16, kDlaLoopOrderRowsFiltersChannels};

class Records : public testing::Test {
 protected:
  Records() {
    machine_.name = "small";
    machine_.geometry = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Records() override { fs::remove_all(folder_); }

  TuningRecord record(std::uint64_t cycles = 591'089) const {
    return {machine_.name, machine_version(machine_.geometry), Objective::kCycles, "pipelined", kShape, kMapping,
            cycles};
  }

  std::string read() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What reading this text says.
  std::string fault(const std::string& text) const {
    std::ofstream(path_) << text;
    try {
      const TuningRecords records(path_);
    } catch (const UserError& error) {
      EXPECT_EQ(read(), text) << "the file is left alone";
      return std::string(error.what()).substr(path_.string().size() + 2);
    }
    return "read";
  }

  MachineFile machine_;
  fs::path folder_ = fs::path(testing::TempDir()) / "fovea_records";
  fs::path path_ = folder_ / "tuning.json";
};

TEST_F(Records, ComeBack) {
  TuningRecords records;
  records.add(record(600'000));
  records.add(record());
  records.save(path_);
  const TuningRecords read(path_);
  ASSERT_EQ(read.all().size(), 1u) << "one a shape";
  EXPECT_EQ(read.all()[0].cycles, 591'089u);
  const auto found = read.find(machine_, Objective::kCycles, "pipelined", kShape);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->m, 16u);
  EXPECT_EQ(found->filter_buffers, 16u);
  EXPECT_TRUE(found->ifmap_resident);
  dla_shape other = kShape;
  other.pool = false;
  EXPECT_FALSE(read.find(machine_, Objective::kCycles, "pipelined", other));
  EXPECT_FALSE(read.find(machine_, Objective::kDram, "pipelined", kShape));
  EXPECT_FALSE(read.find(machine_, Objective::kCycles, "ddr", kShape));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no temporary file is left";
}

/// Files of versions that measured.
TEST_F(Records, MayBeMeasured) {
  TuningRecords records;
  records.add(record());
  records.save(path_);
  std::string text = read();
  text.replace(text.find("\"dram\": \"pipelined\""), 19, "\"predicted_cycles\": 591405");
  text.replace(text.find("\"cycles\": 591089"), 8, "\"measured_cycles\"");
  std::ofstream(path_) << text;
  EXPECT_EQ(TuningRecords(path_).all().at(0).cycles, 591'089u);
  EXPECT_TRUE(TuningRecords(path_).find(machine_, Objective::kCycles, "pipelined", kShape));
}

TEST_F(Records, OfAnotherMachineVersionAreNotUsed) {
  TuningRecords records;
  records.add(record());
  EXPECT_EQ(records.count_outdated(machine_), 0u);
  machine_.geometry.glb_bytes *= 2;
  EXPECT_FALSE(records.find(machine_, Objective::kCycles, "pipelined", kShape));
  EXPECT_EQ(records.count_outdated(machine_), 1u);
  machine_.name = "another";
  EXPECT_EQ(records.count_outdated(machine_), 0u) << "that is another machine, not a newer one";
}

TEST_F(Records, MayBeMissing) { EXPECT_TRUE(TuningRecords(folder_ / "none.json").all().empty()); }

TEST_F(Records, NameTheFaultOfABadFile) {
  EXPECT_EQ(fault("{\"records\": ["), "not JSON (at byte 14); repair it, or remove it and tune again");
  EXPECT_EQ(fault("[]"), "not a file of tuning records; repair it, or remove it and tune again");
  EXPECT_EQ(fault("{\"records\": [{\"machine\": 7}]}"),
            "record 0: type must be string, but is number; repair it, or remove it and tune again");
  EXPECT_EQ(fault(R"({"records": [], "schedules": [{"nest": "n", "cpu": 4}]})"),
            "schedule 0: type must be string, but is number; repair it, or remove it and tune again");
  EXPECT_EQ(fault(R"({"records": [], "schedules": 4})"),
            "schedule 0: cannot use at() with number; repair it, or remove it and tune again");
  TuningRecords records;
  records.add(record());
  records.save(path_);
  std::string text = read();
  text.replace(text.find("\"e_glb\""), 7, "\"eglob\"");
  EXPECT_EQ(fault(text), "record 0: \"e_glb\" is missing; repair it, or remove it and tune again");
  records.save(path_);
  text = read();
  text.replace(text.find("\"cycles\""), 8, "\"beauty\"");
  EXPECT_EQ(fault(text), "record 0: objective 'beauty' is not known; repair it, or remove it and tune again");
}

ScheduleRecord schedule(const std::string& nest, double nanoseconds) {
  return {nest, {"a processor", "a compiler"}, {"unroll k0"}, nanoseconds, 900};
}

TEST_F(Records, HaveSchedulesOfAHostBesideMappings) {
  update_records(path_, [&](TuningRecords& records) { records.add(record()); });
  for (const double nanoseconds : {700.5, 800.0}) {
    update_records(path_, [&](TuningRecords& records) { records.add(schedule("n", nanoseconds)); });
  }
  const TuningRecords read(path_);
  EXPECT_EQ(read.all().size(), 1u);
  ASSERT_EQ(read.schedules().size(), 1u);
  const Host host{"a processor", "a compiler"}, other{"a processor", "another compiler"};
  const ScheduleRecord* const found = read.find_schedule("n", host);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->nanoseconds, 700.5) << "the faster stays";
  EXPECT_EQ(found->trace, std::vector<std::string>{"unroll k0"});
  EXPECT_EQ(read.find_schedule("m", host), nullptr);
  EXPECT_EQ(read.find_schedule("n", other), nullptr);
  EXPECT_EQ(read.count_foreign(host), 0u);
  EXPECT_EQ(read.count_foreign(other), 1u);
}

TEST_F(Records, AreNotLostWhereProgramsAddSomeAtOnce) {
  constexpr int kPrograms = 4, kEach = 5;
  for (int program = 0; program < kPrograms; ++program) {
    if (fork() == 0) {
      for (int i = 0; i < kEach; ++i) {
        const std::string nest = std::to_string(program * kEach + i);
        update_records(path_, [&](TuningRecords& records) { records.add(schedule(nest, 1)); });
      }
      _exit(0);
    }
  }
  for (int status = 0; wait(&status) > 0;) {
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(TuningRecords(path_).schedules().size(), std::size_t{kPrograms * kEach});
}

TEST(NestKey, IsTheSameWhateverTheNestIsCalled) {
  const std::string rest = "(x: input f32[2], y: output f32[2]) { for i in 2 { y[i] = x[i] } }";
  const std::string key = nest_key(parse_nest("nest one" + rest, "n"));
  EXPECT_EQ(nest_key(parse_nest("nest two" + rest, "n")), key);
  EXPECT_NE(nest_key(parse_nest("nest one(x: input f32[3], y: output f32[3]) { for i in 3 { y[i] = x[i] } }", "n")),
            key);
}

TEST_F(Records, SurviveAFailedWrite) {
  TuningRecords records;
  records.add(record());
  records.save(path_);
  const std::string before = read();
  // A folder in the way of the file: the rename fails, as on a full disk the write would.
  const fs::path blocked = folder_ / "blocked.json";
  fs::create_directories(blocked / "inside");
  EXPECT_THROW(records.save(blocked), UserError);
  EXPECT_THROW(records.save(path_ / "below_a_file.json"), UserError);
  EXPECT_EQ(read(), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "no temporary file is left";
}

TEST(MachineVersion, FollowsEveryNumber) {
  const dla_machine machine = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
  dla_machine other = machine;
  EXPECT_EQ(machine_version(other), machine_version(machine));
  other.max_pass_filters = 64;
  EXPECT_NE(machine_version(other), machine_version(machine));
  other = machine;
  std::swap(other.rows, other.cols);
  EXPECT_NE(machine_version(other), machine_version(machine));
}

}  // namespace
}  // namespace fovea
