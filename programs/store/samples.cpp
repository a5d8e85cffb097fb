// SPDX-License-Identifier: Apache-2.0
/// \file
/// The drawn pictures that ship, packed.
#include "samples.h"

#include "compiled_network.h"
#include "dataset/dataset.h"
#include "files/digest.h"
#include "files/file_tree.h"

namespace fovea {

std::filesystem::path samples_file(const Say& say) {
  const std::filesystem::path pictures = file_tree().models / "samples";
  Digest digest;
  digest.add_this_program();
  digest.add_folder(pictures, ".png");
  return shown(find_or_make(
                   "samples", digest.text(),
                   [&](const std::filesystem::path& scratch) {
                     DatasetOptions options;
                     options.sources = {pictures};
                     options.output = scratch / "samples.bin";
                     write_dataset(options);
                   },
                   say) /
               "samples.bin");
}

}  // namespace fovea
