// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies of the files that a network is compiled from, so that what is compiled is what its digest is of, whoever
/// writes them meanwhile.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "files/scratch_folder.h"
#include "requests/placement.h"

namespace fovea {

class CopiedSources {
 public:
  /// Copies the network's model and the files that it names, its records where they are there, and for the accelerator
  /// its machine.
  /// \throws UserError where one can't be read.
  explicit CopiedSources(const NetworkRequest& network);

  /// The request, of the copies.
  const NetworkRequest& network() const { return network_; }

  /// Does `work`. \throws what it throws; a UserError or MachineError with the names of the files, not of the copies.
  void do_with_names(const std::function<void()>& work) const;

 private:
  /// Copies a file to a folder of its own. \return the copy.
  std::filesystem::path copy(const std::filesystem::path& file, const std::string& folder);
  std::string with_names(std::string text) const;

  ScratchFolder scratch_;
  NetworkRequest network_;
  std::vector<std::pair<std::string, std::string>> names_;  ///< What paths of copies begin with, and of the files.
};

}  // namespace fovea
