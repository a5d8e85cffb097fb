// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads input.bin and raw tensors.
#include "input_file.h"

#include <algorithm>
#include <cstring>

#include "files/read_file.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

constexpr uint32_t kMaxClasses = 10000;
constexpr uint32_t kMaxNameBytes = 1000;

/// Takes numbers and texts off the front of a file, little endian.
class Reader {
 public:
  Reader(const std::string& bytes, const std::filesystem::path& path) : bytes_(bytes), path_(path) {}

  uint32_t number(const std::string& what, uint32_t limit) {
    uint32_t value = 0;
    take(&value, sizeof value, what);
    if (value > limit) {
      user_error(path_.string() + ": no input.bin: " + what + " is " + std::to_string(value) +
                 "; make one with `foveac dataset`");
    }
    return value;
  }

  std::string text(std::size_t size, const std::string& what) {
    std::string value(size, '\0');
    take(value.data(), size, what);
    return value;
  }

  void take(void* target, std::size_t size, const std::string& what) {
    if (size > left()) {
      user_error(path_.string() + ": truncated: it ends within its " + what + "; make it again with `foveac dataset`");
    }
    std::memcpy(target, bytes_.data() + at_, size);
    at_ += size;
  }

  std::size_t left() const { return bytes_.size() - at_; }

 private:
  const std::string& bytes_;
  const std::filesystem::path& path_;
  std::size_t at_ = 0;
};

}  // namespace

std::span<const float> InputFile::picture(uint32_t index_class, uint32_t index) const {
  const std::size_t at = (std::size_t{index_class} * per_class + index) * floats_per_picture;
  return {data.data() + at, floats_per_picture};
}

InputFile read_input_file(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, "pictures made by `foveac dataset`");
  Reader reader(bytes, path);
  InputFile input;
  const uint32_t classes = reader.number("number of classes", kMaxClasses);
  for (uint32_t i = 0; i < classes; ++i) {
    const uint32_t size = reader.number("length of a class name", kMaxNameBytes);
    input.classes.push_back(shown_text(reader.text(size, "class names")));
  }
  input.per_class = reader.number("number of pictures", UINT32_MAX);
  input.floats_per_picture = reader.number("size of a picture", UINT32_MAX);
  const std::size_t pictures = std::size_t{classes} * input.per_class;
  const std::size_t picture_bytes = std::size_t{input.floats_per_picture} * sizeof(float);
  if (picture_bytes != 0 && pictures > reader.left() / picture_bytes) {
    user_error(path.string() + ": truncated: it ends within its pictures; make it again with `foveac dataset`");
  }
  const std::size_t floats = pictures * input.floats_per_picture;
  if (floats == 0 || floats * sizeof(float) < reader.left()) {
    user_error(path.string() + ": no input.bin: it is not as long as it says; make one with `foveac dataset`");
  }
  input.data.resize(floats);
  reader.take(input.data.data(), floats * sizeof(float), "pictures");
  return input;
}

std::vector<uint32_t> InputFile::outputs(const std::vector<std::string>& labels) const {
  std::vector<uint32_t> by_name, by_place;
  for (const std::string& name : classes) {
    by_name.push_back(static_cast<uint32_t>(std::find(labels.begin(), labels.end(), name) - labels.begin()));
    by_place.push_back(static_cast<uint32_t>(by_place.size()));
  }
  return std::count(by_name.begin(), by_name.end(), labels.size()) == 0 ? by_name : by_place;
}

InputFile read_input_file(const std::filesystem::path& path, const std::vector<std::size_t>& sizes) {
  InputFile input = read_input_file(path);
  if (std::find(sizes.begin(), sizes.end(), input.floats_per_picture) == sizes.end()) {
    user_error(path.string() + ": its pictures have " + std::to_string(input.floats_per_picture) +
               " numbers; the network takes " + std::to_string(sizes[0]) +
               (sizes.size() > 1 ? ", or " + std::to_string(sizes[1]) + " of one channel" : ""));
  }
  return input;
}

std::vector<float> BarePictures::planes(std::size_t picture) const {
  std::vector<float> numbers(picture_bytes);
  const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(picture * picture_bytes);
  std::transform(first, first + static_cast<std::ptrdiff_t>(picture_bytes), numbers.begin(),
                 [](char pixel) { return static_cast<float>(static_cast<uint8_t>(pixel)) / 255.0f; });
  return numbers;
}

BarePictures read_bare_pictures(const std::filesystem::path& pixels, const std::filesystem::path& labels,
                                std::size_t picture_bytes) {
  BarePictures read{read_file(pixels, "uint8 pictures"), read_file(labels, "uint8 classes"), picture_bytes};
  if (read.classes.empty() || read.pixels.size() != read.count() * picture_bytes) {
    user_error(pixels.string() + ": has " + std::to_string(read.pixels.size()) + " bytes; " +
               std::to_string(read.count()) + " labels take " + std::to_string(read.count() * picture_bytes));
  }
  return read;
}

std::vector<float> read_raw_tensor(const std::filesystem::path& path, const std::string& taker, std::size_t count) {
  const std::string bytes = read_file(path, "raw float32 numbers");
  if (bytes.size() != count * sizeof(float)) {
    user_error(path.string() + ": has " + std::to_string(bytes.size()) + " bytes; " + taker + " takes " +
               std::to_string(count) + " float32 numbers, " + std::to_string(count * sizeof(float)) + " bytes");
  }
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace fovea
