// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the class of each picture and puts both in order.
#include "sources.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "pictures.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::array kCifar10 = {"airplane", "automobile", "bird",  "cat",  "deer",
                                 "dog",      "frog",       "horse", "ship", "truck"};
constexpr std::size_t kCifarPlaneBytes = 32 * 32;
constexpr std::size_t kCifarRowBytes = 1 + 3 * kCifarPlaneBytes;

struct NaturalLess {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

using FilesByClass = std::map<std::string, std::vector<std::filesystem::path>, NaturalLess>;

/// "horse" of "horse_9.png".
std::string class_in_name(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t bar = stem.rfind('_');
  if (bar == std::string::npos || bar == 0) {
    user_error(path.string() + ": its name does not say its class; call it <class>_<number>" +
               path.extension().string() + " or put it into a folder with the class's name");
  }
  return shown_text(stem.substr(0, bar));
}

void collect_pictures(const std::filesystem::path& folder, bool is_class, FilesByClass& found) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory() && !is_class) {
      collect_pictures(entry.path(), true, found);
    } else if (entry.is_regular_file() && is_picture_name(entry.path())) {
      found[is_class ? shown_text(folder.filename().string()) : class_in_name(entry.path())].push_back(entry.path());
    }
  }
}

Picture cifar_picture(const char* row) {
  Picture picture{{32, 32}, {}};
  for (std::size_t i = 1; i < kCifarRowBytes; ++i) {
    picture.planes.push_back(static_cast<float>(static_cast<unsigned char>(row[i])) / 255.0f);
  }
  return picture;
}

void read_batch(const std::filesystem::path& path, std::size_t per_class, std::vector<PictureClass>& classes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    user_error(path.string() + ": can't be read; expected a folder of pictures or a CIFAR-10 binary batch");
  }
  std::array<char, kCifarRowBytes> row;
  for (std::size_t index = 0; file.peek() != std::ifstream::traits_type::eof(); ++index) {
    const std::string where = path.string() + ": row " + std::to_string(index);
    if (!file.read(row.data(), row.size())) {
      user_error(where + " has " + std::to_string(file.gcount()) +
                 " of 3073 bytes; this is no whole CIFAR-10 binary batch");
    }
    const auto label = static_cast<unsigned char>(row[0]);
    if (label >= kCifar10.size()) {
      user_error(where + " has label " + std::to_string(label) + "; CIFAR-10 binary batches have labels 0 to 9");
    }
    if (classes[label].pictures.size() < per_class) {
      classes[label].pictures.push_back(cifar_picture(row.data()));
    }
  }
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto number = [&](const std::string& text, std::size_t& at) {
        std::size_t first = text.find_first_not_of('0', at);
        for (; at < text.size() && digit(text[at]); ++at) {
        }
        first = std::min(first, at);
        return text.substr(first, at - first);
      };
      const std::string x = number(a, i), y = number(b, j);
      if (x != y) {
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      }
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return i == a.size() && j == b.size() ? a < b : j < b.size();
}

std::vector<ClassFiles> list_folder(const std::filesystem::path& folder) {
  FilesByClass found;
  try {
    collect_pictures(folder, false, found);
  } catch (const std::filesystem::filesystem_error& error) {
    user_error(folder.string() + ": can't be read (" + error.code().message() + ")");
  }
  if (found.empty()) {
    user_error(folder.string() + ": has no pictures (png, jpg, ppm, pgm), nor folders with some");
  }
  std::vector<ClassFiles> classes;
  for (auto& [name, files] : found) {
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return natural_less(a.filename().string(), b.filename().string()); });
    classes.push_back({name, std::move(files)});
  }
  return classes;
}

std::vector<PictureClass> read_folder(const std::filesystem::path& folder, std::size_t per_class) {
  std::vector<PictureClass> classes;
  for (const ClassFiles& one : list_folder(folder)) {
    classes.push_back({one.name, {}});
    for (std::size_t i = 0; i < std::min(one.files.size(), per_class); ++i) {
      classes.back().pictures.push_back(read_picture(one.files[i]));
    }
  }
  return classes;
}

std::vector<PictureClass> read_cifar10(const std::vector<std::filesystem::path>& batches, std::size_t per_class) {
  std::vector<PictureClass> classes;
  for (const char* name : kCifar10) {
    classes.push_back({name, {}});
  }
  for (const std::filesystem::path& batch : batches) {
    read_batch(batch, per_class, classes);
  }
  return classes;
}

}  // namespace fovea
