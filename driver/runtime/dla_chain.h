// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether layers can run depth first: what one leaves on chip is there when another reads it. Internal to the runtime.
#pragma once

#include "dla_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Guards what no command alone shows. A tensor on chip whose address another layer reads has to hold the rows that it
/// reads. Filters that stay have to fit their region, and no layer may use what another leaves on chip.
/// \param layers  The commands, of all rows. \pre dla_check_mapping() accepts each.
/// \param at      Number of the layer that loses something, unless all is right.
/// \return kDlaOk, kDlaLostRows or kDlaLostFilters.
dla_status_t dla_check_chain(const struct dla_machine* machine, const struct dla_depth_first* args,
                             const struct dla_layer* layers, uint32_t* at);

#ifdef __cplusplus
}
#endif
