// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of steps, and reads their lines.
#include "schedule_trace.h"

#include <algorithm>
#include <sstream>

#include "ir/text_number.h"
#include "schedule.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using Words = std::vector<std::string>;

int64_t number(const std::string& word) { return parse_number<int64_t>(word).value(); }

/// A step of one loop or buffer, of two, or of a loop and a number.
template <Nest (*step)(const Nest&, const std::string&)>
Nest of_one(const Nest& nest, const Words& words) {
  return step(nest, words[0]);
}

template <Nest (*step)(const Nest&, const std::string&, const std::string&)>
Nest of_two(const Nest& nest, const Words& words) {
  return step(nest, words[0], words[1]);
}

template <Nest (*step)(const Nest&, const std::string&, int64_t)>
Nest of_number(const Nest& nest, const Words& words) {
  return step(nest, words[0], number(words[1]));
}

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

bool fits(const Words& words, const Words& arguments) {
  const bool takes_more = arguments.back() == "loops";
  if (takes_more ? words.size() < arguments.size() : words.size() != arguments.size()) {
    return false;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if ((arguments[i] == "size" || arguments[i] == "parts") && !parse_number<int64_t>(words[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

const std::vector<StepRow>& schedule_steps() {
  static const std::vector<StepRow> table{
      {"tile", "loop size", of_number<tile>},
      {"split", "loop size", of_number<split>},
      {"split_parts", "loop parts", of_number<split_parts>},
      {"fuse", "outer inner", of_two<fuse>},
      {"reorder", "loop loops", reorder},
      {"unroll", "loop", of_one<unroll>},
      {"vectorize", "loop", of_one<vectorize>},
      {"parallel", "loop", of_one<parallel>},
      {"tensorize", "loop function", of_two<tensorize>},
      {"decompose_reduction", "reduction at", of_two<decompose_reduction>},
      {"cache_read", "input at", of_two<cache_read>},
      {"cache_converted", "input at", of_two<cache_converted>},
      {"cache_write", "output at", of_two<cache_write>},
      {"compute_at", "array at", of_two<compute_at>},
      {"reverse_compute_at", "loop at", of_two<reverse_compute_at>},
  };
  return table;
}

Nest apply_step(const Nest& nest, const std::string& step) {
  Words words = words_of(step);
  const std::string name = words.empty() ? "" : words.front();
  const auto& rows = schedule_steps();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const StepRow& each) { return each.name == name; });
  if (row == rows.end()) {
    std::string names;
    for (const StepRow& each : rows) {
      names += (names.empty() ? "" : ", ") + std::string(each.name);
    }
    user_error("nest " + nest.name + ": there is no step \"" + name + "\"; there are " + names);
  }
  words.erase(words.begin());
  if (!fits(words, words_of(std::string(row->arguments)))) {
    user_error("nest " + nest.name + ": \"" + step + "\" does not fit " + name + ", which takes \"" +
               std::string(row->arguments) + "\"");
  }
  return row->apply(nest, words);
}

Nest apply_trace(const Nest& nest, const std::vector<std::string>& trace) {
  Nest result = nest;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    try {
      result = apply_step(result, trace[i]);
    } catch (const UserError& error) {
      user_error(std::string(error.what()) + " (step " + std::to_string(i + 1) + ")");
    }
  }
  return result;
}

}  // namespace fovea
