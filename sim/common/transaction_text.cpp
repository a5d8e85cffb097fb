// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend's transactions as text, one a line, so that `diff` of two runs shows where they part.
#include "transaction_text.h"

#include <spdlog/fmt/fmt.h>

#include "layer_names.h"

namespace fovea {

TransactionTextFile::TransactionTextFile(const TransactionOptions& options)
    : layer_(options.layer), file_(options.path), is_open_(layer_.empty()), was_open_(is_open_) {}

void TransactionTextFile::take_layer(uint64_t cycle, const std::string& name) {
  layers_.push_back(name);
  if (!layer_.empty()) {
    is_open_ = name == layer_;
    was_open_ = was_open_ || is_open_;
    origin_ = cycle;
  }
  if (is_open_) {
    file_.out() << fmt::format("{:>10}  layer   {}\n", cycle - origin_, name);
  }
}

void TransactionTextFile::take(const Transaction& event) {
  if (!is_open_) {
    return;
  }
  const TransactionText& text = text_of(event.kind);
  file_.out() << fmt::format("{:>10}  {:<6}  {}", event.cycle - origin_, text.unit, text.event);
  const std::string pad(8 - std::string(text.event).size(), ' ');
  switch (text.fields) {
    case TransactionText::kNone:
      break;
    case TransactionText::kNumber:
      file_.out() << pad << event.number;
      break;
    case TransactionText::kAddress:
      file_.out() << pad << fmt::format("{:#010x}", event.number);
      break;
    case TransactionText::kAddressAndNumber:
      file_.out() << pad << fmt::format("{:#010x}  {}", event.number, event.second);
      break;
  }
  file_.out() << '\n';
}

void TransactionTextFile::finish(uint64_t) {
  if (!was_open_) {
    throw BackendError(no_such_layer(layer_, layers_));
  }
  file_.finish();
}

}  // namespace fovea
