// SPDX-License-Identifier: Apache-2.0
/// \file
/// Splits golden texts and runs their commands.
#include "golden_file.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fovea {
namespace {

constexpr std::string_view kRun = "// RUN: foveac", kExpected = "// ---- expected\n";

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_all(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t place = text.find(from); place != std::string::npos; place = text.find(from, place + to.size())) {
    text.replace(place, from.size(), to);
  }
  return text;
}

}  // namespace

std::vector<std::filesystem::path> list_golden_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

GoldenFile read_golden_file(const std::filesystem::path& path) {
  const std::string text = read_all(path);
  const std::size_t split = text.find(kExpected);
  if (!text.starts_with(kRun) || split == std::string::npos) {
    throw std::runtime_error(path.string() + ": no golden text; it starts with \"" + std::string(kRun) +
                             "\" and has a line \"// ---- expected\"");
  }
  GoldenFile file{path, text.substr(kRun.size(), text.find('\n') - kRun.size()), "", ""};
  file.given = text.substr(0, split + kExpected.size());
  file.expected = text.substr(split + kExpected.size());
  return file;
}

std::string run_golden_file(const GoldenFile& file, const std::filesystem::path& foveac,
                            const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string input = file.path.filename().string();
  write_all(folder / input, file.given);
  const std::string command = "cd '" + folder.string() + "' && '" + absolute(foveac).string() + "'" +
                              replaced(file.arguments, "%s", input) + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    throw std::runtime_error("can't run " + command);
  }
  std::string output;
  std::array<char, 4096> block{};
  for (std::size_t read = 0; (read = std::fread(block.data(), 1, block.size(), pipe)) > 0;) {
    output.append(block.data(), read);
  }
  const int status = pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::filesystem::remove_all(folder);
  return code == 0 ? output : output + "// exit " + std::to_string(code) + "\n";
}

void rebase_golden_file(const GoldenFile& file, const std::string& expected) {
  write_all(file.path, file.given + expected);
}

}  // namespace fovea
