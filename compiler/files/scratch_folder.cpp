// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes a folder and removes it with all that is in it.
#include "scratch_folder.h"

#include <cstdlib>
#include <system_error>

#include "tensor/error.h"

namespace fovea {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "foveac_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    user_error(name + ": can't make a folder for what is only needed now");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fovea
