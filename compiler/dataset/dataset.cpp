// SPDX-License-Identifier: Apache-2.0
/// \file
/// From pictures to the bytes of input.bin.
#include "dataset.h"

#include <algorithm>
#include <iomanip>
#include <ios>

#include "files/output_folder.h"
#include "files/partial_file.h"
#include "files/read_file.h"
#include "picture_input.h"
#include "pictures.h"
#include "sources.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr std::uint32_t kLargestSide = 4096;

std::vector<PictureClass> read_sources(const DatasetOptions& options) {
  const std::size_t per_class = options.per_class.value_or(0) == 0 ? kAllPictures : *options.per_class;
  const auto& sources = options.sources;
  if (sources.size() == 1 && std::filesystem::is_directory(sources[0])) {
    return read_folder(sources[0], per_class);
  }
  for (const std::filesystem::path& source : sources) {
    check_exists(source);
    if (std::filesystem::is_directory(source)) {
      user_error(source.string() + ": is a folder; give one folder, or binary batches only");
    }
  }
  return read_cifar10(sources, per_class);
}

/// Pictures a class in the file; cuts every class to it.
std::uint32_t level_classes(std::vector<PictureClass>& classes, std::optional<std::uint32_t> wanted) {
  const auto smallest = std::min_element(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
    return a.pictures.size() < b.pictures.size();
  });
  const std::size_t count = smallest->pictures.size();
  if (count == 0 || count < wanted.value_or(0)) {
    user_error("class " + smallest->name + " has " + std::to_string(count) + " pictures; " +
               (wanted ? std::to_string(*wanted) + " of each class are wanted" : "each class needs at least one"));
  }
  const std::size_t kept = wanted.value_or(static_cast<std::uint32_t>(count));
  for (PictureClass& one : classes) {
    one.pictures.resize(kept);
  }
  return static_cast<std::uint32_t>(kept);
}

PictureSize unify_sizes(std::vector<PictureClass>& classes, std::optional<PictureSize> wanted) {
  const PictureSize size = wanted.value_or(classes[0].pictures[0].size);
  for (PictureClass& one : classes) {
    for (std::size_t i = 0; i < one.pictures.size(); ++i) {
      Picture& picture = one.pictures[i];
      if (!wanted && picture.size != size) {
        user_error("picture " + std::to_string(i) + " of class " + one.name + " is " +
                   std::to_string(picture.size.height) + "x" + std::to_string(picture.size.width) + ", the first is " +
                   std::to_string(size.height) + "x" + std::to_string(size.width) +
                   "; --size HxW stretches all to one size");
      }
      picture = stretch_picture(picture, size);
    }
  }
  return size;
}

void put_u32(std::ostream& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.put(static_cast<char>(value >> shift & 0xff));
  }
}

void write_bin(std::ostream& out, const std::vector<PictureClass>& classes, const DatasetReport& report) {
  put_u32(out, report.classes);
  for (const PictureClass& one : classes) {
    put_u32(out, static_cast<std::uint32_t>(one.name.size()));
    out << one.name;
  }
  put_u32(out, report.per_class);
  put_u32(out, report.channels * report.size.height * report.size.width);
  for (const PictureClass& one : classes) {
    for (const Picture& picture : one.pictures) {
      for (const float value : picture.planes) {
        std::uint32_t bits = 0;
        static_assert(sizeof bits == sizeof value);
        std::copy_n(reinterpret_cast<const char*>(&value), sizeof bits, reinterpret_cast<char*>(&bits));
        put_u32(out, bits);
      }
    }
  }
}

/// Hexadecimal, so that the compiler reads the same bits.
void write_header(std::ostream& out, const std::vector<PictureClass>& classes, const DatasetReport& report) {
  out << "/* Pictures by foveac dataset: planes of pixel / 255, class by class. */\n#pragma once\n#define "
         "INPUT_CLASSES "
      << report.classes << "\n#define INPUT_PICTURES " << report.per_class << "\n#define INPUT_SIZE "
      << report.channels * report.size.height * report.size.width << "\nstatic const char *const input_classes[] = {";
  for (const PictureClass& one : classes) {
    out << std::quoted(one.name) << ", ";
  }
  out << "};\nstatic const float input_pictures[] = {\n" << std::hexfloat;
  for (const PictureClass& one : classes) {
    for (const Picture& picture : one.pictures) {
      for (std::size_t i = 0; i < picture.planes.size(); ++i) {
        out << picture.planes[i] << (i % 8 == 7 || i + 1 == picture.planes.size() ? "f,\n" : "f, ");
      }
    }
  }
  out << "};\n";
}

}  // namespace

DatasetReport write_dataset(const DatasetOptions& options) {
  if (options.per_class == 0u) {
    user_error("--per-class 0: at least one picture of each class is needed");
  }
  std::vector<PictureClass> classes = read_sources(options);
  DatasetReport report;
  report.classes = static_cast<std::uint32_t>(classes.size());
  report.per_class = level_classes(classes, options.per_class);
  report.size = unify_sizes(classes, options.size);
  report.channels = options.channels;
  for (PictureClass& one : classes) {
    for (Picture& picture : one.pictures) {
      picture.planes = picture_input(picture.planes, {report.channels, report.size.height, report.size.width}, {});
    }
  }
  make_folder(options.output.parent_path());
  PartialFile file(options.output);
  (options.output.extension() == ".h" ? write_header : write_bin)(file.out(), classes, report);
  file.finish();
  return report;
}

std::optional<PictureSize> parse_picture_size(const std::string& text) {
  const std::size_t cross = text.find('x');
  const auto side = [](const std::string& digits) -> std::uint32_t {
    const bool number =
        !digits.empty() && digits.size() <= 4 && digits.find_first_not_of("0123456789") == std::string::npos;
    return number ? static_cast<std::uint32_t>(std::stoul(digits)) : 0;
  };
  const PictureSize size = cross == std::string::npos
                               ? PictureSize{}
                               : PictureSize{side(text.substr(0, cross)), side(text.substr(cross + 1))};
  const bool fits = size.height >= 1 && size.height <= kLargestSide && size.width >= 1 && size.width <= kLargestSide;
  return fits ? std::optional(size) : std::nullopt;
}

}  // namespace fovea
