// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes `name=file` words apart.
#include "port_files.h"

#include <algorithm>
#include <optional>

#include "input_file.h"
#include "npy_file.h"
#include "tensor/error.h"

namespace fovea {
namespace {

bool begins_with_name(const std::string& word, const Port& port) {
  return word.compare(0, port.name.size() + 1, port.name + "=") == 0;
}

/// The port that `word` names, the longest name where one begins with another; none where it names no port.
std::optional<std::size_t> find_port(const std::string& word, const std::vector<Port>& ports) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (begins_with_name(word, ports[i]) && (!found || ports[i].name.size() > ports[*found].name.size())) {
      found = i;
    }
  }
  return found;
}

/// The parts of a text between commas.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Whether `text` is a file name without a port's: no `=`, or a folder before it.
bool is_bare(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == std::string::npos || text.find('/') < equals;
}

std::string joined(const std::vector<Port>& ports, const std::string& after, const std::string& between) {
  std::string text;
  for (const Port& port : ports) {
    text += (text.empty() ? "" : between) + port.name + after;
  }
  return text;
}

}  // namespace

std::vector<std::filesystem::path> read_port_files(const std::string& variable, const std::string& text,
                                                   const std::vector<Port>& ports) {
  if (ports.size() == 1 && is_bare(text) && !begins_with_name(text, ports.front())) {
    return {text};
  }
  const std::string advice = "; give " + form_of_port_files(ports) + (ports.size() == 1 ? " or FILE" : "");
  std::vector<std::filesystem::path> files(ports.size());
  for (const std::string& word : words_of(text)) {
    const std::optional<std::size_t> port = find_port(word, ports);
    if (!port) {
      throw UsageError(variable + ": " + word + " names none of the network's " + names_of_ports(ports) + advice);
    }
    if (!files[*port].empty()) {
      throw UsageError(variable + ": " + ports[*port].name + " is given twice" + advice);
    }
    files[*port] = word.substr(ports[*port].name.size() + 1);
    if (files[*port].empty()) {
      throw UsageError(variable + ": " + word + " names no file" + advice);
    }
  }
  const auto missing = std::find_if(files.begin(), files.end(), [](const auto& file) { return file.empty(); });
  if (missing != files.end()) {
    throw UsageError(variable + ": " + ports[static_cast<std::size_t>(missing - files.begin())].name + " is missing" +
                     advice);
  }
  return files;
}

std::vector<float> read_port(const std::filesystem::path& file, const Port& port, const std::string& taker) {
  if (file.extension() != ".npy") {
    return read_raw_tensor(file, taker, port.size());
  }
  const Tensor given = read_npy(file);
  const auto& [shape, element] = given.type();
  if (element != ElementType::kFloat32 || static_cast<std::size_t>(count_elements(shape)) != port.size()) {
    user_error(file.string() + ": " + std::string(to_text(element)) + " " + to_text(shape) + "; " + taker +
               " takes float32 " + to_text(Shape(port.shape.begin(), port.shape.end())));
  }
  const auto values = given.values<float>();
  return {values.begin(), values.end()};
}

void check_no_file_twice(const std::string& variable, const std::vector<std::filesystem::path>& files) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (std::find(files.begin(), file, *file) != file) {
      throw UsageError(variable + ": " + file->string() + " is given for two outputs; give each a file of its own");
    }
  }
}

std::string names_of_ports(const std::vector<Port>& ports) { return joined(ports, "", ", "); }

std::string form_of_port_files(const std::vector<Port>& ports) { return joined(ports, "=FILE", ","); }

}  // namespace fovea
