// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a network on what the options name, and prints the answer.
#include "program.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "answer.h"
#include "dataset/labels.h"
#include "dataset/picture_input.h"
#include "dataset/pictures.h"
#include "files/output_folder.h"
#include "input_file.h"
#include "port_files.h"
#include "spec/json_file.h"
#include "tensor/error.h"
#include "tensor/tensor.h"
#include "workers.h"

namespace fovea {
namespace {

/// A run in progress: what is read once and used for every picture.
struct Job {
  const ProgramOptions& options;
  const LoadedNetwork& network;
  const RunNetwork& run;
  Progress& progress;
  std::ostream& out;
  Labels labels = {};
  bool is_random = false;  ///< No input is given.

  const Port& input() const { return network.inputs().front(); }
  std::string name() const { return (options.model.empty() ? options.net : options.model).string(); }
  std::vector<float> classify(std::span<const float> planes) const {
    return run({picture_input(planes, input().shape, labels)}).front();
  }
  uint32_t answer(std::span<const float> planes) const { return static_cast<uint32_t>(best_of(classify(planes))); }
};

/// Answers `count` pictures, in as many processes as the options say, and takes the answers in their order.
void answer_all(const Job& job, std::size_t count, const std::function<uint32_t(std::size_t)>& answer,
                const std::function<void(std::size_t, uint32_t)>& take) {
  work_in_processes(
      count, job.options.jobs, answer, [&](std::size_t done) { job.progress.update_pictures(done, count); },
      [&](std::size_t picture, uint32_t label) {
        job.progress.clear();
        take(picture, label);
      });
}

void print_files(const Job& job, const std::filesystem::path& input) {
  job.out << "Input file: " << input.string() << "\n"
          << "Weight file: " << (job.options.net / "weight.bin").string() << "\n";
}

void print_json(const Job& job, std::span<const float> logits) {
  nlohmann::json answer;
  const std::vector<double> likely = probabilities(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    answer["classes"].push_back({{"name", job.labels.names[i]}, {"logit", logits[i]}, {"probability", likely[i]}});
  }
  answer["answer"] = job.labels.names[best_of(logits)];
  job.out << json_text(answer);
}

void print_tensors(const Job& job, const Tensors& tensors) {
  const std::vector<Port>& outputs = job.network.outputs();
  const bool has_several = outputs.size() > 1;
  nlohmann::ordered_json json;
  if (job.is_random) {
    json["random_seed"] = job.options.seed;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (job.options.json) {
      (has_several ? json["outputs"][outputs[i].name] : json["output"]) = tensors[i];
      continue;
    }
    job.out << (has_several ? outputs[i].name + ":\n" : "");
    for (const float value : tensors[i]) {
      job.out << value << "\n";
    }
  }
  if (job.options.json) {
    job.out << json_text(json);
  }
}

Tensors read_tensors(const Job& job) {
  const std::vector<Port>& inputs = job.network.inputs();
  const auto files = read_port_files("--input-raw", job.options.input_raw, inputs);
  Tensors tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string taker = inputs.size() == 1 ? "the network" : "its input " + inputs[i].name;
    tensors.push_back(read_port(files[i], inputs[i], taker));
  }
  return tensors;
}

/// From 0 to 1, the same everywhere; of a picture's shape the pixels of one.
Tensors draw_tensors(const Job& job) {
  std::mt19937 draw(job.options.seed);
  Tensors tensors;
  for (const Port& port : job.network.inputs()) {
    std::vector<float>& tensor = tensors.emplace_back(port.size());
    std::generate(tensor.begin(), tensor.end(), [&] { return static_cast<float>(draw() >> 8) * 0x1p-24f; });
    tensor = picture_input(tensor, port.shape, job.labels);
  }
  return tensors;
}

void print_summaries(const Job& job, const Tensors& tensors) {
  if (job.options.json || job.options.quiet) {
    print_tensors(job, tensors);
    return;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    print_output_summary(job.out, job.network.outputs()[i].name, tensors[i]);
  }
}

/// \param inputs  Made once it is known where outputs go.
void run_tensors(const Job& job, const std::function<Tensors()>& inputs,
                 const std::function<void(const Job&, const Tensors&)>& print) {
  const std::string& written = job.options.output_raw;
  std::vector<std::filesystem::path> files;
  if (!written.empty()) {
    files = read_port_files("--output-raw", written, job.network.outputs());
    check_no_file_twice("--output-raw", files);
  }
  const Tensors outputs = job.run(inputs());
  if (written.empty()) {
    print(job, outputs);
    return;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    write_file(files[i], std::as_bytes(std::span(outputs[i])));
  }
  job.out << (job.options.json ? "{}\n" : "");
}

void run_random(const Job& job) {
  if (!job.options.quiet && !job.options.json) {
    job.out << "no input given: it takes random numbers from 0 to 1 (--seed " << job.options.seed << ")\n";
  }
  run_tensors(
      job, [&] { return draw_tensors(job); }, print_summaries);
}

/// Numbers that labels name: of a batch of pictures, those of one.
std::size_t labelled_outputs(const LoadedNetwork& network) {
  const Port& output = network.outputs().front();
  const std::vector<uint32_t>& input = network.inputs().front().shape;
  const bool is_batch = input.size() == 4 && output.shape.size() > 1 && output.shape.front() == input.front();
  return output.size() / (is_batch ? output.shape.front() : 1);
}

bool is_of_classes(const Port& port) {
  return port.size() > 1 && std::count(port.shape.begin(), port.shape.end(), 1u) + 1 == std::ssize(port.shape);
}

void run_image(const Job& job) {
  const std::optional<PictureForm> form = picture_form(job.input().shape);
  if (!form) {
    user_error(job.name() + ": its input is " + to_text(Shape(job.input().shape.begin(), job.input().shape.end())) +
               ", no picture of one or three channels; give it a tensor (--input-raw FILE)");
  }
  const Picture picture = stretch_picture(read_picture(job.options.image), form->size);
  const std::vector<Port>& outputs = job.network.outputs();
  if (outputs.size() != 1 || !is_of_classes(outputs[0])) {
    run_tensors(
        job, [&] { return Tensors{picture_input(picture.planes, job.input().shape, job.labels)}; }, print_summaries);
    return;
  }
  const std::vector<float> logits = job.classify(picture.planes);
  if (job.options.json) {
    print_json(job, logits);
    return;
  }
  if (!job.options.quiet) {
    print_rule(job.out);
    print_files(job, job.options.image);
  }
  print_rule(job.out);
  print_top5(job.out, job.labels.names, logits);
  print_rule(job.out);
}

void check_range(const std::string& name, uint32_t value, std::size_t count) {
  if (value >= count) {
    throw UsageError(name + " " + std::to_string(value) + ": out of range; choose 0 to " + std::to_string(count - 1));
  }
}

void run_one(const Job& job) {
  const ProgramOptions& o = job.options;
  const InputFile input = read_input_file(job.options.input, input_file_sizes(job.input().shape));
  check_range("--class", o.picture_class, input.classes.size());
  check_range("--index", o.index, input.per_class);
  if (!o.quiet && !o.json) {
    job.out << "===============[ single test ]===============\n";
    print_files(job, o.input);
    job.out << "Class index: " << o.picture_class << "\nImage index: " << o.index << "\n";
    print_rule(job.out);
    const std::string& name = input.classes[o.picture_class];
    job.out << "Image Test: " << o.index << "/" << input.per_class << " image class "
            << std::string(name.size() < 12 ? 12 - name.size() : 0, ' ') << name << "\n\n\n"
            << std::flush;
  }
  const std::vector<float> logits = job.classify(input.picture(o.picture_class, o.index));
  if (o.json) {
    print_json(job, logits);
    return;
  }
  print_rule(job.out);
  print_percentages(job.out, job.labels.names, logits);
  print_rule(job.out);
}

void print_score(const Job& job, std::size_t correct, std::size_t total) {
  if (job.options.json) {
    job.out << nlohmann::json{{"correct", correct}, {"total", total}}.dump() << "\n";
  } else {
    job.out << "Correct/Total: " << correct << "/" << total << "\n";
  }
}

void run_all(const Job& job) {
  const ProgramOptions& o = job.options;
  const InputFile input = read_input_file(job.options.input, input_file_sizes(job.input().shape));
  const std::vector<uint32_t> outputs = input.outputs(job.labels.names);
  const bool matrix = !o.json && !o.quiet;
  if (matrix) {
    job.out << "================[ full test ]================\n";
    print_files(job, o.input);
    print_rule(job.out);
    job.out << "'.' is PASS,'<num>' is the wrong prediction\n\n\n";
    print_rule(job.out);
  }
  std::size_t correct = 0;
  std::vector<uint32_t> row;
  const auto answer = [&](std::size_t picture) {
    const auto number = static_cast<uint32_t>(picture);
    return job.answer(input.picture(number / input.per_class, number % input.per_class));
  };
  answer_all(job, input.classes.size() * input.per_class, answer, [&](std::size_t picture, uint32_t label) {
    const std::size_t true_class = picture / input.per_class;
    const uint32_t true_label = outputs[true_class];
    correct += label == true_label ? 1 : 0;
    row.push_back(label);
    if (row.size() < input.per_class) {
      return;
    }
    if (matrix) {
      print_matrix_row(job.out, true_label, input.classes[true_class], row);
      job.out << std::flush;
    }
    row.clear();
  });
  if (matrix) {
    job.out << "\n";
  }
  print_score(job, correct, input.classes.size() * input.per_class);
  if (matrix) {
    print_rule(job.out);
  }
}

void run_pictures(const Job& job) {
  const BarePictures pictures = read_bare_pictures(job.options.pictures, job.options.classes, job.input().size());
  std::size_t correct = 0;
  answer_all(
      job, pictures.count(), [&](std::size_t picture) { return job.answer(pictures.planes(picture)); },
      [&](std::size_t picture, uint32_t label) { correct += label == pictures.true_class(picture) ? 1 : 0; });
  print_score(job, correct, pictures.count());
}

/// Pictures have one way in, and classes one way out. \param has_classes  They are asked for.
void check_takes_pictures(const Job& job, bool has_classes) {
  const std::vector<Port>&inputs = job.network.inputs(), &outputs = job.network.outputs();
  if (inputs.size() != 1 || (has_classes && outputs.size() != 1)) {
    user_error(job.name() + ": this network takes " + names_of_ports(inputs) + " and gives " + names_of_ports(outputs) +
               ", not a picture and its classes; give it tensors (--input-raw " + form_of_port_files(inputs) + ")");
  }
}

/// Whether one of the sample pictures is what the network was made for.
bool knows_samples(const Job& job) {
  if (job.options.samples.empty() || job.network.inputs().size() != 1 || !job.labels.has_names) {
    return false;
  }
  const InputFile samples = read_input_file(job.options.samples);
  const std::vector<std::size_t> sizes = input_file_sizes(job.input().shape);
  return samples.classes == job.labels.names && samples.floats_per_picture == sizes[0];
}

}  // namespace

void run_program(const ProgramOptions& options, const LoadedNetwork& network, const RunNetwork& run, Progress& progress,
                 std::ostream& out) {
  ProgramOptions settled = options;
  Job job{settled, network, run, progress, out};
  if (!options.input_raw.empty()) {
    run_tensors(
        job, [&] { return read_tensors(job); }, print_tensors);
    return;
  }
  if (network.inputs().empty()) {
    run_tensors(
        job, [] { return Tensors(); }, print_tensors);
    return;
  }
  if (network.outputs().size() == 1) {
    job.labels = read_labels(options.model, labelled_outputs(network), options.labels);
  }
  const bool is_given = !options.input.empty() || !options.image.empty() || !options.pictures.empty() || options.full;
  if (!is_given && !knows_samples(job)) {
    job.is_random = true;
    run_random(job);
    return;
  }
  if (options.input.empty()) {
    settled.input = options.samples;
  }
  check_takes_pictures(job, options.image.empty());
  if (network.outputs().size() == 1 && !options.output_raw.empty()) {
    throw UsageError("--output-raw requires --input-raw: of a picture, the classes are printed");
  }
  if (!options.image.empty()) {
    run_image(job);
  } else if (!options.pictures.empty()) {
    run_pictures(job);
  } else if (options.full) {
    run_all(job);
  } else {
    run_one(job);
  }
  if (const std::string note = note_on_labels(options.model, job.labels); !note.empty() && !options.quiet) {
    std::cerr << note << "\n";
  }
}

}  // namespace fovea
