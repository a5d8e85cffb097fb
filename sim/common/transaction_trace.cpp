// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend's transactions as text, one a line, so that `diff` of two runs shows where they part.
#include "transaction_trace.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "backend.h"

namespace fovea {

namespace {

constexpr const char* kEnd = "end";

}  // namespace

std::unique_ptr<TransactionTrace> TransactionTrace::open(const std::filesystem::path& path) {
  if (path.empty()) {
    return nullptr;
  }
  std::ofstream file(path);
  if (!file) {
    throw BackendError(path.string() + ": the trace cannot be written there; name a file in a folder that exists");
  }
  return std::unique_ptr<TransactionTrace>(new TransactionTrace(std::move(file)));
}

void TransactionTrace::note_access(uint64_t cycle, bool is_write, uint32_t offset, uint32_t value) {
  events_.push_back({cycle, kRegs, is_write ? "write" : "read", offset, value});
}

void TransactionTrace::note_pass(uint64_t cycle, uint32_t index) {
  events_.push_back({cycle, kArray, "pass", index, 0});
}

void TransactionTrace::note_irq(uint64_t cycle) { events_.push_back({cycle, kIrq, "high", 0, 0}); }

void TransactionTrace::note_request(uint64_t cycle, bool is_write, uint32_t addr, uint32_t beats) {
  events_.push_back({cycle, is_write ? kStore : kLoad, is_write ? "write" : "read", addr, beats});
  (is_write ? writes_ : reads_).push_back(addr);
}

void TransactionTrace::note_end(uint64_t cycle, bool is_write) {
  std::deque<uint32_t>& open = is_write ? writes_ : reads_;
  events_.push_back({cycle, is_write ? kStore : kLoad, "end", open.front(), 0});
  open.pop_front();
}

void TransactionTrace::write_before(uint64_t cycle) {
  const auto key = [](const Event& event) { return std::tuple(event.cycle, event.unit, event.name == kEnd); };
  const auto order = [&](const Event& a, const Event& b) { return key(a) < key(b); };
  std::stable_sort(events_.begin(), events_.end(), order);
  const auto end =
      std::find_if(events_.begin(), events_.end(), [&](const Event& event) { return event.cycle >= cycle; });
  std::for_each(events_.begin(), end, [&](const Event& event) { write(event); });
  events_.erase(events_.begin(), end);
  file_.flush();
}

void TransactionTrace::write(const Event& event) {
  static constexpr const char* kUnits[] = {"regs", "array", "load", "store", "irq"};
  std::array<char, 96> line;
  const auto print = [&](const char* format, auto... values) {
    std::snprintf(line.data(), line.size(), format, static_cast<unsigned long long>(event.cycle), kUnits[event.unit],
                  event.name, values...);
  };
  if (event.unit == kIrq) {
    print("%10llu  %-5s  %s");
  } else if (event.unit == kArray) {
    print("%10llu  %-5s  %-5s  %u", event.number);
  } else if (event.name == kEnd) {
    print("%10llu  %-5s  %-5s  0x%08x", event.number);
  } else {
    print("%10llu  %-5s  %-5s  0x%08x  %u", event.number, event.second);
  }
  file_ << line.data() << "\n";
}

}  // namespace fovea
