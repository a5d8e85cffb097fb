// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads whole lines, then appends.
#include "outcome_file.h"

#include <cstdio>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "files/output_folder.h"
#include "files/read_file.h"
#include "tensor/error.h"

namespace fovea {

OutcomeFile::OutcomeFile(std::filesystem::path path, uint32_t key, std::size_t pictures)
    : path_(std::move(path)), outcomes_(pictures) {
  char head[64];
  std::snprintf(head, sizeof head, "fovea outcomes %08x %zu\n", key, pictures);
  std::string text;
  if (std::filesystem::exists(path_)) {
    text = read_file(path_, "a file of outcomes");
  }
  text.resize(text.rfind('\n') + 1);  // Nothing where there is no whole line: npos + 1 is 0.
  if (text.empty()) {
    text = head;
    write_file(path_, text);
  } else {
    read(text, head);
    std::filesystem::resize_file(path_, text.size());
  }
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_) {
    user_error(path_.string() + ": cannot be written");
  }
}

void OutcomeFile::read(const std::string& text, const std::string& head) {
  if (text.rfind(head, 0) != 0) {
    user_error(path_.string() + ": holds outcomes of another network or of other pictures; name another file");
  }
  std::istringstream lines(text.substr(head.size()));
  std::size_t picture = 0;
  for (Outcome outcome; lines >> picture >> outcome.answer >> outcome.place;) {
    if (picture >= outcomes_.size()) {
      break;
    }
    outcomes_[picture] = outcome;
  }
  if (!lines.eof() || lines.bad()) {
    user_error(path_.string() + ": is no file of outcomes; name another file");
  }
}

void OutcomeFile::add(std::size_t picture, const Outcome& outcome) {
  outcomes_[picture] = outcome;
  file_ << picture << ' ' << outcome.answer << ' ' << outcome.place << '\n' << std::flush;
  if (!file_) {
    user_error(path_.string() + ": cannot be written");
  }
}

}  // namespace fovea
