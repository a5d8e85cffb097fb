// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is said where a library can't be built. That one is built, and runs, is a question of testbench/install.
#include "machine_library.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "files/scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// PATH is of these programs only, as long as the object lives.
class OnlyPrograms {
 public:
  explicit OnlyPrograms(const std::vector<std::pair<std::string, std::string>>& scripts) {
    for (const auto& [name, body] : scripts) {
      const fs::path file = folder_ / name;
      std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
      fs::permissions(file, fs::perms::owner_all);
    }
    setenv("PATH", (folder_ / "").c_str(), 1);
  }
  ~OnlyPrograms() { setenv("PATH", before_.c_str(), 1); }
  OnlyPrograms(const OnlyPrograms&) = delete;
  OnlyPrograms& operator=(const OnlyPrograms&) = delete;

 private:
  ScratchFolder folder_;
  std::string before_ = std::getenv("PATH");
};

const MachineLibrary kLibrary = {"sim/spec/machines/eyeriss_6x8.json", "eyeriss_6x8", ""};

std::string refusal(const ScratchFolder& scratch, std::chrono::seconds limit) {
  try {
    build_machine_library(kLibrary, scratch / "", scratch / "build", scratch / "log", {}, limit);
  } catch (const UserError& error) {
    return error.what();
  }
  return "built";
}

TEST(MachineLibrary, NamesTheMissingProgramsAndWhatWorks) {
  const ScratchFolder scratch;
  const OnlyPrograms none({{"c++", ""}, {"make", ""}});
  EXPECT_EQ(
      refusal(scratch, std::chrono::seconds(5)),
      "the RTL of eyeriss_6x8: to build it, verilator, cmake would have to be here; apt-get install verilator cmake, "
      "or take --backend systemc, which needs no building");
}

TEST(MachineLibrary, NamesTheCauseAndTheLog) {
  const ScratchFolder scratch;
  const OnlyPrograms broken({{"c++", ""},
                             {"make", ""},
                             {"verilator", ""},
                             {"cmake", "echo busy; echo 'CMake Error at a:1:'; echo; echo '  no such thing'; exit 1"}});
  EXPECT_EQ(refusal(scratch, std::chrono::seconds(5)),
            "the RTL of eyeriss_6x8 can't be built: CMake Error at a:1: no such thing; all that was said is in " +
                (scratch / "log").string());
}

TEST(MachineLibrary, KnowsWhatFstWavesNeedAndWhoInterruptedIt) {
  const ScratchFolder scratch;
  for (const auto& [tool, expected] :
       {std::pair("echo 'CMake Error at a:1:'; echo '  Could NOT find ZLIB (missing: ZLIB_LIBRARY)'; exit 1",
                  ": its FST waves need zlib.h; apt-get install zlib1g-dev, or name a .vcd file, which does without"),
        std::pair("echo '%Error: Internal Error: ../V3Os.cpp:376'; echo 'ninja: build stopped: interrupted by user.'; "
                  "exit 2",
                  ": interrupted; the same command goes on with it"),
        std::pair("kill -INT $$", ": interrupted; the same command goes on with it")}) {
    const OnlyPrograms ended({{"c++", ""}, {"make", ""}, {"verilator", ""}, {"cmake", tool}});
    EXPECT_EQ(refusal(scratch, std::chrono::seconds(5)), std::string("the RTL of eyeriss_6x8") + expected);
  }
}

TEST(MachineLibrary, HasALimit) {
  const ScratchFolder scratch;
  const OnlyPrograms slow({{"c++", ""}, {"make", ""}, {"verilator", ""}, {"cmake", "exec /bin/sleep 60"}});
  EXPECT_EQ(refusal(scratch, std::chrono::seconds(1)), "the RTL of eyeriss_6x8: cmake has not ended in 1 seconds");
}

TEST(MachineLibrary, GoesOnWhereItWasEndedUnlessThatIsBroken) {
  const ScratchFolder scratch;
  const fs::path build = scratch / "build", library = scratch / "libfovea_rtl_eyeriss_6x8.so";
  const OnlyPrograms tools(
      {{"c++", ""},
       {"make", ""},
       {"verilator", ""},
       {"cmake", ""},
       {"ninja", "cd $2; [ -e broken ] && exit 1; /bin/mkdir -p lib/fovea; [ -e half ] && echo on >lib/fovea/" +
                     library.filename().string() + " || echo anew >lib/fovea/" + library.filename().string()}});
  for (const auto& [left, expected] : {std::pair("half", "on"), std::pair("broken", "anew")}) {
    fs::create_directory(build);
    std::ofstream(build / left) << "";
    EXPECT_EQ(refusal(scratch, std::chrono::seconds(5)), "built") << left;
    std::string said;
    std::ifstream(library) >> said;
    EXPECT_EQ(said, expected);
    EXPECT_FALSE(fs::exists(build));
  }
}

TEST(MachineLibrary, LeavesOnlyTheLogOfABuildThatFails) {
  const ScratchFolder scratch;
  const OnlyPrograms broken({{"c++", ""}, {"make", ""}, {"verilator", ""}, {"cmake", ""}, {"ninja", "exit 1"}});
  EXPECT_TRUE(refusal(scratch, std::chrono::seconds(5)).find("can't be built") != std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch / ""), {}), 1);
}

}  // namespace
}  // namespace fovea
