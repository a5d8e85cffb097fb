// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are transactions told in the order of their cycles, numbered, and with the address that a burst began with?
#include "transaction_log.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Kind = TransactionKind;

/// Writes down what it is told.
struct Listener : TransactionSink {
  explicit Listener(std::vector<std::string>& to) : told(to) {}
  void take_layer(uint64_t cycle, const std::string& name) override {
    told.push_back(std::to_string(cycle) + " " + name);
  }
  void take(const Transaction& t) override {
    told.push_back(std::to_string(t.cycle) + " " + text_of(t.kind).unit + " " + text_of(t.kind).event + " " +
                   std::to_string(t.number));
  }
  void finish(uint64_t cycle) override { told.push_back(std::to_string(cycle) + " finished"); }
  std::vector<std::string>& told;
};

class Log : public testing::Test {
 protected:
  static std::vector<std::unique_ptr<TransactionSink>> listen(std::vector<std::string>& to) {
    std::vector<std::unique_ptr<TransactionSink>> sinks;
    sinks.push_back(std::make_unique<Listener>(to));
    return sinks;
  }

  using Told = std::vector<std::string>;
  Told told;
  TransactionLog log{listen(told)};
};

TEST_F(Log, TellsByCycleAndThenInTheOrderOfTheKinds) {
  log.note(7, Kind::kPassStart);
  log.note(9, Kind::kSetEnd);  // Known before its cycle.
  log.note(7, Kind::kPassEnd);
  log.note(5, Kind::kRegisterWrite, 20, 1);
  log.write_before(8);
  EXPECT_EQ(told, (Told{"5 regs write 20", "7 array end 0", "7 array start 0"}));
  log.finish(10);
  EXPECT_EQ(told, (Told{"5 regs write 20", "7 array end 0", "7 array start 0", "9 filter end 0", "10 finished"}));
}

TEST_F(Log, NumbersEachKindAnewInEachLayer) {
  for (const uint64_t layer : {0, 100}) {
    log.note(layer, Kind::kLayerStart);
    log.note(layer + 1, Kind::kPassStart);
    log.note(layer + 2, Kind::kSetStart);
    log.note(layer + 3, Kind::kPassStart);
    log.note(layer + 4, Kind::kLayerEnd, 19);
  }
  log.write_before(1000);
  const Told second(told.begin() + 5, told.end());
  EXPECT_EQ(second, (Told{"100 ctrl start 0", "101 array start 0", "102 filter start 0", "103 array start 1",
                          "104 ctrl end 19"}));
}

TEST_F(Log, GivesTheEndOfABurstItsAddress) {
  log.note(1, Kind::kReadRequest, 64, 4);
  log.note(2, Kind::kReadRequest, 128, 4);
  log.note(2, Kind::kWriteRequest, 256, 4);
  log.note(30, Kind::kReadEnd);
  log.note(31, Kind::kReadEnd);
  log.note(20, Kind::kWriteEnd);
  log.write_before(40);
  const Told ends(told.begin() + 3, told.end());
  EXPECT_EQ(ends, (Told{"20 store end 256", "30 load end 64", "31 load end 128"}));
}

TEST_F(Log, ForgetsWhatADroppedLayerWouldHaveDone) {
  log.note(1, Kind::kReadRequest, 64, 4);
  log.note(9, Kind::kPassEnd);
  log.note(10, Kind::kTileEnd);
  log.note(11, Kind::kReadEnd);
  log.drop_from(10);
  log.write_before(20);
  EXPECT_EQ(told, (Told{"1 load read 64", "9 array end 0", "11 load end 64"}));
}

TEST_F(Log, TellsALayerAfterWhatWasBefore) {
  log.note(3, Kind::kInterrupt);
  log.note(8, Kind::kRegisterWrite, 20, 1);
  log.note_layer(8, "conv1");
  log.write_before(9);
  EXPECT_EQ(told, (Told{"3 irq high 0", "8 conv1", "8 regs write 20"}));
}

TEST(TransactionLog, IsNotKeptWhereNobodyListens) { EXPECT_EQ(TransactionLog::open({}), nullptr); }

}  // namespace
}  // namespace fovea
