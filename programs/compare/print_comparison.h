// SPDX-License-Identifier: Apache-2.0
/// \file
/// A comparison, for a person to read and as JSON.
#pragma once

#include <ostream>

#include "comparison.h"
#include "explanation.h"

namespace fovea {

/// A row a layer, and what only one side has.
void print_layers(const Side& a, const Side& b, const Comparison& comparison, std::ostream& out);

/// The first difference: element, what it depends on, accumulators.
void print_explanation(const Explanation& explanation, std::ostream& out);

/// Both as one JSON document. \param explanation  Of the first difference; null where there is none.
void print_comparison_json(const Side& a, const Side& b, const Comparison& comparison, const Explanation* explanation,
                           std::ostream& out);

}  // namespace fovea
