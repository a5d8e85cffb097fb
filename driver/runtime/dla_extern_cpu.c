// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operators that are C functions of the user's, between the runtime's tensors.
#include "dla_tensors.h"
#include "hal/dla_try.h"

/// Where the tensors are. \return false where one is nowhere.
static bool place_tensors(const struct dla_runtime* rt, const struct dla_extern_cpu* args, void* y) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < args->input_count; ++i) {
    if (args->inputs[i].dims == NULL) {  // Left out.
      continue;
    }
    const void* x = NULL;
    if (next == args->place_count || !dla_nest_inputs(rt, &args->places[next++], 1, &x)) {
      return false;
    }
    args->inputs[i].data = (void*)x;
  }
  for (uint32_t i = 0; i < args->output_count; ++i) {
    args->outputs[i].data = args->outputs[i].dims == NULL ? NULL : (char*)y + args->offsets[i];
  }
  return true;
}

dla_status_t dla_extern_cpu(struct dla_runtime* rt, const struct dla_extern_cpu* args) {
  if (args == NULL) {
    return kDlaBadArg;
  }
  DLA_TRY(dla_begin(rt, args->name));
  const uint32_t elements = dla_elements(args->rank, args->shape);
  void* y = args->y_host != NULL ? args->y_host : dla_arena_view(rt, args->y, (uint64_t)elements * args->element_bytes);
  if (args->run == NULL || elements == 0 || y == NULL || !place_tensors(rt, args, y)) {
    return kDlaBadArg;
  }
  for (uint64_t i = 0; args->output_count > 1 && i < (uint64_t)elements * args->element_bytes; ++i) {
    ((char*)y)[i] = 0;  // What is between outputs is shown too.
  }
  const struct dla_extern_call call = {args->op,      args->node,         args->inputs,     args->input_count,
                                       args->outputs, args->output_count, args->attributes, args->attribute_count};
  const int code = args->run(&call);
  if (code != 0) {
    rt->failed_op = args->op;
    rt->failed_node = args->node;
    rt->failed_code = code;
    return kDlaExternFailed;
  }
  dla_show(rt, args->name, args->type, args->element_bytes, args->rank, args->shape, y);
  return kDlaOk;
}
