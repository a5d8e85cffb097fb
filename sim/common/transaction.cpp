// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a device does, event by event: the names.
#include "transaction.h"

namespace fovea {

namespace {

using T = TransactionText;

constexpr T kTexts[] = {
    {"regs", "write", T::kAddressAndNumber},   // kRegisterWrite
    {"regs", "read", T::kAddressAndNumber},    // kRegisterRead
    {"ctrl", "start", T::kNone},               // kLayerStart
    {"ctrl", "end", T::kNumber},               // kLayerEnd
    {"seq", "load", T::kNumber},               // kLoadQueued
    {"seq", "pass", T::kNumber},               // kPassQueued
    {"load", "read", T::kAddressAndNumber},    // kReadRequest
    {"load", "ifmap", T::kNumber},             // kIfmapLoaded
    {"load", "filter", T::kNumber},            // kFilterLoaded
    {"load", "addend", T::kNumber},            // kResidualLoaded
    {"load", "end", T::kAddress},              // kReadEnd
    {"ifmap", "free", T::kNumber},             // kIfmapFree
    {"filter", "start", T::kNumber},           // kSetStart
    {"filter", "end", T::kNumber},             // kSetEnd
    {"ifmap", "window", T::kNumber},           // kWindow
    {"array", "end", T::kNumber},              // kPassEnd
    {"array", "start", T::kNumber},            // kPassStart
    {"post", "start", T::kNumber},             // kTileStart
    {"post", "end", T::kNumber},               // kTileEnd
    {"store", "free", T::kNumber},             // kTileFree
    {"store", "addend", T::kNumber},           // kResidualFree
    {"store", "write", T::kAddressAndNumber},  // kWriteRequest
    {"store", "end", T::kAddress},             // kWriteEnd
    {"irq", "high", T::kNone},                 // kInterrupt
};
static_assert(sizeof kTexts / sizeof kTexts[0] == static_cast<size_t>(TransactionKind::kCount));

}  // namespace

const TransactionText& text_of(TransactionKind kind) { return kTexts[static_cast<size_t>(kind)]; }

}  // namespace fovea
