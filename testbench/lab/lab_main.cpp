// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program in the form of the lab's main: reads pictures and weights, runs the generated model, prints its answer.
///
///   lab_main -i input.bin -w weight.bin -c class -n picture   the percentages of one picture
///   lab_main -i input.bin -w weight.bin                       how many pictures it knows
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "runtime.h"
#include "weight.h"
}

#ifdef MODEL_IS_C
extern "C" {
#endif
extern int model_on_DLA(float*, float*);
#ifdef MODEL_IS_C
}
#endif

namespace {

using Logits = std::vector<float>;  // One a class.

/// input.bin, open behind its head: the classes' names, pictures a class, floats a picture; then the pictures, 0 to 1.
/// A picture is in memory while it is asked for, so that a profile of the heap shows the model's tensors.
struct Pictures {
  FILE* file = nullptr;
  std::vector<std::string> names;
  uint32_t per_class = 0, size = 0;
  long start = 0;
};

void read_bytes(void* to, size_t bytes, FILE* file) {
  if (fread(to, 1, bytes, file) != bytes) {
    fprintf(stderr, "the pictures end too soon\n");
    exit(1);
  }
}

uint32_t read_number(FILE* file) {
  uint32_t number = 0;
  read_bytes(&number, sizeof number, file);
  return number;
}

Pictures open_pictures(const char* filename) {
  Pictures pictures;
  pictures.file = fopen(filename, "rb");
  if (pictures.file == nullptr) {
    fprintf(stderr, "%s: can't be opened\n", filename);
    exit(1);
  }
  pictures.names.resize(read_number(pictures.file));
  for (std::string& name : pictures.names) {
    name.resize(read_number(pictures.file));
    read_bytes(name.data(), name.size(), pictures.file);
  }
  pictures.per_class = read_number(pictures.file);
  pictures.size = read_number(pictures.file);
  pictures.start = ftell(pictures.file);
  return pictures;
}

std::vector<float> read_picture(const Pictures& pictures, size_t label, size_t index) {
  std::vector<float> pixels(pictures.size);
  const size_t bytes = pixels.size() * sizeof(float);
  fseek(pictures.file, pictures.start + static_cast<long>((label * pictures.per_class + index) * bytes), SEEK_SET);
  read_bytes(pixels.data(), bytes, pictures.file);
  return pixels;
}

/// Normalizes a picture and asks the model.
Logits answer(const Pictures& pictures, size_t label, size_t index) {
  const std::array<float, 3> mean = {0.4914f, 0.4822f, 0.4465f}, deviation = {0.247f, 0.243f, 0.261f};
  std::vector<float> image = read_picture(pictures, label, index);
  for (size_t i = 0; i < image.size(); ++i) {
    const size_t plane = i / (image.size() / 3);
    image[i] = (image[i] - mean[plane]) / deviation[plane];
  }
  Logits logits(pictures.names.size());
  if (model_on_DLA(image.data(), logits.data()) != 0) {
    fprintf(stderr, "a call of the model failed\n");
    exit(1);
  }
  return logits;
}

void print_percentages(const Pictures& pictures, const Logits& logits) {
  double sum = 0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit));
  }
  for (size_t i = 0; i < logits.size(); ++i) {
    printf("[%12s]%8.3f%%\n", pictures.names.at(i).c_str(), std::exp(static_cast<double>(logits[i])) / sum * 100);
  }
}

void print_score(const Pictures& pictures) {
  size_t correct = 0;
  for (size_t label = 0; label < pictures.names.size(); ++label) {
    for (size_t index = 0; index < pictures.per_class; ++index) {
      const Logits logits = answer(pictures, label, index);
      correct += std::max_element(logits.begin(), logits.end()) - logits.begin() == static_cast<long>(label) ? 1 : 0;
    }
  }
  printf("Correct/Total: %zu/%zu\n", correct, pictures.names.size() * pictures.per_class);
}

}  // namespace

int main(int argc, char** argv) {
  char *input = nullptr, *weights = nullptr;
  size_t label = 0, index = 0;
  bool is_single = false;
  for (int option = 0; (option = getopt(argc, argv, "i:w:c:n:")) != -1;) {
    switch (option) {
      case 'i':
        input = optarg;
        break;
      case 'w':
        weights = optarg;
        break;
      case 'c':
        label = strtoul(optarg, nullptr, 10);
        is_single = true;
        break;
      default:
        index = strtoul(optarg, nullptr, 10);
        break;
    }
  }
  const Pictures pictures = open_pictures(input);
  load_weight(weights);
#ifndef CPU_ONLY
  dla_init();
#endif
  if (is_single) {
    print_percentages(pictures, answer(pictures, label, index));
  } else {
    print_score(pictures);
  }
  fclose(pictures.file);
#ifndef CPU_ONLY
  dla_final();
#endif
  return 0;
}
