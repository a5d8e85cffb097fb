// SPDX-License-Identifier: Apache-2.0
/// \file
/// prepare: of fovea what make test_dla and make test_cpu need, compiled in two thirds of its time.
#include "files/partial_file.h"
#include "subcommand.h"

int main(int argc, char** argv) {
  using fovea::Subcommand;
  constexpr Subcommand kRows[] = {
      {{"build", "Compile a network into the cache, and print its folder", fovea::describe_build}, "", ""},
      {{"dataset", "Pack pictures into one file, for --input", fovea::describe_dataset}, "", ""},
  };
  fovea::say_when_interrupted("\nfovea: interrupted\n");
  return fovea::run_fovea(argc, argv, kRows);
}
