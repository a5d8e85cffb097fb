// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks a layer command as the device does.
#include "setup.h"

namespace fovea {

dla_error check_command(const dla_machine& machine, const LayerWords& words) {
  if (dla_has_reserved_bits(words.data())) {
    return kDlaErrorReservedBits;
  }
  const dla_layer layer = dla_unpack_layer(&machine, words.data());
  return dla_check_layer(&machine, &layer);
}

}  // namespace fovea
