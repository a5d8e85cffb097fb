// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes a backend's transactions in any order, and tells them in the order of their cycles.
#include "transaction_log.h"

#include <algorithm>
#include <tuple>

#include "timeline.h"
#include "transaction_text.h"

namespace fovea {

namespace {

using Kind = TransactionKind;

bool is_of_burst(Kind kind) { return kind == Kind::kReadEnd || kind == Kind::kWriteEnd; }

}  // namespace

std::unique_ptr<TransactionLog> TransactionLog::open(const BackendOptions& options) {
  std::vector<std::unique_ptr<TransactionSink>> sinks;
  if (!options.transactions.path.empty()) {
    sinks.push_back(std::make_unique<TransactionTextFile>(options.transactions));
  }
  if (!options.timeline.empty()) {
    sinks.push_back(std::make_unique<Timeline>(options.timeline, options.machine));
  }
  return sinks.empty() ? nullptr : std::make_unique<TransactionLog>(std::move(sinks));
}

void TransactionLog::note(uint64_t cycle, Kind kind, uint32_t number, uint32_t second) {
  if (kind == Kind::kReadRequest || kind == Kind::kWriteRequest) {
    (kind == Kind::kReadRequest ? reads_ : writes_).push_back(number);
  } else if (is_of_burst(kind)) {
    std::deque<uint32_t>& open = kind == Kind::kReadEnd ? reads_ : writes_;
    number = open.front();
    open.pop_front();
  }
  waiting_.push_back({cycle, kind, number, second});
}

/// Numbers what has neither address nor value.
void TransactionLog::number(Transaction& event) {
  if (event.kind == Kind::kLayerStart) {
    numbers_ = {};
  } else if (text_of(event.kind).fields == TransactionText::kNumber && event.kind != Kind::kLayerEnd) {
    event.number = numbers_[static_cast<size_t>(event.kind)]++;
  }
}

void TransactionLog::note_layer(uint64_t cycle, const std::string& name) {
  write_before(cycle);
  for (const auto& sink : sinks_) {
    sink->take_layer(cycle, name);
  }
}

void TransactionLog::note_cpu_layer(uint64_t cycle, const std::string& name) {
  write_before(cycle);
  for (const auto& sink : sinks_) {
    sink->take_cpu_layer(cycle, name);
  }
}

void TransactionLog::drop_from(uint64_t cycle) {
  const auto never = [&](const Transaction& event) { return event.cycle >= cycle && !is_of_burst(event.kind); };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), never), waiting_.end());
}

void TransactionLog::write_before(uint64_t cycle) {
  const auto order = [](const Transaction& a, const Transaction& b) {
    return std::tie(a.cycle, a.kind) < std::tie(b.cycle, b.kind);
  };
  std::stable_sort(waiting_.begin(), waiting_.end(), order);
  const auto end =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& event) { return event.cycle >= cycle; });
  std::for_each(waiting_.begin(), end, [this](Transaction& event) { number(event); });
  for (const auto& sink : sinks_) {
    std::for_each(waiting_.begin(), end, [&](const Transaction& event) { sink->take(event); });
  }
  waiting_.erase(waiting_.begin(), end);
}

void TransactionLog::finish(uint64_t cycle) {
  write_before(cycle);
  for (const auto& sink : sinks_) {
    sink->finish(cycle);
  }
}

}  // namespace fovea
