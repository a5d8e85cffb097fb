// SPDX-License-Identifier: Apache-2.0
/// \file
/// compare: lays what two runs give layer by layer beside each other, and says where they first differ.
#include <cstdio>
#include <exception>
#include <iostream>

#include "common/backend.h"
#include "common/join_names.h"
#include "comparison.h"
#include "explanation.h"
#include "ir/error.h"
#include "layer_dump_reader.h"
#include "print_comparison.h"
#include "program/program.h"
#include "run_side.h"

namespace {

using namespace fovea;
namespace fs = std::filesystem;

struct Options {
  fs::path a, b;
  std::string label_a, label_b;
  RunPlace place_a, place_b;
  std::string input;
  fs::path machine;
  double tolerance = 0;
  bool expects_equal = false;
};

/// \param label  What the side is called; "" for its folder.
Side read_side(const fs::path& folder, const std::string& label, RunPlace place, const Options& options) {
  const std::string name = label.empty() ? folder.string() : label;
  if (!fs::is_directory(folder)) {
    user_error(name + ": no such folder");
  }
  if (!fs::exists(folder / "model.so") && has_layer_dump(folder)) {
    return read_layer_dump(folder, name);
  }
  if (!fs::exists(folder / "model.so")) {
    user_error(name + ": neither a compiled network (model.so) nor layers (index.json or .npy files)");
  }
  place.input = options.input;
  place.machine = options.machine;
  return run_side(folder, name, place);
}

/// \return whether nothing differs.
bool compare(const Options& options) try {
  const Side a = read_side(options.a, options.label_a, options.place_a, options);
  const Side b = read_side(options.b, options.label_b, options.place_b, options);
  const Comparison comparison = compare_sides(a, b, options.tolerance);
  print_layers(a, b, comparison, std::cout);
  if (comparison.first) {
    print_explanation(explain(a, b, comparison, *comparison.first), std::cout);
  }
  return !comparison.first;
} catch (const BackendError& error) {
  user_error(error.what());
} catch (const MachineError& error) {
  user_error(error.what());
}

void add_options(CLI::App& app, Options& o) {
  std::vector<std::string> places = backend_names();
  places.insert(places.begin(), "cpu");
  const std::string either =
      "a compiled network (foveac's folder, with model.so), or a folder of layers (index.json, .npy)";
  app.add_option("a", o.a, either)->required();
  app.add_option("b", o.b, "the other one, likewise")->required();
  app.add_option("--label-a", o.label_a, "what A is called in what is printed");
  app.add_option("--label-b", o.label_b, "what B is");
  app.add_option("--input", o.input,
                 "what networks run on: float32 [C, H, W], raw or .npy; of several inputs, name=file,name2=file2");
  app.add_option("--backend-a", o.place_a.backend, "where A runs: " + join_names(places, " or "))
      ->check(CLI::IsMember(places))
      ->capture_default_str();
  app.add_option("--backend-b", o.place_b.backend, "where B runs")->check(CLI::IsMember(places))->capture_default_str();
  app.add_option("--machine", o.machine, "machine file (default: the one of the network's name that ships)");
  app.add_option("--tolerance", o.tolerance,
                 "elements are equal too where they are no further apart than this times the largest of A's tensor")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--expect-equal", o.expects_equal, "exit with 1 where a layer differs");
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"Lays what two runs give layer by layer beside each other, and says where they first differ.",
               "compare"};
  app.footer("Example:\n  compare build/nets/net-cpu output/layers --input x.f32");
  Options options;
  add_options(app, options);
  bool is_equal = true;
  const int status = run_main(app, argc, argv, [&] { is_equal = compare(options); });
  return status == 0 && options.expects_equal && !is_equal ? 1 : status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
