// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the pictures and the class of each.
#include "test_pictures.h"

#include <algorithm>
#include <memory>
#include <span>

#include "dataset/picture_input.h"
#include "dataset/pictures.h"
#include "dataset/sources.h"
#include "ir/checksum.h"
#include "program/input_file.h"
#include "spec/shown_text.h"
#include "tensor/error.h"

namespace fovea {
namespace {

template <class Numbers>
uint32_t checksum_of(const Numbers& values) {
  return checksum(std::as_bytes(std::span(values)));
}

void check_output(const std::string& whose, uint32_t output, const Labels& labels) {
  if (output >= labels.names.size()) {
    user_error(whose + " is class " + std::to_string(output) + "; the network has " +
               std::to_string(labels.names.size()) + " outputs");
  }
}

/// The output that each class of a folder is.
std::vector<uint32_t> outputs_of(const std::filesystem::path& folder, const std::vector<ClassFiles>& classes,
                                 const Labels& labels) {
  std::vector<uint32_t> outputs;
  std::vector<std::string> unknown;
  for (const ClassFiles& one : classes) {
    const auto label = std::find(labels.names.begin(), labels.names.end(), one.name);
    outputs.push_back(static_cast<uint32_t>(label - labels.names.begin()));
    if (label == labels.names.end()) {
      unknown.push_back(one.name);
    }
  }
  if (unknown.size() == classes.size() && classes.size() == labels.names.size()) {
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = i;
    }
  } else if (!unknown.empty()) {
    user_error(folder.string() + ": class " + unknown.front() + " is no label of the network (" + labels.names.front() +
               ", ... " + labels.names.back() + "); name its folder as a label, or have one for each of the " +
               std::to_string(labels.names.size()) + " outputs, in their order");
  }
  return outputs;
}

TestPictures open_folder(const std::filesystem::path& folder, PictureSize size, const Labels& labels) {
  const std::vector<ClassFiles> classes = list_folder(folder);
  const std::vector<uint32_t> outputs = outputs_of(folder, classes, labels);
  TestPictures found;
  std::vector<std::filesystem::path> files;
  std::string list;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (const std::filesystem::path& file : classes[i].files) {
      files.push_back(file);
      found.pictures.push_back({shown_text(file.string()), outputs[i]});
      list += file.string() + " " + std::to_string(std::filesystem::file_size(file)) + "\n";
    }
  }
  found.checksum = checksum(std::as_bytes(std::span(list)));
  found.planes = [files, size](std::size_t picture) {
    return stretch_picture(read_picture(files[picture]), size).planes;
  };
  return found;
}

TestPictures open_input_file(const std::filesystem::path& path, const Port& input, const Labels& labels) {
  const auto file = std::make_shared<const InputFile>(read_input_file(path, input_file_sizes(input.shape)));
  const std::vector<uint32_t> outputs = file->outputs(labels.names);
  TestPictures found;
  for (uint32_t i = 0; i < file->classes.size(); ++i) {
    check_output(path.string() + ": " + file->classes[i], outputs[i], labels);
    for (uint32_t k = 0; k < file->per_class; ++k) {
      found.pictures.push_back({file->classes[i] + " " + std::to_string(k), outputs[i]});
    }
  }
  found.checksum = checksum_of(file->data);
  found.planes = [file](std::size_t picture) {
    const auto number = static_cast<uint32_t>(picture);
    const std::span<const float> planes = file->picture(number / file->per_class, number % file->per_class);
    return std::vector<float>(planes.begin(), planes.end());
  };
  return found;
}

}  // namespace

TestPictures open_pictures(const std::filesystem::path& data, const Port& input, const Labels& labels) {
  const std::optional<PictureForm> form = picture_form(input.shape);
  if (!form) {
    user_error(data.string() + ": the network does not take pictures of one or three channels");
  }
  return std::filesystem::is_directory(data) ? open_folder(data, form->size, labels)
                                             : open_input_file(data, input, labels);
}

TestPictures open_bare_pictures(const std::filesystem::path& pixels, const std::filesystem::path& labels_of,
                                const Port& input, const Labels& labels) {
  const auto bare = std::make_shared<const BarePictures>(read_bare_pictures(pixels, labels_of, input.size()));
  TestPictures found;
  for (std::size_t i = 0; i < bare->count(); ++i) {
    const uint32_t true_class = bare->true_class(i);
    check_output(labels_of.string() + ": picture " + std::to_string(i), true_class, labels);
    found.pictures.push_back({"picture " + std::to_string(i), true_class});
  }
  found.checksum = checksum_of(bare->pixels) ^ checksum_of(bare->classes);
  found.planes = [bare](std::size_t picture) { return bare->planes(picture); };
  return found;
}

}  // namespace fovea
