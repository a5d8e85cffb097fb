// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeps what a long run has found, so that one that was ended goes on where it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "score.h"

namespace fovea {

/// A text: a line "fovea outcomes KEY PICTURES", then "picture answer place" for each picture that is done. A line that
/// the end of a run cut short is not there.
class OutcomeFile {
 public:
  /// Reads what is there, or begins a new file.
  /// \param key  Of the network and the pictures. \throws UserError where the file is of others, or can't be written.
  OutcomeFile(std::filesystem::path path, uint32_t key, std::size_t pictures);

  /// By picture; none where it is to be asked yet.
  const std::vector<std::optional<Outcome>>& outcomes() const { return outcomes_; }

  /// Adds one, for good. \throws UserError where that can't be written.
  void add(std::size_t picture, const Outcome& outcome);

 private:
  void read(const std::string& text, const std::string& head);

  std::filesystem::path path_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::ofstream file_;
};

}  // namespace fovea
