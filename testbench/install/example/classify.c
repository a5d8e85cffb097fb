// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the network that it is linked with on a simulated device: classify WEIGHTS INPUT. Prints the outputs, a line
/// each, and the device's cycles.
#include <backends/dla_backend.h>
#include <runtime/dla_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct dla_model dla_model;

/// All of a file, or NULL. \param bytes  Its size.
static void* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    return NULL;
  }
  const long size = ftell(file);
  rewind(file);
  void* data = malloc((size_t)size + 1);
  *bytes = data == NULL ? 0 : fread(data, 1, (size_t)size, file);
  fclose(file);
  return data;
}

static size_t elements_of(struct dla_port port) {
  size_t elements = 1;
  for (uint32_t i = 0; i < port.rank; ++i) {
    elements *= port.shape[i];
  }
  return elements;
}

/// Loads the weights, runs the network once, and prints what comes out.
static int run(const dla_hal_t* hal, const char* weights_path, const char* input_path) {
  size_t weights_bytes = 0, input_bytes = 0;
  const void* weights = read_file(weights_path, &weights_bytes);
  const float* input = read_file(input_path, &input_bytes);
  struct dla_runtime runtime = {0};
  if (weights == NULL || input == NULL || input_bytes != elements_of(dla_model_input(&dla_model, 0)) * sizeof(float)) {
    fprintf(stderr, "%s, %s: can't be read, or not of the network's size\n", weights_path, input_path);
    return 1;
  }
  const size_t outputs = elements_of(dla_model_output(&dla_model, 0));
  float* output = malloc(outputs * sizeof(float));
  dla_status_t status = dla_runtime_open(&runtime, hal);
  if (status == kDlaOk) {
    status = dla_runtime_load(&runtime, &dla_model, weights, weights_bytes);
  }
  if (status == kDlaOk) {
    status = dla_model_run(&dla_model, &runtime, &input, &output);
  }
  for (size_t i = 0; status == kDlaOk && i < outputs; ++i) {
    printf("%g\n", output[i]);
  }
  fputs(status == kDlaOk ? "" : dla_status_text(status), stderr);
  return status == kDlaOk ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "classify WEIGHTS INPUT: weight.bin, and raw float32\n");
    return 2;
  }
  char message[256];
  struct dla_backend_options options;
  memset(&options, 0, sizeof options);
  options.version = DLA_BACKEND_VERSION;
  dla_backend_t* backend = dla_backend_open("systemc", &options, message, sizeof message);
  if (backend == NULL) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  const int result = run(dla_backend_hal(backend), argv[1], argv[2]);
  printf("%llu cycles\n", (unsigned long long)dla_backend_cycles(backend));
  return dla_backend_close(backend, message, sizeof message) == 0 ? result : 1;
}
