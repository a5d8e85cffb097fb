// SPDX-License-Identifier: Apache-2.0
/// \file
/// What `foveac --style lab` writes, built as the lab's page says, answers as the page's tables do: CPU_ONLY, and on
/// the simulated accelerator.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::string kVgg8 = NETS_DIR "/lab_vgg8/", kAlexNet = NETS_DIR "/lab_alexnet/";
const std::string kPictures = "../shared/data/cifar10_test100_input.bin";

/// What a program prints, its complaints included, and its exit status behind that if it is not 0.
std::string run(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  for (int letter = 0; pipe != nullptr && (letter = fgetc(pipe)) != EOF;) {
    text += static_cast<char>(letter);
  }
  const int status = pipe == nullptr ? -1 : pclose(pipe);
  return status == 0 ? text : text + "status " + std::to_string(WEXITSTATUS(status)) + "\n";
}

std::string run(const std::string& program, const std::string& net, const std::string& rest) {
  return run(PROGRAMS_DIR "/" + program + " -w " + net + "weight.bin -i " + rest);
}

/// The lab's page, for picture 9 of class 4.
const char* const kPageTable =
    "[    airplane]   5.203%\n[  automobile]   0.058%\n[        bird]   0.621%\n[         cat]   0.333%\n"
    "[        deer]  20.578%\n[         dog]   0.484%\n[        frog]   0.058%\n[       horse]  71.826%\n"
    "[        ship]   0.090%\n[       truck]   0.750%\n";

#define NEEDS_ALEXNET()                                                       \
  if (!fs::exists(kAlexNet + "model.c") || !fs::exists(kPictures)) {          \
    GTEST_SKIP() << "nothing to test here: ../shared was not there to build"; \
  }                                                                           \
  static_assert(true, "takes a semicolon")

TEST(LabEmission, GivesThePagesTableOnTheCpu) {
  NEEDS_ALEXNET();
  EXPECT_EQ(run("lab_alexnet_cpu", kAlexNet, kPictures + " -c 4 -n 9"), kPageTable);
}

TEST(LabEmission, GivesThePagesTableOnTheAccelerator) {
  NEEDS_ALEXNET();
  EXPECT_EQ(run("lab_alexnet_dla", kAlexNet, kPictures + " -c 4 -n 9"), kPageTable);
}

TEST(LabEmission, KnowsAsManyPicturesAsOnThePage) {
  NEEDS_ALEXNET();
  EXPECT_EQ(run("lab_alexnet_cpu", kAlexNet, kPictures), "Correct/Total: 87/100\n");
}

TEST(LabEmission, OurOwnNetworkKnowsItsPictures) {
  EXPECT_EQ(run("lab_vgg8_cpu", kVgg8, SAMPLES_FILE), "Correct/Total: 100/100\n");
}

TEST(LabEmission, OurOwnNetworkAnswersTheSameOnTheAccelerator) {
  const std::string table = run("lab_vgg8_cpu", kVgg8, SAMPLES_FILE " -c 4 -n 9");
  EXPECT_NE(table.find("[        deer]  9"), std::string::npos) << table;
  EXPECT_EQ(run("lab_vgg8_dla", kVgg8, SAMPLES_FILE " -c 4 -n 9"), table);
}

TEST(LabEmission, WindowsThatTheLabsMappingDoesNotSuitRunOnTheAcceleratorToo) {
  const std::string net = NETS_DIR "/lab_odd_windows/";
  const std::string first = run("lab_odd_windows_cpu", net, SAMPLES_FILE " -c 4 -n 9");
  const std::string second = run("lab_odd_windows_cpu", net, SAMPLES_FILE " -c 0 -n 0");
  EXPECT_NE(first, second) << "a network that looks at the picture";
  EXPECT_EQ(run("lab_odd_windows_dla", net, SAMPLES_FILE " -c 4 -n 9"), first);
  EXPECT_EQ(run("lab_odd_windows_dla", net, SAMPLES_FILE " -c 0 -n 0"), second);
}

TEST(LabEmission, TheModelSaysWhereThereIsNoDevice) {
  EXPECT_EQ(run("DRAM=none " PROGRAMS_DIR "/lab_vgg8_dla -w " + kVgg8 + "weight.bin -i " SAMPLES_FILE " -c 0 -n 0")
                .ends_with("a call of the model failed\nstatus 1\n"),
            true);
}

TEST(LabEmission, WeightsOfAnotherNetworkAreRefused) {
  const fs::path folder = fs::path(testing::TempDir()) / "lab_emission_test/";
  fs::create_directories(folder);
  const std::string file = folder.string() + "weight.bin";
  const auto answer = [&] { return run("lab_vgg8_cpu", folder.string(), SAMPLES_FILE " -c 0 -n 0"); };
  fs::copy_file(kVgg8 + "weight.bin", file, fs::copy_options::overwrite_existing);
  std::ofstream(file, std::ios::app) << 'x';
  EXPECT_EQ(answer(), file + ": not this network's weights: the file is too long\nstatus 1\n");
  fs::resize_file(file, fs::file_size(file) - 2);
  EXPECT_EQ(answer(), file + ": not this network's weights: the file is too short\nstatus 1\n");
  fs::remove(file);
  EXPECT_EQ(answer(), file + ": can't be opened\nstatus 1\n");
}

}  // namespace
