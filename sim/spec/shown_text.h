// SPDX-License-Identifier: Apache-2.0
/// \file
/// Text of files as people may see it: nothing in it moves a terminal's cursor or turns what stands beside it around.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

/// UTF-8 in one line. Control characters and bytes that are no UTF-8 become "\x1b", separators of lines and marks that
/// turn the direction of writing "\u202e"; all else stays. What is shown already stays as it is.
std::string shown_text(std::string_view text);

}  // namespace fovea
