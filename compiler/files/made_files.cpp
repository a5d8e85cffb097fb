// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes the list.
#include "made_files.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "mapped_file.h"
#include "partial_file.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 16;

/// Quick, as it is of all that is written: it tells what was changed from what was not, and need not withstand anyone.
std::string digest_of(std::string_view bytes) {
  std::array<char, kDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
  return digits.data();
}

std::string digest_of_file(const fs::path& file) { return digest_of(MappedFile(file).bytes()); }

bool has_bytes(const fs::path& file, const std::set<std::string>& digests) {
  std::error_code error;
  return fs::is_regular_file(file, error) && digests.contains(digest_of_file(file));
}

}  // namespace

MadeFiles::MadeFiles(fs::path folder) : folder_(std::move(folder)) {
  if (fs::is_symlink(folder_ / kMadeFiles)) {
    return;
  }
  std::ifstream file(folder_ / kMadeFiles, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t end = text.size() < kDigits ? 0 : text.size() - kDigits;
  is_listed_ = digest_of(text.substr(0, end)) == text.substr(end);
  std::istringstream rows(is_listed_ ? text.substr(0, end) : "");
  for (std::string row; std::getline(rows, row, '\0');) {
    if (row.size() > kDigits + 1) {
      digests_[row.substr(kDigits + 1)].insert(row.substr(0, kDigits));
    }
  }
}

bool MadeFiles::holds(const std::string& name) const {
  const auto found = digests_.find(name);
  return found != digests_.end() && has_bytes(folder_ / name, found->second);
}

bool MadeFiles::are_whole() const {
  return is_listed_ && std::all_of(digests_.begin(), digests_.end(),
                                   [&](const auto& row) { return has_bytes(folder_ / row.first, row.second); });
}

std::vector<std::string> MadeFiles::names() const {
  std::vector<std::string> names;
  std::transform(digests_.begin(), digests_.end(), std::back_inserter(names),
                 [](const auto& row) { return row.first; });
  return names;
}

void MadeFiles::add(const std::string& name, const fs::path& file) { digests_[name].insert(digest_of_file(file)); }

void MadeFiles::set(const std::string& name, const fs::path& file) { digests_[name] = {digest_of_file(file)}; }

void MadeFiles::save() const {
  if (fs::is_symlink(folder_ / kMadeFiles)) {
    fs::remove(folder_ / kMadeFiles);  // It may lead anywhere.
  }
  std::string rows;
  for (const auto& [name, digests] : digests_) {
    for (const std::string& digest : digests) {
      rows += digest + ' ' + name + '\0';
    }
  }
  PartialFile list(folder_ / kMadeFiles);
  list.out() << rows << digest_of(rows);
  list.finish();
}

}  // namespace fovea
