// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a device does, event by event: the vocabulary that both backends report in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fovea {

/// Every kind of event, in the order in which those of one cycle are told. transaction.cpp has their names.
enum class TransactionKind : uint8_t {
  kRegisterWrite,  ///< Offset, value; in the first cycle of the access.
  kRegisterRead,
  kLayerStart,      ///< START is accepted.
  kLayerEnd,        ///< Error cause; 0 where the layer is done, or was dropped.
  kLoadQueued,      ///< The sequencer hands out a load,
  kPassQueued,      ///< ... or a pass, and with it its filter set if it needs a new one.
  kReadRequest,     ///< Address, beats; accepted.
  kIfmapLoaded,     ///< An ifmap chunk is in the GLB,
  kFilterLoaded,    ///< ... or a filter chunk,
  kResidualLoaded,  ///< ... or the residual of an output tile.
  kReadEnd,         ///< Address; the last beat moves.
  kIfmapFree,       ///< The last pass that uses an ifmap chunk no longer reads it.
  kSetStart,        ///< A filter set begins to move from the GLB to the PEs; its first word is addressed a cycle later.
  kSetEnd,          ///< Its last word is addressed.
  kWindow,          ///< A pass's first ifmap window is asked for.
  kPassEnd,         ///< The last cycle of a pass.
  kPassStart,       ///< A pass is started; its first product is decided a cycle later.
  kTileStart,       ///< The first psum of a finished tile enters post-processing.
  kTileEnd,         ///< The tile is complete.
  kTileFree,        ///< Its last byte is read: the buffer is free.
  kResidualFree,    ///< The last beat of its residual is read.
  kWriteRequest,    ///< Address, beats; accepted.
  kWriteEnd,        ///< Address; the response.
  kInterrupt,       ///< The interrupt line has risen.
  kCount
};

/// How an event is written.
struct TransactionText {
  const char* unit;
  const char* event;
  /// What `number` and `second` are.
  enum Fields { kNone, kNumber, kAddress, kAddressAndNumber } fields;
};

const TransactionText& text_of(TransactionKind kind);

struct Transaction {
  uint64_t cycle;
  TransactionKind kind;
  uint32_t number = 0, second = 0;  ///< What TransactionText::fields says.
};

/// Who is told of the transactions, in order.
class TransactionSink {
 public:
  virtual ~TransactionSink() = default;

  /// The driver is about to run a layer. Told before the events of `cycle`.
  virtual void take_layer(uint64_t cycle, const std::string& name) = 0;

  /// The host has run a layer; the device stood still. Told before the events of `cycle`.
  virtual void take_cpu_layer(uint64_t, const std::string&) {}

  virtual void take(const Transaction& transaction) = 0;

  /// No more will come; `cycle` is the last one plus one. \throws BackendError for what went wrong so far.
  virtual void finish(uint64_t cycle) = 0;
};

}  // namespace fovea
