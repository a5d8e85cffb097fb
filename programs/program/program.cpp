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

  /// How many pictures a run takes: of a batch [N, C, H, W] several. Of one, its shape.
  std::size_t batch() const { return input().shape.size() == 4 ? input().shape.front() : 1; }
  std::vector<uint32_t> picture_shape() const {
    return {input().shape.begin() + (input().shape.size() == 4 ? 1 : 0), input().shape.end()};
  }

  /// Pictures as the input takes them.
  std::vector<float> numbers_of(const std::vector<std::span<const float>>& pictures) const {
    std::vector<float> numbers;
    for (const std::span<const float> planes : pictures) {
      const std::vector<float> picture = picture_input(planes, picture_shape(), labels);
      numbers.insert(numbers.end(), picture.begin(), picture.end());
    }
    return numbers;
  }

  /// The outputs of each picture of a run. \pre there are batch() pictures.
  Tensors classify(const std::vector<std::span<const float>>& pictures) const {
    const std::vector<float> outputs = run({numbers_of(pictures)}).front();
    const auto each = static_cast<std::ptrdiff_t>(labels.names.size());
    Tensors answers;
    for (auto begin = outputs.begin(); outputs.end() - begin >= each && each > 0; begin += each) {
      answers.emplace_back(begin, begin + each);
    }
    return answers;
  }
  uint32_t answer(std::span<const float> planes) const {
    return static_cast<uint32_t>(best_of(classify({planes}).front()));
  }
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

void print_files(const Job& job, const std::vector<std::filesystem::path>& inputs) {
  for (const std::filesystem::path& input : inputs) {
    job.out << "Input file: " << input.string() << "\n";
  }
  job.out << "Weight file: " << (job.options.net / "weight.bin").string() << "\n";
}

nlohmann::json answer_json(const Job& job, std::span<const float> logits) {
  nlohmann::json answer;
  const std::vector<double> likely = probabilities(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    answer["classes"].push_back({{"name", job.labels.names[i]}, {"logit", logits[i]}, {"probability", likely[i]}});
  }
  answer["answer"] = job.labels.names[best_of(logits)];
  return answer;
}

/// \param answers  Of each picture; of several a list.
void print_json(const Job& job, const Tensors& answers) {
  if (job.batch() == 1) {
    job.out << json_text(answer_json(job, answers.front()));
    return;
  }
  nlohmann::json all;
  for (const std::vector<float>& logits : answers) {
    all["pictures"].push_back(answer_json(job, logits));
  }
  job.out << json_text(all);
}

/// A picture's answer under another's, between rules.
void print_answers(const Job& job, const Tensors& answers,
                   void (*print)(std::ostream&, const std::vector<std::string>&, std::span<const float>)) {
  print_rule(job.out);
  for (const std::vector<float>& logits : answers) {
    print(job.out, job.labels.names, logits);
    print_rule(job.out);
  }
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

/// Whether each picture's output is a row of numbers, one a class.
bool gives_classes(const Job& job) {
  const Port& port = job.network.outputs().front();
  const bool is_batch = job.batch() > 1 && !port.shape.empty() && port.shape.front() == job.batch();
  const auto begin = port.shape.begin() + (is_batch ? 1 : 0);
  return labelled_outputs(job.network) > 1 && std::count(begin, port.shape.end(), 1u) + 1 == port.shape.end() - begin;
}

void check_images(const Job& job, std::size_t given) {
  if (const std::size_t batch = job.batch(); given != batch) {
    throw UsageError("--image: " + std::to_string(given) + (given == 1 ? " picture" : " pictures") + "; a run takes " +
                     std::to_string(batch) + (batch == 1 ? ", and of a batch of N it takes N" : "") +
                     "; give as many, with commas between");
  }
}

void run_image(const Job& job) {
  const std::optional<PictureForm> form = picture_form(job.picture_shape());
  if (!form) {
    user_error(job.name() + ": its input is " + to_text(Shape(job.input().shape.begin(), job.input().shape.end())) +
               ", no picture of one or three channels; give it a tensor (--input-raw FILE)");
  }
  const std::vector<std::filesystem::path> images = images_of(job.options.image);
  check_images(job, images.size());
  std::vector<Picture> pictures;
  std::vector<std::span<const float>> planes;
  for (const std::filesystem::path& image : images) {
    pictures.push_back(stretch_picture(read_picture(image), form->size));
  }
  for (const Picture& picture : pictures) {
    planes.emplace_back(picture.planes);
  }
  const std::vector<Port>& outputs = job.network.outputs();
  if (outputs.size() != 1 || !gives_classes(job)) {
    run_tensors(
        job, [&] { return Tensors{job.numbers_of(planes)}; }, print_summaries);
    return;
  }
  const Tensors answers = job.classify(planes);
  if (job.options.json) {
    print_json(job, answers);
    return;
  }
  if (!job.options.quiet) {
    print_rule(job.out);
    print_files(job, images);
  }
  print_answers(job, answers, print_top5);
}

void check_range(const std::string& name, uint32_t value, std::size_t count) {
  if (value >= count) {
    throw UsageError(name + " " + std::to_string(value) + ": out of range; choose 0 to " + std::to_string(count - 1));
  }
}

/// A picture of an input file.
struct PicturePlace {
  uint32_t picture_class = 0, index = 0;
};

/// So many pictures of a file in a row, the last followed by the first.
std::vector<PicturePlace> pictures_from(const InputFile& input, PicturePlace first, std::size_t count) {
  std::vector<PicturePlace> places;
  const std::size_t all = input.classes.size() * input.per_class;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (std::size_t{first.picture_class} * input.per_class + first.index + i) % all;
    places.push_back({static_cast<uint32_t>(at / input.per_class), static_cast<uint32_t>(at % input.per_class)});
  }
  return places;
}

void run_one(const Job& job) {
  const ProgramOptions& o = job.options;
  const InputFile input = read_input_file(job.options.input, input_file_sizes(job.picture_shape()));
  check_range("--class", o.picture_class, input.classes.size());
  check_range("--index", o.index, input.per_class);
  const auto places = pictures_from(input, {o.picture_class, o.index}, job.batch());
  if (!o.quiet && !o.json) {
    job.out << "===============[ single test ]===============\n";
    print_files(job, {o.input});
    job.out << "Class index: " << o.picture_class << "\nImage index: " << o.index << "\n";
    print_rule(job.out);
    for (const auto& [picture_class, index] : places) {
      const std::string& name = input.classes[picture_class];
      job.out << "Image Test: " << index << "/" << input.per_class << " image class "
              << std::string(name.size() < 12 ? 12 - name.size() : 0, ' ') << name << "\n";
    }
    job.out << "\n\n" << std::flush;
  }
  std::vector<std::span<const float>> pictures;
  for (const auto& [picture_class, index] : places) {
    pictures.push_back(input.picture(picture_class, index));
  }
  const Tensors answers = job.classify(pictures);
  if (o.json) {
    print_json(job, answers);
    return;
  }
  print_answers(job, answers, print_percentages);
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
  const InputFile input = read_input_file(job.options.input, input_file_sizes(job.picture_shape()));
  const std::vector<uint32_t> outputs = input.outputs(job.labels.names);
  const bool matrix = !o.json && !o.quiet;
  if (matrix) {
    job.out << "================[ full test ]================\n";
    print_files(job, {o.input});
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

/// All pictures of a file are run one by one.
void check_one_by_one(const Job& job) {
  const char* name = job.options.full ? "--full" : !job.options.pictures.empty() ? "--pictures" : nullptr;
  if (name != nullptr && job.batch() > 1) {
    throw UsageError(std::string(name) + ": runs its pictures one by one, and the network takes " +
                     std::to_string(job.batch()) + " at once; one of a batch of 1 works");
  }
}

/// Whether one of the sample pictures is what the network was made for.
bool knows_samples(const Job& job) {
  if (job.options.samples.empty() || job.network.inputs().size() != 1 || !job.labels.has_names) {
    return false;
  }
  const InputFile samples = read_input_file(job.options.samples);
  const std::vector<std::size_t> sizes = input_file_sizes(job.picture_shape());
  return samples.classes == job.labels.names && samples.floats_per_picture == sizes[0];
}

}  // namespace

std::vector<std::filesystem::path> images_of(const std::filesystem::path& image) {
  const std::string text = image.string();
  if (std::filesystem::exists(image) || text.find(',') == std::string::npos) {
    return {image};
  }
  std::vector<std::filesystem::path> images;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    images.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return images;
}

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
  check_one_by_one(job);
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
