// SPDX-License-Identifier: Apache-2.0
/// \file
/// What each error cause means, for a person: the sentences of dla.json (test: dla_layer_test.cpp compares them).
#include "dla_layer.h"

static const char* const kTexts[kDlaErrorCount] = {
    [kDlaErrorNone] = "no error",
    [kDlaErrorBadShape] =
        "a shape field is zero or out of range, or the filter is larger than the padded ifmap (R, S 1 to 11; "
        "U 1 to 4; PAD 0 to 5; pooling needs two rows and columns)",
    [kDlaErrorBadMapping] =
        "a mapping field is zero or out of range; n must be 1, e at most e_glb, e_glb at most E, "
        "filter_buffers at least 2",
    [kDlaErrorBadLoopOrder] = "the loop order is not one this machine knows",
    [kDlaErrorReservedBits] = "a reserved register field is not zero",
    [kDlaErrorOddPoolRows] = "e and e_glb must be even when pooling",
    [kDlaErrorIfmapSpadFull] = "q * S exceeds the ifmap spad; lower q",
    [kDlaErrorFilterSpadFull] = "p * q * S exceeds the filter spad; lower p or q",
    [kDlaErrorPsumSpadFull] = "p exceeds the psum spad; lower p",
    [kDlaErrorArrayTooNarrow] = "e exceeds the array's columns; lower e",
    [kDlaErrorTooManyChannelSets] = "r PE sets do not fit in one column; lower r",
    [kDlaErrorTooManyFilterSets] = "t filter sets do not fit beside r; lower t or e",
    [kDlaErrorTooManyPassFilters] = "p * t exceeds the biases a pass can hold; lower p or t",
    [kDlaErrorGlbIfmapSmall] =
        "the ifmap region does not hold its chunks; enlarge it, stream the ifmap, or lower e_glb or q * r",
    [kDlaErrorGlbFilterSmall] =
        "the filter region does not hold filter_buffers chunks; enlarge it or lower p, t, q, r or "
        "filter_buffers",
    [kDlaErrorGlbPsumSmall] = "the psum region does not hold m filters of e_glb rows; enlarge it or lower m or e_glb",
    [kDlaErrorGlbOutSmall] = "the output region does not hold two output tiles; enlarge it or lower p, t or e",
    [kDlaErrorGlbRegionMisplaced] =
        "a GLB region leaves the GLB, overlaps another, or is not a multiple of the banks it needs (4 for the "
        "ifmap, bus_bytes / 4 for the output)",
    [kDlaErrorBadAddress] =
        "the filter address is not a multiple of the bus width, or the ifmap or the ofmap wraps around the address "
        "space",
    [kDlaErrorBusRead] = "a DRAM read was answered with an error",
    [kDlaErrorBusWrite] = "a DRAM write was answered with an error",
    [kDlaErrorBusy] = "START while a layer was running, or a layer register written meanwhile; the access was ignored",
    [kDlaErrorBadAccess] =
        "a register access outside the map, a write to a read-only register, or one that is not a whole word; "
        "it was ignored",
};

const char* dla_error_text(enum dla_error error) {
  return (uint32_t)error < kDlaErrorCount ? kTexts[error] : "an error cause that this version does not know";
}
