// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pads filters and writes the function that reads them back.
#include "lab_weights.h"

#include <sstream>

namespace fovea {
namespace {

/// What a filter's channels are padded to a multiple of.
constexpr int64_t kChannels = 4;

const char* const kHead =
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "#include <stdio.h>\n"
    "#include \"weight.h\"\n"
    "\n";

/// The functions in front of load_weight().
const char* const kReading =
    "\n"
    "static void fail(const char* filename, const char* why) {\n"
    "  fprintf(stderr, \"%s: %s\\n\", filename, why);\n"
    "  exit(1);\n"
    "}\n"
    "\n"
    "static void read_bytes(void* to, size_t bytes, FILE* file, const char* filename) {\n"
    "  if (fread(to, 1, bytes, file) != bytes) {\n"
    "    fail(filename, \"not this network's weights: the file is too short\");\n"
    "  }\n"
    "}\n"
    "\n"
    "void load_weight(char* filename) {\n"
    "  FILE* file = fopen(filename, \"rb\");\n"
    "  if (!file) {\n"
    "    fail(filename, \"can't be opened\");\n"
    "  }\n";

const char* const kEnd =
    "  if (fgetc(file) != EOF) {\n"
    "    fail(filename, \"not this network's weights: the file is too long\");\n"
    "  }\n"
    "  fclose(file);\n"
    "}\n";

}  // namespace

std::string LabWeights::add(const Tensor& constant) {
  const TensorType& type = constant.type();
  const std::span<const std::byte> bytes = constant.bytes();
  Entry entry{"tvmgen_default_DLA_main_0_const_" + std::to_string(entries_.size()),
              std::string(to_text(type.element)) + "_t", count_elements(type.shape), bytes.size()};
  const int64_t missing = type.shape.size() == 4 ? (kChannels - type.shape[1] % kChannels) % kChannels : 0;
  const int64_t runs = missing == 0 ? 1 : type.shape[0];
  if (missing != 0) {
    entry.filters = runs;
    entry.kept_bytes = bytes.size() / static_cast<std::size_t>(runs);
    entry.zero_bytes = entry.kept_bytes / static_cast<std::size_t>(type.shape[1]) * static_cast<std::size_t>(missing);
    entry.bytes += entry.zero_bytes * static_cast<std::size_t>(runs);
    entry.elements = entry.elements / type.shape[1] * (type.shape[1] + missing);
  }
  const std::size_t run_bytes = bytes.size() / static_cast<std::size_t>(runs);
  for (std::size_t at = 0; at < bytes.size(); at += run_bytes) {
    const auto run = bytes.subspan(at, run_bytes);
    file_.insert(file_.end(), run.begin(), run.end());
    file_.resize(file_.size() + entry.zero_bytes);
  }
  entries_.push_back(entry);
  return entry.name;
}

std::string LabWeights::c_text() const {
  std::ostringstream out;
  out << kHead;
  for (const Entry& entry : entries_) {
    out << entry.type << " " << entry.name << " [" << entry.elements << "];\n";
  }
  out << kReading;
  for (const Entry& entry : entries_) {
    const std::string whole =
        "  read_bytes(" + entry.name + ", " + std::to_string(entry.bytes) + ", file, filename);\n";
    if (entry.filters == 0) {
      out << whole;
      continue;
    }
    out << "#ifdef CPU_ONLY\n"
        << "  for (int n = 0; n < " << entry.filters << "; n++) {\n"
        << "    read_bytes(" << entry.name << " + n * " << entry.kept_bytes << ", " << entry.kept_bytes
        << ", file, filename);\n"
        << "    fseek(file, " << entry.zero_bytes << ", SEEK_CUR);  // Zero channels, for the device.\n"
        << "  }\n#else\n"
        << whole << "#endif\n";
  }
  out << kEnd;
  return out.str();
}

std::string LabWeights::header_text() const {
  std::ostringstream out;
  out << "#ifndef DATA_H\n#define DATA_H\n\n#include <stdint.h>\n\n";
  for (const Entry& entry : entries_) {
    out << "extern " << entry.type << " " << entry.name << "[];\n";
  }
  out << "void load_weight(char* filename);\n\n#endif  // DATA_H\n";
  return out.str();
}

}  // namespace fovea
