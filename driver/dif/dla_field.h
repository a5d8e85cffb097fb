// SPDX-License-Identifier: Apache-2.0
/// \file
/// Register fields by their generated names.
#pragma once

#include "spec/dla_regs.h"

/// `value` in its place in the register; FIELD is REGISTER_FIELD, as in dla_regs.h.
#define DLA_PUT(FIELD, value) (((uint32_t)(value)&DLA_##FIELD##_MASK) << DLA_##FIELD##_LSB)

/// The field's value in register word `word`.
#define DLA_GET(FIELD, word) (((word) >> DLA_##FIELD##_LSB) & DLA_##FIELD##_MASK)
