// SPDX-License-Identifier: Apache-2.0
/// \file
/// A backend's transactions as text, one a line, so that `diff` of two runs shows where they part.
#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "files/partial_file.h"
#include "transaction.h"

namespace fovea {

/// Lines are: cycle, unit, event, and what the event has: an address and beats, a register and its value, or a number.
///
///          0  layer  conv1
///          0  regs   write   0x00000014  1
///          0  ctrl   start
///        226  load   read    0x80000000  16     request accepted
///        261  load   end     0x80000000         last beat
///        262  load   ifmap   0
///        310  array  start   0
///        990  irq    high
///
/// Cycles count from reset, or where one layer is chosen, from where the driver begins it.
class TransactionTextFile final : public TransactionSink {
 public:
  /// \throws UserError where the file cannot be written.
  explicit TransactionTextFile(const TransactionOptions& options);

  void take_layer(uint64_t cycle, const std::string& name) override;
  void take(const Transaction& event) override;

  /// \throws UserError where not all of it could be written; BackendError where the layer that was chosen has not run.
  void finish(uint64_t cycle) override;

 private:
  std::string layer_;  ///< Empty: all.
  PartialFile file_;
  bool is_open_, was_open_;
  uint64_t origin_ = 0;
  std::vector<std::string> layers_;  ///< That ran.
};

}  // namespace fovea
