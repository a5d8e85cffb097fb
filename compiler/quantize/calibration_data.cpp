// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures by dataset/, input.bin and raw numbers by hand.
#include "calibration_data.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dataset/picture_input.h"
#include "dataset/sources.h"
#include "files/read_file.h"
#include "tensor/error.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "files of numbers are little endian");

constexpr const char* kExpected = "a folder of pictures, an input.bin, or raw float32 numbers";

std::size_t input_floats(const Graph& graph) {
  int64_t count = 0;
  for (const NodeId input : graph.inputs()) {
    count += count_elements(graph[input].type.shape);
  }
  return static_cast<std::size_t>(count);
}

/// One input of the network after another.
CalibrationInput split(const Graph& graph, const float* numbers) {
  CalibrationInput input;
  for (const NodeId id : graph.inputs()) {
    Tensor tensor(graph[id].type);
    std::copy_n(numbers, tensor.values<float>().size(), tensor.values<float>().begin());
    numbers += tensor.values<float>().size();
    input.push_back(std::move(tensor));
  }
  return input;
}

class Reader {
 public:
  Reader(const CalibrationSource& source, const Graph& graph) : source_(source), graph_(graph) {}

  std::vector<CalibrationInput> run() {
    if (std::filesystem::is_directory(source_.path)) {
      read_pictures();
    } else if (source_.path.extension() == ".bin") {
      read_input_bin();
    } else {
      read_raw();
    }
    if (inputs_.empty()) {
      user_error(source_.path.string() + ": holds no input; at least one is needed, and a hundred are better");
    }
    return std::move(inputs_);
  }

 private:
  bool is_full() const { return source_.most != 0 && inputs_.size() == source_.most; }

  /// How pictures lie in the one input.
  PictureForm picture_form_of_input() const {
    const std::optional<PictureForm> form = graph_.inputs().size() == 1 ? picture_form(input_shape()) : std::nullopt;
    if (!form) {
      user_error(source_.path.string() + ": pictures fit networks of one input, of one or three channels; " +
                 (graph_.inputs().size() != 1 ? "this one has " + std::to_string(graph_.inputs().size()) + " inputs"
                                              : "this one's is " + to_text(graph_[graph_.inputs()[0]].type.shape)) +
                 "; raw float32 numbers fit any");
    }
    return *form;
  }

  /// Of the first input, without its batch.
  std::vector<std::uint32_t> input_shape() const {
    const Shape& shape = graph_[graph_.inputs()[0]].type.shape;
    return {shape.begin() + (shape.empty() ? 0 : 1), shape.end()};
  }

  void add_planes(std::span<const float> planes) {
    Labels labels;
    labels.mean = source_.mean.value_or(labels.mean);
    labels.deviation = source_.deviation.value_or(labels.deviation);
    inputs_.push_back(split(graph_, picture_input(planes, input_shape(), labels).data()));
  }

  void read_pictures() {
    const PictureForm form = picture_form_of_input();
    // Classes in turn, so that the first ones are of all classes.
    const std::vector<PictureClass> classes =
        read_folder(source_.path, source_.most == 0 ? kAllPictures : source_.most);
    bool is_any = true;
    for (std::size_t i = 0; is_any; ++i) {
      is_any = false;
      for (const PictureClass& one : classes) {
        if (i >= one.pictures.size() || is_full()) {
          continue;
        }
        is_any = true;
        const Picture& picture = one.pictures[i];
        if (picture.size != form.size) {
          user_error(source_.path.string() + ": picture " + std::to_string(i) + " of class " + one.name + " is " +
                     std::to_string(picture.size.height) + "x" + std::to_string(picture.size.width) +
                     ", the network takes " + std::to_string(form.size.height) + "x" + std::to_string(form.size.width) +
                     "; foveac dataset --size " + std::to_string(form.size.height) + "x" +
                     std::to_string(form.size.width) + " makes an input.bin that fits");
        }
        add_planes(picture.planes);
      }
    }
  }

  [[noreturn]] void refuse_input_bin() const {
    user_error(source_.path.string() +
               ": is no whole input.bin, as foveac dataset writes it; raw float32 numbers need " +
               "another ending, such as .f32");
  }

  void read_input_bin() {
    const PictureForm form = picture_form_of_input();
    const std::string bytes = read_file(source_.path, kExpected);
    std::size_t at = 0;
    const auto take_u32 = [&] {
      std::uint32_t value = 0;
      if (bytes.size() - at < sizeof value) {
        refuse_input_bin();
      }
      std::memcpy(&value, bytes.data() + at, sizeof value);
      at += sizeof value;
      return std::size_t{value};
    };
    const std::size_t classes = take_u32();
    for (std::size_t i = 0; i < classes; ++i) {
      const std::size_t length = take_u32();
      if (bytes.size() - at < length) {
        refuse_input_bin();
      }
      at += length;
    }
    const std::size_t per_class = take_u32(), floats = take_u32();
    if (floats == 0 || (bytes.size() - at) / sizeof(float) / floats != classes * per_class ||
        (bytes.size() - at) % (floats * sizeof(float)) != 0) {
      refuse_input_bin();
    }
    const std::vector<std::size_t> sizes = input_file_sizes(input_shape());
    if (std::ranges::find(sizes, floats) == sizes.end()) {
      user_error(source_.path.string() + ": its pictures have " + std::to_string(floats) +
                 " numbers, the network takes " + std::to_string(sizes[0]) + "; foveac dataset --size " +
                 std::to_string(form.size.height) + "x" + std::to_string(form.size.width) +
                 " makes an input.bin that fits");
    }
    std::vector<float> planes(floats);
    for (std::size_t i = 0; i < per_class; ++i) {
      for (std::size_t one = 0; one < classes && !is_full(); ++one) {
        std::memcpy(planes.data(), bytes.data() + at + (one * per_class + i) * floats * sizeof(float),
                    floats * sizeof(float));
        add_planes(planes);
      }
    }
  }

  void read_raw() {
    const std::string bytes = read_file(source_.path, kExpected);
    const std::size_t floats = input_floats(graph_);
    if (bytes.size() % (floats * sizeof(float)) != 0) {
      user_error(source_.path.string() + ": has " + std::to_string(bytes.size()) + " bytes, no multiple of the " +
                 std::to_string(floats * sizeof(float)) + " that an input of the network takes as float32");
    }
    std::vector<float> numbers(floats);
    for (std::size_t at = 0; at < bytes.size() && !is_full(); at += floats * sizeof(float)) {
      std::memcpy(numbers.data(), bytes.data() + at, floats * sizeof(float));
      inputs_.push_back(split(graph_, numbers.data()));
    }
  }

  const CalibrationSource& source_;
  const Graph& graph_;
  std::vector<CalibrationInput> inputs_;
};

}  // namespace

std::vector<CalibrationInput> read_calibration_inputs(const CalibrationSource& source, const Graph& graph) {
  return Reader(source, graph).run();
}

std::string note_on_pictures(const CalibrationSource& source) {
  if (!std::filesystem::is_directory(source.path)) {
    return "";
  }
  const std::vector<ClassFiles> classes = list_folder(source.path);
  return classes.size() > 1 ? ""
                            : source.path.string() + ": all pictures are of one class, " + classes.at(0).name +
                                  "; what others need may be out of range";
}

}  // namespace fovea
