// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea accuracy: what a network knows of pictures whose class is known, beside another one where it is asked for.
#include "accuracy/accuracy.h"

#include <iostream>

#include "ir/error.h"
#include "program/progress.h"
#include "running_commands.h"

namespace fovea {
namespace {

AskedNetwork ask_about(const CommandLine& line, const std::filesystem::path& network, const std::string& backend) {
  PlacedNetwork placed = place_network(line, network, backend);
  return {network.string(), std::move(placed.folder), std::move(placed.place)};
}

}  // namespace

int measure_accuracy(const CommandLine& line) {
  const AccuracyOptions& o = line.accuracy;
  if (o.data.empty() && o.pictures.empty()) {
    throw UsageError("no pictures given; --data FOLDER works, and --help shows more");
  }
  AccuracyTask task{{}, line.model, o.data, o.pictures, o.labels, o.keep, o.jobs};
  task.networks.push_back(ask_about(line, line.model, o.backend));
  if (!o.beside.empty()) {
    task.networks.push_back(ask_about(line, o.beside, "cpu"));
  }
  Progress progress(true);
  const Accuracy accuracy =
      measure_accuracy(task, [&](std::size_t done, std::size_t all) { progress.update_pictures(done, all); });
  progress.clear();
  if (line.prints_json) {
    print_accuracy_json(std::cout, accuracy.pictures, accuracy.labels, accuracy.judged);
  } else {
    print_accuracy(std::cout, accuracy.pictures, accuracy.labels, accuracy.judged, o.misses);
  }
  return 0;
}

}  // namespace fovea
