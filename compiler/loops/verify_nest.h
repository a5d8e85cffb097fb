// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a nest makes sense.
#pragma once

#include "nest.h"

namespace fovea {

/// Names are C identifiers and each is one thing's; each variable is used inside of its loop; each index stays inside
/// of its buffer, as loops and conditions around it say, or the element says what it is elsewhere; what is stored has
/// the buffer's type; inputs are not written, outputs not read, and scalar registers written before they are
/// read; of other buffers, in loops around, only that they are written is known. \throws
/// UserError "nest <name>: <problem>" where not.
void verify_nest(const Nest& nest);

}  // namespace fovea
