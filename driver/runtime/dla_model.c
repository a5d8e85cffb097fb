// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network's inputs and outputs, and running it, whichever of its two forms it has.
#include "dla_run_list.h"
#include "hal/dla_try.h"

/// The port of a network that has one.
static struct dla_port only_port(const char* name, uint32_t rank, const uint32_t* shape) {
  struct dla_port port = {.name = name, .rank = rank};
  for (uint32_t i = 0; i < DLA_MOST_DIMENSIONS; ++i) {
    port.shape[i] = shape[i];
  }
  return port;
}

uint32_t dla_model_input_count(const struct dla_model* model) { return model->run != NULL ? 1 : model->input_count; }

uint32_t dla_model_output_count(const struct dla_model* model) { return model->run != NULL ? 1 : model->output_count; }

struct dla_port dla_model_input(const struct dla_model* model, uint32_t i) {
  return model->run != NULL ? only_port("input", model->input_rank, model->input_shape) : model->inputs[i];
}

struct dla_port dla_model_output(const struct dla_model* model, uint32_t i) {
  return model->run != NULL ? only_port("output", model->output_rank, model->output_shape) : model->outputs[i];
}

dla_status_t dla_model_run(const struct dla_model* model, struct dla_runtime* rt, const float* const* inputs,
                           float* const* outputs) {
  if (rt != NULL && rt->list != NULL) {
    rt->list->count = rt->list->lists = 0;
  }
  DLA_TRY(model->run != NULL ? model->run(rt, inputs[0], outputs[0]) : model->run_ports(rt, inputs, outputs));
  return rt != NULL ? dla_run_list(rt) : kDlaOk;
}
