// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lab's functions without arguments, and the hooks behind them.
#include "lab_host.h"

#include "dif/dla_dif.h"
#include "runtime.h"

static struct dla_runtime* attached;

__attribute__((weak)) struct dla_runtime* dla_lab_open(void) { return NULL; }
__attribute__((weak)) void dla_lab_close(void) {}
__attribute__((weak)) void dla_lab_forget_layers(void) {}

void dla_lab_attach(struct dla_runtime* rt) { attached = rt; }

struct dla_runtime* dla_lab_runtime(void) {
  return attached;
}

void dla_init(void) {
  if (attached == NULL) {
    attached = dla_lab_open();
  }
}

void dla_stop(void) {
  if (attached != NULL && attached->hal->write32 != NULL) {
    (void)dla_enable_irq(attached->hal, false, false);  // The lab's function has no way to report a failure.
  }
}

void dla_final(void) {
  dla_stop();
  dla_lab_close();
  attached = NULL;
}

void dla_reset_runtime_info(void) { dla_lab_forget_layers(); }
