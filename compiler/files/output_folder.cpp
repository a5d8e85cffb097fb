// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes all, then renames all.
#include "output_folder.h"

#include <system_error>
#include <utility>

#include "folder_lock.h"
#include "made_files.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

void write(PartialFile& file, std::span<const std::byte> bytes) {
  file.out().write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

[[noreturn]] void refuse_foreign(const fs::path& file) {
  user_error(file.string() +
             ": is there, and Fovea did not make it, or it was changed since; move it, or name another folder");
}

}  // namespace

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (!folder.empty()) {
    fs::create_directories(folder, error);
  }
  if (error || !(folder.empty() || fs::is_directory(folder))) {
    user_error(folder.string() + ": can't make this output folder (" +
               (error ? error.message() : "a file of that name is in the way") + ")");
  }
}

OutputFolder::OutputFolder(fs::path folder) : folder_(std::move(folder)) { make_folder(folder_); }

fs::path OutputFolder::place_of(const std::string& name) const { return files_.at(name).part(); }

fs::path OutputFolder::reserve(const std::string& name) {
  add(name, std::string_view());
  return place_of(name);
}

void OutputFolder::add(const std::string& name, std::span<const std::byte> bytes) {
  if (fs::is_symlink(folder_ / name)) {
    refuse_foreign(folder_ / name);  // It may lead out of the folder, which may be another one's.
  }
  files_.erase(name);
  write(files_.try_emplace(name, folder_ / name).first->second, bytes);
}

void OutputFolder::add(const std::string& name, std::string_view text) { add(name, bytes_of(text)); }

void OutputFolder::commit() {
  const FolderLock lock(folder_);
  MadeFiles made(folder_);
  MadeFiles after = made;
  for (const auto& [name, file] : files_) {
    if (!fs::is_regular_file(file.part())) {
      continue;  // A device keeps nothing.
    }
    made.add(name, file.part());
    after.set(name, file.part());
    if (fs::exists(file.path()) && !made.holds(name)) {
      refuse_foreign(file.path());
    }
  }
  made.save();  // Both, so that one that is ended below leaves files that are known.
  for (auto& [name, file] : files_) {
    file.finish();
  }
  after.save();
  files_.clear();
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  make_folder(path.parent_path());
  PartialFile file(path);
  write(file, bytes);
  file.finish();
}

void write_file(const fs::path& path, std::string_view text) { write_file(path, bytes_of(text)); }

}  // namespace fovea
