// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the device of the lab's functions: dla_init() has no argument for it.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the open driver of the lab's functions; NULL removes it.
void dla_lab_attach(struct dla_runtime* rt);

/// The driver of the lab's functions; NULL before dla_init() or dla_lab_attach().
struct dla_runtime* dla_lab_runtime(void);

/// Hooks by which unchanged lab code finds its device. The driver's own definitions are weak and do nothing.
/// dla_init() calls the first if no driver is attached. dla_final() and dla_reset_runtime_info() call the
/// others.
struct dla_runtime* dla_lab_open(void);
void dla_lab_close(void);
void dla_lab_forget_layers(void);

#ifdef __cplusplus
}
#endif
