// SPDX-License-Identifier: Apache-2.0
/// \file
/// Some rows of a layer's ofmap as a command of its own: so layers run depth first, a slice of rows of each in turn,
/// and of the tensors between them only the rows that are still needed are kept.
#pragma once

#include "dla_layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rows of an ifmap that a slice reads, and the padding beside them.
struct dla_read_rows {
  uint32_t first, rows;
  uint32_t pad_top, pad_bottom;
};

/// \param first,rows  Of the ofmap, as pooling leaves it. \pre rows is not 0, and the shape has these rows.
struct dla_read_rows dla_rows_read(const struct dla_shape *shape, uint32_t first, uint32_t rows);

/// The shape of a slice alone. Its planes are those of the layer's tensors; where one is on chip, it begins with the
/// row that the slice begins with, modulo the plane's rows, which may be fewer than the tensor's: a ring. Filters on
/// chip are those that the slice of row 0 loads.
/// \pre as of dla_rows_read(); the layer is no mean.
struct dla_shape dla_slice_shape(const struct dla_shape *shape, uint32_t first, uint32_t rows);

/// A mapping with no more rows than the shape has, else the same: filters lie in the same order for both.
struct dla_mapping dla_fit_rows(const struct dla_shape *shape, const struct dla_mapping *mapping);

/// The command of a slice. \param layer  With the shape, and the addresses, of all rows.
struct dla_layer dla_slice_of(const struct dla_layer *layer, uint32_t first, uint32_t rows);

#ifdef __cplusplus
}
#endif
