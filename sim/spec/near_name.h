// SPDX-License-Identifier: Apache-2.0
/// \file
/// The name that was meant by one that is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// "; did you mean --machine?" where one of the names is near enough; else "". Near is a letter in three that is added,
/// left out, changed or exchanged with the next; or the beginning of one name alone, of three letters or more.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names);

/// That name, or nullptr.
const std::string* near_name(std::string_view typed, const std::vector<std::string>& names);

}  // namespace fovea
