// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program that measures is run, and each way in which it may fail gets its one line. Stand-ins are shell scripts.
#include "measure.h"

#include <gtest/gtest.h>

#include <fstream>

#include "ir/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class Measure : public testing::Test {
 protected:
  Measure() : program_(fs::path(testing::TempDir()) / "fovea_measure_stand_in") {}
  ~Measure() override { fs::remove(program_); }

  std::vector<std::uint64_t> measure(const std::string& script) {
    std::ofstream(program_) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program_, fs::perms::owner_all);
    return measure_cycles({program_, "machine.json", "systemc", std::chrono::seconds(1)}, {}, {dla_mapping{}, {}});
  }

  std::string fault(const std::string& script) {
    try {
      measure(script);
    } catch (const UserError& error) {
      return std::string(error.what()).substr(program_.string().size() + 2);
    }
    return "measured";
  }

  fs::path program_;
};

TEST_F(Measure, HandsTheAnswerOn) {
  const std::vector<std::uint64_t> cycles = measure(R"(echo '{"layers": [{"cycles": 7}, {"cycles": 5}]}' > "$8")");
  EXPECT_EQ(cycles, (std::vector<std::uint64_t>{7, 5}));
}

TEST_F(Measure, NamesWhatWentWrong) {
  EXPECT_EQ(fault("echo first >&2; echo no such machine >&2; exit 3"), "failed: no such machine");
  EXPECT_EQ(fault("kill -9 $$"), "failed");
  EXPECT_EQ(fault("sleep 9"), "took more than 1 s; tune fewer mappings");
  EXPECT_EQ(fault("exit 0"), "did not answer for every layer; is it measure_layers of this build?");
  EXPECT_EQ(fault(R"(echo '{"layers": [{"cycles": 7}]}' > "$8")"),
            "did not answer for every layer; is it measure_layers of this build?");
  program_ = "no/such/measure_layers";
  EXPECT_THROW(measure_cycles({program_, "", "", std::chrono::seconds(1)}, {}, {}), UserError);
}

}  // namespace
}  // namespace fovea
