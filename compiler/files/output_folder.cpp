// SPDX-License-Identifier: Apache-2.0
/// \file
/// Temporary names and their renaming.
#include "output_folder.h"

#include <unistd.h>

#include <fstream>
#include <system_error>

#include "ir/error.h"

namespace fovea {

OutputFolder::OutputFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (!folder_.empty()) {
    std::filesystem::create_directories(folder_, error);
  }
  if (error || !(folder_.empty() || std::filesystem::is_directory(folder_))) {
    user_error(folder_.string() + ": can't make this output folder (" +
               (error ? error.message() : "a file of that name is in the way") + ")");
  }
}

OutputFolder::~OutputFolder() {
  for (const std::string& name : names_) {
    std::error_code ignored;
    std::filesystem::remove(place_of(name), ignored);
  }
}

std::filesystem::path OutputFolder::place_of(const std::string& name) const {
  // In the same folder, so that a rename is atomic; with the process id, so that two runs don't meet.
  return folder_ / ("." + name + "." + std::to_string(getpid()) + ".part");
}

std::filesystem::path OutputFolder::reserve(const std::string& name) {
  names_.push_back(name);
  return place_of(name);
}

void OutputFolder::add(const std::string& name, std::span<const std::byte> bytes) {
  std::ofstream file(reserve(name), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    user_error((folder_ / name).string() + ": can't be written (disk full, or the folder is read-only)");
  }
}

void OutputFolder::add(const std::string& name, std::string_view text) {
  add(name, std::as_bytes(std::span(text.data(), text.size())));
}

void OutputFolder::commit() {
  for (const std::string& name : names_) {
    std::error_code error;
    std::filesystem::rename(place_of(name), folder_ / name, error);
    if (error) {
      user_error((folder_ / name).string() + ": can't be written (" + error.message() + ")");
    }
  }
  names_.clear();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  OutputFolder folder(path.parent_path());
  folder.add(path.filename().string(), text);
  folder.commit();
}

}  // namespace fovea
