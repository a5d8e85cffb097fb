// SPDX-License-Identifier: Apache-2.0
/// \file
/// fovea clean: removes what was compiled and built, and is not used any more.
#include <iostream>
#include <memory>

#include "store/cache.h"
#include "subcommand.h"

namespace fovea {

Action describe_clean(CLI::App& app) {
  constexpr int kDays = 30;
  const auto all = std::make_shared<bool>(false);
  app.add_flag("--all", *all, "Everything, not only entries unused for 30 days");
  return [all] {
    const Cleaned cleaned = clean_cache(std::chrono::hours(*all ? 0 : 24 * kDays));
    std::cout << "removed " << cleaned.entries << (cleaned.entries == 1 ? " entry, " : " entries, ")
              << cleaned.bytes / 1024 << " KiB, from " << cache_folder().string() << "\n";
    return 0;
  };
}

}  // namespace fovea
