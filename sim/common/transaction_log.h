// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes a backend's transactions in any order, and tells them in the order of their cycles.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "backend.h"
#include "transaction.h"

namespace fovea {

/// Sorts, numbers, and hands on. Events that have neither address nor value are numbered from 0 in each layer, each
/// kind on its own, in the order of their cycles; the end of a burst gets the address of the oldest that has not ended.
/// What a list loads before its layer begins is numbered with the layer before.
class TransactionLog {
 public:
  /// The sinks that the options ask for. \return nothing where they ask for none. \throws BackendError.
  static std::unique_ptr<TransactionLog> open(const BackendOptions& options);

  explicit TransactionLog(std::vector<std::unique_ptr<TransactionSink>> sinks) : sinks_(std::move(sinks)) {}

  /// May be ahead of its cycle. The events of one kind come in order.
  void note(uint64_t cycle, TransactionKind kind, uint32_t number = 0, uint32_t second = 0);

  /// The driver is about to run a layer; `cycle` is the present one.
  void note_layer(uint64_t cycle, const std::string& name);

  /// The host has run a layer.
  void note_cpu_layer(uint64_t cycle, const std::string& name);

  /// The layer was dropped: what was noted for `cycle` and later does not happen, but for bursts.
  void drop_from(uint64_t cycle);

  /// Hands on the events of all cycles before `cycle`.
  void write_before(uint64_t cycle);

  /// Hands everything on and finishes the sinks. Call once, last. \throws BackendError of a sink that failed.
  void finish(uint64_t cycle);

 private:
  void number(Transaction& event);

  static constexpr size_t kKinds = static_cast<size_t>(TransactionKind::kCount);

  std::vector<std::unique_ptr<TransactionSink>> sinks_;
  std::vector<Transaction> waiting_;
  std::array<uint32_t, kKinds> numbers_{};
  std::deque<uint32_t> reads_, writes_;  ///< Addresses of bursts that have not ended.
};

}  // namespace fovea
