// SPDX-License-Identifier: Apache-2.0
/// \file
/// accuracy: runs compiled networks on pictures whose class is known, and says what they knew.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "accuracy_report.h"
#include "common/backend.h"
#include "ir/checksum.h"
#include "ir/error.h"
#include "outcome_file.h"
#include "program/host_memory.h"
#include "program/input_file.h"
#include "program/program.h"
#include "program/workers.h"

namespace {

using namespace fovea;

struct Options {
  std::vector<std::filesystem::path> nets;  ///< One or two.
  std::vector<std::string> titles;          ///< What they are called; the folders where there are none.
  std::filesystem::path model, data, pictures, labels, keep, machine;
  std::string backend = backend_names().front(), dram = "pipelined";
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::size_t misses = 10;
  bool json = false, quiet = false;
};

/// A network that answers, on the host or on a device.
class Answering {
 public:
  Answering(const std::filesystem::path& net, const Options& options) : compiled_(net) {
    if (std::string_view(compiled_.model().target) == "cpu") {
      host_ = std::make_unique<HostMemory>(compiled_.memory_bytes());
    } else {
      backend_ = open_backend(options.backend, backend_options(options));
    }
    network_ = std::make_unique<LoadedNetwork>(compiled_, host_ ? host_->hal() : backend_->hal());
    if (network_->inputs().size() != 1 || network_->outputs().size() != 1) {
      user_error(net.string() + ": accuracy is of networks of one input and one output");
    }
  }

  const std::filesystem::path& folder() const { return compiled_.folder(); }
  const Port& input() const { return network_->inputs().front(); }
  std::size_t outputs() const { return network_->outputs().front().size(); }
  std::vector<float> run(std::span<const float> input) { return network_->run(input); }

  /// Of what its answers follow from.
  uint32_t checksum() const {
    uint32_t sum = 0;
    for (const char* name : {"model.so", "weight.bin"}) {
      const std::vector<char> bytes = read_bytes(folder() / name, "compiled network");
      sum = sum * 31 + fovea::checksum(std::as_bytes(std::span(bytes)));
    }
    return sum;
  }

 private:
  BackendOptions backend_options(const Options& options) const {
    if (options.machine.empty()) {
      user_error(folder().string() +
                 ": compiled for the accelerator; give its --machine, or compile with --target cpu");
    }
    BackendOptions opened;
    opened.machine = read_machine(options.machine);
    if (compiled_.model().machine != opened.machine.name) {
      user_error(folder().string() + ": compiled for machine " + compiled_.model().machine + ", not " +
                 opened.machine.name + "; compile it with --machine");
    }
    opened.dram = options.dram;
    opened.memory_bytes = compiled_.memory_bytes();
    return opened;
  }

  CompiledNetwork compiled_;
  std::unique_ptr<HostMemory> host_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<LoadedNetwork> network_;
};

uint32_t packed(const Outcome& outcome) { return uint32_t{outcome.place} << 16 | outcome.answer; }
Outcome unpacked(uint32_t word) { return {static_cast<uint16_t>(word), static_cast<uint16_t>(word >> 16)}; }

/// Asks the network about each picture that it has not been asked about.
/// \param file  Where to keep what it says; may be null.
std::vector<Outcome> ask(Answering& network, const TestPictures& pictures, const Labels& labels, unsigned jobs,
                         OutcomeFile* file, Progress& progress) {
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
  const auto answer = [&](std::size_t item) {
    const std::size_t picture = left[item];
    const std::vector<float> planes = normalize(pictures.planes(picture), network.input().shape.front(), labels);
    return packed(judge(network.run(planes), pictures.pictures[picture].true_class));
  };
  work_in_processes(
      left.size(), jobs, answer, [&](std::size_t done) { progress.update_pictures(done, left.size()); },
      [&](std::size_t item, uint32_t word) {
        outcomes[left[item]] = unpacked(word);
        if (file != nullptr) {
          file->add(left[item], unpacked(word));
        }
        progress.update_pictures(item + 1, left.size());
      });
  progress.clear();
  return outcomes;
}

/// \param number  Of the network, for the name of its file of outcomes.
Judged judge_network(const std::filesystem::path& net, std::size_t number, const Options& options,
                     TestPictures& pictures, Labels& labels) {
  Answering network(net, options);
  if (number > 0 && network.outputs() != labels.names.size()) {
    user_error(net.string() + ": has " + std::to_string(network.outputs()) + " outputs, and the network before it " +
               std::to_string(labels.names.size()) +
               "; two networks of the same classes can be laid beside each other");
  }
  labels = read_labels(options.model, network.outputs());
  pictures = options.pictures.empty() ? open_pictures(options.data, network.input(), labels)
                                      : open_bare_pictures(options.pictures, options.labels, network.input(), labels);
  std::optional<OutcomeFile> file;
  if (!options.keep.empty()) {
    std::filesystem::path path = options.keep;
    path += number == 0 ? "" : "." + std::to_string(number + 1);
    file.emplace(path, network.checksum() ^ pictures.checksum, pictures.pictures.size());
  }
  Progress progress(!options.quiet);
  const std::string name = number < options.titles.size() ? options.titles[number] : net.string();
  return {name, ask(network, pictures, labels, options.jobs, file ? &*file : nullptr, progress)};
}

void run(const Options& options) {
  std::vector<Judged> judged;
  TestPictures pictures;
  Labels labels;
  for (std::size_t i = 0; i < options.nets.size(); ++i) {
    judged.push_back(judge_network(options.nets[i], i, options, pictures, labels));
  }
  if (options.json) {
    print_accuracy_json(std::cout, pictures, labels, judged);
  } else {
    print_accuracy(std::cout, pictures, labels, judged, options.misses);
  }
}

void add_options(CLI::App& app, Options& o) {
  app.add_option("--net", o.nets,
                 "folder of a compiled network; given twice, both are asked and laid beside each other")
      ->required()
      ->expected(1, 2);
  app.add_option("--model", o.model, "the ONNX file; labels, mean and std come from the .json beside it");
  app.add_option("--title", o.titles, "what to call them; without it, by their folders")->expected(1, 2);
  auto* data = app.add_option("--data", o.data, "a folder of pictures, a sub-folder a class, or an input.bin");
  auto* pictures = app.add_option("--pictures", o.pictures, "uint8 [N, C, H, W] instead");
  pictures->needs(app.add_option("--labels", o.labels, "uint8 [N], for --pictures"))->excludes(data);
  app.add_option("--keep", o.keep, "file of what was found: a run that was ended goes on from there");
  app.add_option("--machine", o.machine, "machine file, of networks for the accelerator");
  app.add_option("--backend", o.backend, "what carries the accelerator")
      ->check(CLI::IsMember(backend_names()))
      ->capture_default_str();
  app.add_option("--dram", o.dram, "timing of its memory")->capture_default_str();
  app.add_option("--jobs", o.jobs, "processes; without it, one a core")->check(CLI::Range(1, 1024));
  app.add_option("--misses", o.misses, "how many missed pictures to list")->capture_default_str();
  app.add_flag("--json", o.json, "print one JSON object");
  app.add_flag("--quiet", o.quiet, "no progress");
  app.callback([data, pictures] {
    if (!*data && !*pictures) {
      throw CLI::RequiredError("accuracy: one of --data and --pictures");
    }
  });
}

/// Says bad machines and backends as bad input.
void run_as_input(const Options& options) {
  try {
    run(options);
  } catch (const BackendError& error) {
    user_error(error.what());
  } catch (const MachineError& error) {
    user_error(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Runs compiled networks on pictures whose class is known, and says what they knew.", "accuracy"};
  app.footer(
      "Shares come with Wilson's interval: where they lie, with 95 % confidence, on all pictures of the kind.\n"
      "Example:\n  accuracy --net build/nets/net-cpu --model net.onnx --data pictures --keep outcomes.txt");
  Options options;
  add_options(app, options);
  return run_main(app, argc, argv, [&] { run_as_input(options); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
