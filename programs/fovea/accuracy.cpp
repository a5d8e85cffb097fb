// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea accuracy: what a network knows of pictures whose class is known, beside another one where it is asked for.
#include "accuracy/accuracy.h"
#include "backend_option.h"

#include <iostream>
#include <memory>

#include "commands/options.h"
#include "place_network.h"
#include "program/program.h"
#include "run_options.h"
#include "subcommand.h"
#include "tensor/error.h"

namespace fovea {
namespace {

struct AccuracyOptions {
  std::filesystem::path model;
  std::filesystem::path data;               ///< A folder of pictures or an input.bin, or "".
  std::filesystem::path pictures, classes;  ///< Instead: bare bytes.
  TypedLabels labels;
  std::filesystem::path beside;  ///< Another network, or "".
  std::filesystem::path keep;    ///< File of what was found, or "".
  std::string backend = "cpu";   ///< Where the network runs.
  Placement placement;
  ImportOptions import;
  unsigned jobs = 0;        ///< Processes; 0: one a core.
  std::size_t misses = 10;  ///< To list.
  bool prints_json = false;
};

AskedNetwork ask_about(const std::filesystem::path& network, const AccuracyOptions& o, const std::string& backend) {
  PlacedNetwork placed = place_network({network, o.placement, 0, o.import, {}}, backend);
  return {network.string(), std::move(placed.folder), std::move(placed.place)};
}

void measure_and_print(const AccuracyOptions& o) {
  if (o.data.empty() && o.pictures.empty()) {
    throw UsageError("no pictures given; --data FOLDER works, and --help shows more");
  }
  AccuracyTask task{{}, o.model, o.data, o.pictures, o.classes, o.labels, o.keep, o.jobs};
  task.networks.push_back(ask_about(o.model, o, o.backend));
  if (!o.beside.empty()) {
    task.networks.push_back(ask_about(o.beside, o, "cpu"));
  }
  Progress progress(true);
  const Accuracy accuracy =
      measure_accuracy(task, [&](std::size_t done, std::size_t all) { progress.update_pictures(done, all); });
  progress.clear();
  if (o.prints_json) {
    print_accuracy_json(std::cout, accuracy.pictures, accuracy.labels, accuracy.judged);
  } else {
    print_accuracy(std::cout, accuracy.pictures, accuracy.labels, accuracy.judged, o.misses);
  }
}

}  // namespace

Action describe_accuracy(CLI::App& app) {
  const auto kept = std::make_shared<AccuracyOptions>();
  AccuracyOptions& o = *kept;
  app.add_option("model", o.model, "The network: ONNX, an IR, or its compiled folder")
      ->type_name("FILE|FOLDER")
      ->required();
  auto* data =
      app.add_option("--data", o.data, "Labelled pictures: a folder with a sub-folder a class, or an input.bin")
          ->type_name("FOLDER|FILE");
  auto* pictures = app.add_option("--pictures", o.pictures, "uint8 [N, C, H, W] instead")->type_name("FILE");
  auto* classes = app.add_option("--classes", o.classes, "uint8 [N], of --pictures")->type_name("FILE");
  pictures->needs(classes)->excludes(data);
  add_label_options(app, o.labels);
  app.add_option("--beside", o.beside, "Another network, run on the same pictures on the CPU")
      ->type_name("FILE|FOLDER");
  app.add_option("--keep", o.keep, "File of results; an interrupted run resumes from it")->type_name("FILE");
  add_backend_option(app, "--backend", o.backend, "Where it runs: the CPU or a simulator");
  add_import_options(app, o.import);
  add_machine_option(app, o.placement.machine);
  add_rounding_option(app, o.placement.rounding);
  app.add_option("--jobs", o.jobs, "Processes (default: one a core)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1024).description(""));
  app.add_option("--misses", o.misses, "Missed pictures to list (default: 10)")->type_name("NUMBER");
  add_json_option(app, o.prints_json);
  return [kept] {
    settle_machine(kept->placement.machine);
    return within_memory(kept->model, [&] {
      measure_and_print(*kept);
      return kDone;
    });
  };
}

}  // namespace fovea
