// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command line that both programs share, and what becomes of an error.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "program.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {

void add_label_options(CLI::App& app, TypedLabels& labels) {
  app.add_option("--labels", labels.names, "text file with the outputs' names, one a line")->type_name("FILE");
  const auto add = [&](const char* name, std::optional<Channels>& value, bool is_positive, const char* description) {
    app.add_option_function<std::string>(
           name,
           [&value, name, is_positive](const std::string& text) { value = parse_channels(name, text, is_positive); },
           description)
        ->type_name("R,G,B");
  };
  add("--mean", labels.mean, false, "mean of the pixels, which go from 0 to 1; one number or three");
  add("--std", labels.deviation, true, "their standard deviation");
}

std::ostream& beside(const std::vector<std::filesystem::path>& files, std::ostream& out) {
  const bool is_taken = std::any_of(files.begin(), files.end(), [](const std::filesystem::path& file) {
    const std::string name = file.string();
    return name == "-" || name.ends_with("=-") || name.find("=-,") != std::string::npos;
  });
  return is_taken ? std::cerr : out;
}

std::vector<CLI::Option*> add_input_options(CLI::App& app, ProgramOptions& o, const std::string& image_name) {
  auto* input = app.add_option("--input", o.input, "pictures made by `foveac dataset`")->type_name("FILE");
  app.add_option("--class", o.picture_class, "class of the picture in --input")->capture_default_str();
  app.add_option("--index", o.index, "which picture of that class; of a batch the first")->capture_default_str();
  auto* image =
      app.add_option(image_name, o.image,
                     "a PNG, JPEG or PPM picture, of a batch several, a.png,b.png; prints the five likeliest classes")
          ->type_name("FILE");
  auto* raw = app.add_option("--input-raw", o.input_raw,
                             "the input as float32 or .npy, already normalized; of several, name=file,name2=file2")
                  ->type_name("FILE");
  app.add_option("--output-raw", o.output_raw, "file for the output, float32; likewise; - is standard output")
      ->type_name("FILE");
  auto* pictures =
      app.add_option("--pictures", o.pictures, "uint8 [N, C, H, W]; runs all, and prints the score")->type_name("FILE");
  pictures->needs(app.add_option("--classes", o.classes, "uint8 [N], of --pictures")->type_name("FILE"));
  app.add_option("--seed", o.seed, "seed of the random input, from 0 to 1, if none is given")
      ->type_name("N")
      ->capture_default_str();
  add_label_options(app, o.labels);
  app.add_option("--dump-layers", o.dump_layers, "folder for every layer's output tensor, and index.json")
      ->type_name("FOLDER");
  app.add_flag("--full", o.full, "run all pictures of --input")->excludes(image)->excludes(raw)->excludes(pictures);
  app.add_option("--jobs", o.jobs, "processes that share the pictures of --full and --pictures")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--json", o.json, "print the answer as JSON");
  app.add_flag("--quiet", o.quiet, "print the answer only");
  input->excludes(image)->excludes(raw)->excludes(pictures);
  image->excludes(raw)->excludes(pictures);
  raw->excludes(pictures);
  return {input, image, raw, pictures};
}

void check_input_options(const ProgramOptions& o) {
  if (o.jobs > 1 && !o.dump_layers.empty()) {
    throw CLI::ValidationError("--jobs", "--dump-layers is written by one process; leave one out");
  }
}

void add_program_options(CLI::App& app, ProgramOptions& o) {
  app.add_option("--net", o.net, "folder of the compiled network (foveac's, with model.so)")->required();
  app.add_option("--model", o.model, "the ONNX file; labels, mean and std come from the .json beside it");
  app.add_option("--samples", o.samples, "default pictures, as of --input, if their classes are the network's labels");
  const std::vector<CLI::Option*> given = add_input_options(app, o, "--image");
  app.get_option("--full")->needs(given[0]);
  app.callback([&o] { check_input_options(o); });
}

int run_main(CLI::App& app, int argc, char** argv, const std::function<void()>& body) {
  try {
    app.parse(argc, argv);
    body();
    std::cout.flush();
    if (!std::cout) {
      throw UserError("standard output: cannot be written");
    }
    return kDone;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);
    }
    std::cerr << shown_text(error.what()) << "; see " << argv[0] << " --help\n";
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << failure_text(error) << "\n";
    return status_of(error);
  }
}

}  // namespace fovea
