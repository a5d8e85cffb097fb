// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which device stands behind the lab's functions: its dla_init() has no argument to say so.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Puts an open driver behind the lab's functions; NULL takes it away.
void dla_lab_attach(struct dla_runtime* rt);

/// The driver behind the lab's functions; NULL before dla_init() or dla_lab_attach().
struct dla_runtime* dla_lab_runtime(void);

/// What a program defines so that unchanged lab code finds its device: the driver's own definitions are weak and do
/// nothing. dla_init() calls the first where no driver is attached, dla_final() and dla_reset_runtime_info() the
/// others.
struct dla_runtime* dla_lab_open(void);
void dla_lab_close(void);
void dla_lab_forget_layers(void);

#ifdef __cplusplus
}
#endif
