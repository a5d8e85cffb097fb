// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a compiled network on whatever CPU it is compiled for, with nothing but a C library: run_plain WEIGHTS INPUT
/// OUTPUT [RUNS]. INPUT and OUTPUT are raw float32 of this machine's byte order, tensor after tensor. With RUNS it runs
/// that often after a few that don't count, and prints the processor time of a run in milliseconds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hal/dla_host_memory.h"
#include "runtime/dla_runtime.h"

extern const struct dla_model dla_model;

enum { kMostPorts = 16, kWarmUpRuns = 3, kSpareBytes = 4096 };

static int fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

/// The whole file, in memory from malloc(), or NULL.
static void* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    return NULL;
  }
  const long size = ftell(file);
  rewind(file);
  void* data = size < 0 ? NULL : malloc((size_t)size + 1);
  *bytes = data == NULL ? 0 : fread(data, 1, (size_t)size, file);
  fclose(file);
  return data;
}

static size_t elements_of(const struct dla_port* port) {
  size_t elements = 1;
  for (uint32_t i = 0; i < port->rank; ++i) {
    elements *= port->shape[i];
  }
  return elements;
}

/// Where each input begins in a file of all, and behind them their end.
static size_t place_inputs(const float* all, const float** inputs) {
  size_t end = 0;
  for (uint32_t i = 0; i < dla_model_input_count(&dla_model); ++i) {
    const struct dla_port port = dla_model_input(&dla_model, i);
    inputs[i] = all + end;
    end += elements_of(&port);
  }
  return end;
}

/// The same of the outputs, in memory from malloc().
static size_t place_outputs(float** outputs) {
  size_t end = 0;
  for (uint32_t i = 0; i < dla_model_output_count(&dla_model); ++i) {
    const struct dla_port port = dla_model_output(&dla_model, i);
    end += elements_of(&port);
  }
  float* all = malloc((end + 1) * sizeof(float));
  size_t at = 0;
  for (uint32_t i = 0; i < dla_model_output_count(&dla_model); ++i) {
    const struct dla_port port = dla_model_output(&dla_model, i);
    outputs[i] = all == NULL ? NULL : all + at;
    at += elements_of(&port);
  }
  return all == NULL ? 0 : end;
}

/// Opens the driver on host memory and loads the weights.
static const char* load(struct dla_runtime* rt, const char* weights) {
  static struct dla_host_memory space;
  static dla_hal_t hal;
  size_t bytes = 0;
  void* file = read_file(weights, &bytes);
  if (file == NULL) {
    return "can't be read";
  }
  const char* problem = dla_weights_problem(&dla_model, file, bytes);
  if (problem != NULL) {
    return problem;
  }
  const size_t align = DLA_HOST_MEMORY_ALIGN;
  const size_t size = ((size_t)dla_model.weights_bytes + dla_model.arena_bytes + kSpareBytes) / align * align;
  void* memory = aligned_alloc(align, size);
  const int is_open = memory != NULL && dla_host_memory_open(&space, memory, (uint32_t)size, &hal) == kDlaOk &&
                      dla_runtime_open(rt, &hal) == kDlaOk && dla_runtime_load(rt, &dla_model, file, bytes) == kDlaOk;
  free(file);
  return is_open ? NULL : "no memory for it";
}

static dla_status_t run(struct dla_runtime* rt, const float* const* inputs, float* const* outputs, int runs) {
  clock_t start = 0;
  for (int i = runs > 1 ? -kWarmUpRuns : 0; i < runs; ++i) {
    start = i == 0 ? clock() : start;
    const dla_status_t status = dla_model_run(&dla_model, rt, inputs, outputs);
    if (status != kDlaOk) {
      return status;
    }
  }
  if (runs > 1) {
    printf("%.4f\n", (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC / runs);
  }
  return kDlaOk;
}

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5 || (argc == 5 && atoi(argv[4]) < 2)) {
    fprintf(stderr, "run_plain WEIGHTS INPUT OUTPUT [RUNS]: weight.bin, raw float32, a file to write, 2 or more\n");
    return 2;
  }
  if (dla_model_input_count(&dla_model) > kMostPorts || dla_model_output_count(&dla_model) > kMostPorts) {
    return fail(dla_model.name, "more inputs or outputs than 16");
  }
  struct dla_runtime rt;
  memset(&rt, 0, sizeof rt);
  const char* problem = load(&rt, argv[1]);
  if (problem != NULL) {
    return fail(argv[1], problem);
  }
  const float* inputs[kMostPorts];
  float* outputs[kMostPorts];
  size_t bytes = 0;
  const float* all = read_file(argv[2], &bytes);
  if (all == NULL || bytes < place_inputs(all, inputs) * sizeof(float)) {
    return fail(argv[2], "can't be read, or has fewer numbers than the network takes");
  }
  const size_t numbers = place_outputs(outputs);
  const dla_status_t status = run(&rt, inputs, outputs, argc == 5 ? atoi(argv[4]) : 1);
  if (status == kDlaExternFailed) {
    fprintf(stderr, "%s: %s of node %s returned %d\n", rt.last_layer, rt.failed_op, rt.failed_node, rt.failed_code);
    return 1;
  }
  if (status != kDlaOk) {
    return fail(rt.last_layer == NULL ? dla_model.name : rt.last_layer, dla_status_text(status));
  }
  FILE* file = fopen(argv[3], "wb");
  const int is_written = file != NULL && fwrite(outputs[0], sizeof(float), numbers, file) == numbers;
  return file != NULL && fclose(file) == 0 && is_written ? 0 : fail(argv[3], "can't be written");
}
