// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens a network, has it answer in several processes, and keeps what it says.
#include "accuracy.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "dataset/picture_input.h"
#include "files/read_file.h"
#include "ir/checksum.h"
#include "outcome_file.h"
#include "program/workers.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using OnPicture = std::function<void(std::size_t done, std::size_t all)>;

void check_ports(const AskedNetwork& network, const Session& session) {
  if (session.inputs().size() != 1 || session.outputs().size() != 1) {
    user_error(network.name + ": accuracy is of networks of one input and one output");
  }
}

/// Of what a network's answers follow from.
uint32_t checksum_of(const AskedNetwork& network) {
  uint32_t sum = 0;
  for (const char* name : {"model.so", "weight.bin"}) {
    const std::string bytes = read_file(network.folder / name, "a compiled network");
    sum = sum * 31 + checksum(std::as_bytes(std::span(bytes)));
  }
  return sum;
}

uint32_t packed(const Outcome& outcome) { return uint32_t{outcome.place} << 16 | outcome.answer; }
Outcome unpacked(uint32_t word) { return {static_cast<uint16_t>(word), static_cast<uint16_t>(word >> 16)}; }

/// What the network says of a picture.
Outcome answer(Session& session, const TestPictures& pictures, const Labels& labels, std::size_t picture) {
  const std::vector<float> planes = picture_input(pictures.planes(picture), session.inputs()[0].shape, labels);
  std::vector<float> outputs(session.outputs()[0].size());
  const float* input = planes.data();
  float* output = outputs.data();
  session.run(&input, &output);
  return judge(outputs, pictures.pictures[picture].true_class);
}

/// \param file  Where to keep what it says; may be null.
std::vector<Outcome> ask(Session& session, const TestPictures& pictures, const Labels& labels, unsigned jobs,
                         OutcomeFile* file, const OnPicture& on_picture) {
  std::vector<Outcome> outcomes(pictures.pictures.size());
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::optional<Outcome> known = file == nullptr ? std::nullopt : file->outcomes()[i];
    if (known) {
      outcomes[i] = *known;
    } else {
      left.push_back(i);
    }
  }
  const auto tell = [&](std::size_t done) {
    if (on_picture) {
      on_picture(done, left.size());
    }
  };
  work_in_processes(
      left.size(), jobs, [&](std::size_t item) { return packed(answer(session, pictures, labels, left[item])); }, tell,
      [&](std::size_t item, uint32_t word) {
        outcomes[left[item]] = unpacked(word);
        if (file != nullptr) {
          file->add(left[item], unpacked(word));
        }
        tell(item + 1);
      });
  return outcomes;
}

/// \param number  Of the network, for the name of its file of outcomes.
void judge_network(const AccuracyTask& task, std::size_t number, Accuracy& accuracy, const OnPicture& on_picture) {
  const AskedNetwork& network = task.networks[number];
  Session session(network.folder, network.place);
  check_ports(network, session);
  const std::size_t outputs = session.outputs()[0].size();
  if (number > 0 && outputs != accuracy.labels.names.size()) {
    user_error(network.name + ": has " + std::to_string(outputs) + " outputs, and the network before it " +
               std::to_string(accuracy.labels.names.size()) + "; networks of the same classes can be compared");
  }
  accuracy.labels = read_labels(task.model, outputs, task.labels);
  const Port& input = session.inputs()[0];
  accuracy.pictures = task.pictures.empty() ? open_pictures(task.data, input, accuracy.labels)
                                            : open_bare_pictures(task.pictures, task.classes, input, accuracy.labels);
  std::optional<OutcomeFile> file;
  if (!task.keep.empty()) {
    std::filesystem::path path = task.keep;
    path += number == 0 ? "" : "." + std::to_string(number + 1);
    file.emplace(path, checksum_of(network) ^ accuracy.pictures.checksum, accuracy.pictures.pictures.size());
  }
  const unsigned jobs = task.jobs != 0 ? task.jobs : std::max(1u, std::thread::hardware_concurrency());
  accuracy.judged.push_back(
      {network.name, ask(session, accuracy.pictures, accuracy.labels, jobs, file ? &*file : nullptr, on_picture)});
}

}  // namespace

Accuracy measure_accuracy(const AccuracyTask& task, const OnPicture& on_picture) {
  Accuracy accuracy;
  for (std::size_t i = 0; i < task.networks.size(); ++i) {
    judge_network(task, i, accuracy, on_picture);
  }
  return accuracy;
}

}  // namespace fovea
