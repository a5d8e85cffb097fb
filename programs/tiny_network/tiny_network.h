// SPDX-License-Identifier: Apache-2.0
/// \file
/// For tests of the programs: a folder with a tiny compiled network and its pictures, and running a program on it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tensor/error.h"

namespace fovea {

/// How the pictures of input.bin are normalized.
inline const std::vector<std::string> kNormalized = {"--mean", "0.4914,0.4822,0.4465", "--std", "0.247,0.243,0.261"};

/// What is said on standard error where nobody names the outputs.
inline const std::string kNumbered = "outputs are numbered (--labels names them)\n";

/// What a program printed and returned.
struct Finished {
  int status = -1;
  std::string out, err;
};

/// Runs a program without a shell around its arguments, its standard input empty.
Finished run_command(const std::vector<std::string>& words);

/// Whole content of a file; "" where there is none.
std::string read_text(const std::filesystem::path& path);

/// The same as float32 numbers.
std::vector<float> read_floats(const std::filesystem::path& path);

/// Gives every test a new folder with model.so and weight.bin in net/, and input.bin: classes red, green and blue, two
/// pictures each.
class TinyNetwork : public testing::Test {
 protected:
  /// \param library  The compiled network.   \param program  The program under test.
  TinyNetwork(const std::filesystem::path& library, std::string program);
  ~TinyNetwork() override;

  /// Runs the program on the network with more words.
  virtual Finished run(std::vector<std::string> words) const;

  /// Runs it, expects this status, nothing on standard output and one line on standard error, and gives that line.
  std::string refusal(std::vector<std::string> words, ExitStatus status = kFailed) const;

  /// Path of a file in the test's folder, as text.
  std::string at(const std::string& name) const { return (folder / name).string(); }

  /// Replaces a file.
  void write(const std::string& name, const std::string& bytes) const;
  void write_floats(const std::string& name, const std::vector<float>& values) const;

  /// Puts another compiled network in net/.
  void use(const std::filesystem::path& library) const;

  std::filesystem::path folder;
  std::vector<std::string> program;  ///< Words that every run begins with.
};

}  // namespace fovea
