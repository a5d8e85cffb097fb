// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend that cannot be opened says why in one line.
#include "backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend_library.h"

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& name, const BackendOptions& options) {
  try {
    open_backend(name, options);
  } catch (const BackendError& error) {
    return error.what();
  }
  return "opened";
}

TEST(OpenBackend, ListsTheKnownNames) {
  EXPECT_THAT(refusal("fpga", {}), StartsWith("no backend 'fpga'; known: systemc, rtl"));
}

TEST(OpenBackend, ListsTheKnownPresets) {
  BackendOptions options;
  options.dram = "ddr5";
  EXPECT_THAT(refusal("rtl", options), StartsWith("no DRAM preset 'ddr5'; known: pipelined, lab"));
}

TEST(OpenBackend, NamesAMissingLibraryAndItsTarget) {
  BackendOptions options;
  options.machine.name = "unheard_of";
  options.waves.path = "a.fst";
  options.library_dir = "/nowhere";
  EXPECT_THAT(refusal("rtl", options), StartsWith("/nowhere/libfovea_rtl_unheard_of_fst.so is missing; build it with"));
  EXPECT_THAT(refusal("rtl", options), HasSubstr("--target fovea_rtl_unheard_of_fst"));
}

TEST(OpenBackend, HasOneSystemcLibraryForAllMachines) {
  BackendOptions options;
  options.machine.name = "unheard_of";
  options.library_dir = "/nowhere";
  EXPECT_THAT(refusal("systemc", options), StartsWith("/nowhere/libfovea_systemc.so is missing; build it with"));
  EXPECT_THAT(refusal("systemc", options), HasSubstr("--target fovea_systemc"));
}

TEST(OpenBackend, RefusesALibraryOfAnotherVersion) {
  const std::string ours = std::to_string(DLA_BACKEND_VERSION);
  BackendOptions options;
  options.library_dir = VERSION_FOLDER "99";
  EXPECT_EQ(refusal("systemc", options),
            VERSION_FOLDER "99/libfovea_systemc.so is of version 99 of the backends, and this program takes version " +
                ours + "; build it with: cmake --build <build folder> --target fovea_systemc");
  options.library_dir = VERSION_FOLDER "none";
  EXPECT_THAT(refusal("systemc", options),
              HasSubstr("none/libfovea_systemc.so is of no version of the backends, and this program takes version " +
                        ours + "; build it"));
}

// With a change of either, DLA_BACKEND_VERSION is another one, and so is this line.
TEST(BackendVersion, IsOfTheseSizes) {
  EXPECT_EQ(DLA_BACKEND_VERSION, 4u);
  EXPECT_EQ(sizeof(dla_hal_t), 80u);
  EXPECT_EQ(sizeof(BackendOptions), 976u);
}

TEST(Backends, SayWhatWavesTheyWrite) {
  EXPECT_THAT(backends_with_waves(".vcd"), testing::IsSupersetOf({"rtl", "systemc"}));
  EXPECT_THAT(backends_with_waves(".fst"), testing::Not(testing::Contains("systemc")));
  EXPECT_THAT(backends_with_waves(".fst"), testing::Contains("rtl"));
}

TEST(LibraryVariant, FollowsChecksAndWaves) {
  BackendOptions options;
  EXPECT_EQ(library_variant(options), "");
  options.checked = true;
  EXPECT_EQ(library_variant(options), "_checked");
  options.checked = false;
  options.waves.path = "output/a.vcd";
  EXPECT_EQ(library_variant(options), "_vcd");
  options.waves.path = "output/a.fst";
  EXPECT_EQ(library_variant(options), "_fst");
}

TEST(OpenBackend, RefusesAnotherFormatAndWavesWithChecks) {
  BackendOptions options;
  options.waves.path = "a.txt";
  EXPECT_EQ(refusal("rtl", options), "a.txt: the extension chooses the format of waves: .vcd or .fst");
  EXPECT_EQ(refusal("systemc", options), "a.txt: the SystemC model writes .vcd only; vcd2fst makes .fst of it");
  options.waves.path = "waves";
  EXPECT_EQ(refusal("rtl", options), "waves: the extension chooses the format of waves: .vcd or .fst");
  const std::filesystem::path full = std::filesystem::path(testing::TempDir()) / "fovea_full.vcd";
  std::filesystem::remove(full);
  std::filesystem::create_symlink("/dev/full", full);
  options.waves.path = full;
  for (const std::string backend : {"rtl", "systemc"}) {
    EXPECT_EQ(refusal(backend, options), full.string() + ": cannot be written; name a file on a disk with room");
  }
  std::filesystem::remove(full);
  options.waves.path = "a.vcd";
  options.checked = true;
  EXPECT_THAT(refusal("rtl", options), StartsWith("a.vcd: waves are dumped without assertions"));
}

}  // namespace
}  // namespace fovea
