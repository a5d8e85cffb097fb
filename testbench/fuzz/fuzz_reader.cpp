// SPDX-License-Identifier: Apache-2.0
/// \file
/// A fuzzer of the reader that READER names: READER=onnx fuzz_reader CORPUS..., with libFuzzer's options.
#include <cstdio>
#include <cstdlib>

#include "readers.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

namespace {

const fovea::Reader& chosen_reader() {
  static const fovea::Reader* const reader = [] {
    const char* name = std::getenv("READER");
    const fovea::Reader* found = fovea::find_reader(name == nullptr ? "" : name);
    if (found == nullptr) {
      std::fprintf(stderr, "READER: a name of readers.def\n");
      std::exit(2);
    }
    return found;
  }();
  return *reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fovea::feed(chosen_reader(), {bytes, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  const std::size_t changed = seed % 4 == 0 ? 0 : fovea::mutate(chosen_reader(), bytes, size, most, seed);
  return changed != 0 ? changed : LLVMFuzzerMutate(bytes, size, most);
}
