// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes `name=file` words apart.
#include "port_files.h"

#include <algorithm>
#include <cstdint>
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

/// An integer as float32, as which inputs are read. \throws UserError where there is no such float32.
float exact_float(int64_t integer, const std::filesystem::path& file) {
  const auto value = static_cast<float>(integer);
  if (static_cast<long double>(value) != static_cast<long double>(integer)) {
    user_error(file.string() + ": holds " + std::to_string(integer) +
               ", which is rounded where inputs are float32; whole numbers up to 16777216 are not");
  }
  return value;
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
  if (static_cast<std::size_t>(count_elements(shape)) != port.size()) {
    user_error(file.string() + ": is " + to_text(shape) + "; " + taker + " takes " +
               to_text(Shape(port.shape.begin(), port.shape.end())));
  }
  std::vector<float> values(port.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = element == ElementType::kFloat32 ? given.values<float>()[i] : exact_float(given.integer_at(i), file);
  }
  return values;
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
