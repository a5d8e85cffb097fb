// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a network on what the options name, and prints the answer.
#include "program.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer.h"
#include "dataset/labels.h"
#include "dataset/pictures.h"
#include "files/output_folder.h"
#include "input_file.h"
#include "port_files.h"
#include "spec/json_file.h"
#include "tensor/error.h"
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

  const Port& input() const { return network.inputs().front(); }
  std::vector<float> classify(std::span<const float> planes) const {
    return run({normalize(planes, input().shape.empty() ? 0 : input().shape.front(), labels)}).front();
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
  const std::vector<double> probabilities = softmax(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    answer["classes"].push_back(
        {{"name", job.labels.names[i]}, {"logit", logits[i]}, {"probability", probabilities[i]}});
  }
  answer["answer"] = job.labels.names[best_of(logits)];
  job.out << json_text(answer);
}

void print_tensors(const Job& job, const Tensors& tensors) {
  const std::vector<Port>& outputs = job.network.outputs();
  const bool has_several = outputs.size() > 1;
  nlohmann::ordered_json json;
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
  if (inputs.empty() && job.options.input_raw.empty()) {
    return {};
  }
  const auto files = read_port_files("INPUT_RAW", job.options.input_raw, inputs);
  Tensors tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string taker = inputs.size() == 1 ? "the network" : "its input " + inputs[i].name;
    tensors.push_back(read_port(files[i], inputs[i], taker));
  }
  return tensors;
}

void run_raw(const Job& job) {
  const std::string& written = job.options.output_raw;
  std::vector<std::filesystem::path> files;
  if (!written.empty()) {
    files = read_port_files("OUTPUT_RAW", written, job.network.outputs());
    check_no_file_twice("OUTPUT_RAW", files);
  }
  const Tensors outputs = job.run(read_tensors(job));
  if (written.empty()) {
    print_tensors(job, outputs);
    return;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    write_file(files[i], std::as_bytes(std::span(outputs[i])));
  }
  job.out << (job.options.json ? "{}\n" : "");
}

void run_image(const Job& job) {
  const std::vector<uint32_t>& shape = job.input().shape;
  if (shape.size() != 3 || shape[0] != 3) {
    user_error(job.options.net.string() + ": this network does not take RGB pictures; give it a tensor (INPUT_RAW=)");
  }
  const PictureSize size{shape[1], shape[2]};
  const Picture picture = stretch_picture(read_picture(job.options.image), size);
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
    throw UsageError(name + "=" + std::to_string(value) + ": out of range; choose 0 to " + std::to_string(count - 1));
  }
}

void run_one(const Job& job) {
  const ProgramOptions& o = job.options;
  const InputFile input = read_input_file(job.options.input, job.input().size());
  check_range("CLASS", o.picture_class, input.classes.size());
  check_range("INDEX", o.index, input.per_class);
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
  const InputFile input = read_input_file(job.options.input, job.input().size());
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
    const auto true_label = static_cast<uint32_t>(picture / input.per_class);
    correct += label == true_label ? 1 : 0;
    row.push_back(label);
    if (row.size() < input.per_class) {
      return;
    }
    if (matrix) {
      print_matrix_row(job.out, true_label, input.classes[true_label], row);
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
  const BarePictures pictures = read_bare_pictures(job.options.pictures, job.options.labels, job.input().size());
  std::size_t correct = 0;
  answer_all(
      job, pictures.count(), [&](std::size_t picture) { return job.answer(pictures.planes(picture)); },
      [&](std::size_t picture, uint32_t label) { correct += label == pictures.true_class(picture) ? 1 : 0; });
  print_score(job, correct, pictures.count());
}

/// Pictures have one way in, and classes one way out.
void check_takes_pictures(const Job& job) {
  const std::vector<Port>&inputs = job.network.inputs(), &outputs = job.network.outputs();
  if (inputs.size() != 1 || outputs.size() != 1) {
    user_error(job.options.net.string() + ": this network takes " + names_of_ports(inputs) + " and gives " +
               names_of_ports(outputs) +
               ", not a picture and its classes; give it tensors (INPUT_RAW=" + form_of_port_files(inputs) + ")");
  }
}

}  // namespace

void run_program(const ProgramOptions& options, const LoadedNetwork& network, const RunNetwork& run, Progress& progress,
                 std::ostream& out) {
  Job job{options, network, run, progress, out};
  if (!options.input_raw.empty() || network.inputs().empty()) {
    run_raw(job);
    return;
  }
  check_takes_pictures(job);
  if (!options.output_raw.empty()) {
    throw UsageError("--output-raw requires --input-raw: of a picture, the classes are printed");
  }
  job.labels = read_labels(options.model, network.outputs().front().size());
  if (!options.image.empty()) {
    run_image(job);
  } else if (!options.pictures.empty()) {
    run_pictures(job);
  } else if (options.full) {
    run_all(job);
  } else {
    run_one(job);
  }
}

}  // namespace fovea
