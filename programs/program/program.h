// SPDX-License-Identifier: Apache-2.0
/// \file
/// What test_cpu and test_dla share: their options, and running a network on a picture, on all of them, or on a tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "network.h"
#include "progress.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fovea {

/// Options of both programs.
struct ProgramOptions {
  std::filesystem::path net;    ///< Folder of the compiled network.
  std::filesystem::path model;  ///< The ONNX file, for the labels beside it; may be empty.
  std::filesystem::path input;  ///< input.bin.
  /// Another one: where no input is given, and its classes are the network's labels, one of its pictures is taken.
  std::filesystem::path samples;
  uint32_t picture_class = 4, index = 9;
  std::filesystem::path image;              ///< A picture file, instead of `input`; for a batch several: images_of().
  std::string input_raw, output_raw;        ///< Files of tensors, instead of a picture (port_files.h).
  std::filesystem::path pictures, classes;  ///< uint8 [N, C, H, W] and uint8 [N], instead of `input`; all are run.
  TypedLabels labels;
  uint32_t seed = 1;  ///< Of the random numbers that are taken where there is no input.
  std::filesystem::path dump_layers;
  bool full = false;   ///< All pictures of `input`.
  unsigned jobs = 1;   ///< Processes that share several pictures.
  bool json = false;   ///< Answers as one JSON object.
  bool quiet = false;  ///< The answer only.
};

/// The picture files that --image names: one, or several with commas between.
std::vector<std::filesystem::path> images_of(const std::filesystem::path& image);

/// Adds the options to a command line.
void add_program_options(CLI::App& app, ProgramOptions& options);

/// Adds those of them that say what it runs on and what it prints. \param image  The name of the option of a picture.
/// \return what is given of --input, --image, --input-raw and --pictures: one of them excludes the others.
std::vector<CLI::Option*> add_input_options(CLI::App& app, ProgramOptions& options, const std::string& image);

/// What CLI11 does not check. \throws CLI::ValidationError.
void check_input_options(const ProgramOptions& options);

/// Adds --labels, --mean and --std.
void add_label_options(CLI::App& app, TypedLabels& labels);

/// Where to print for a person: standard error where one of the files to write is standard output, else `out`.
std::ostream& beside(const std::vector<std::filesystem::path>& files, std::ostream& out);

/// Runs the network once; what test_dla wraps to show progress.
using RunNetwork = std::function<Tensors(const Tensors&)>;

/// Reads the input that the options name, or draws one, runs, and prints the answer: classes in the lab's form. With
/// several jobs, `run` is called in processes of their own; the progress of one is shown by `run`, that of several
/// here. \throws UserError for bad input, UsageError for options that don't fit the network; whatever `run` throws.
void run_program(const ProgramOptions& options, const LoadedNetwork& network, const RunNetwork& run, Progress& progress,
                 std::ostream& out);

/// Parses the command line, runs `body`, and turns what it throws into one line and an ExitStatus.
int run_main(CLI::App& app, int argc, char** argv, const std::function<void()>& body);

}  // namespace fovea
