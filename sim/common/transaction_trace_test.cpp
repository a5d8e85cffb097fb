// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does a trace come out in the order of its cycles, as text that two runs can be compared by?
#include "transaction_trace.h"

#include <gtest/gtest.h>

#include <sstream>

#include "backend.h"

namespace fovea {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(TransactionTrace, IsWrittenByCycleAndThenByUnit) {
  const std::filesystem::path path = testing::TempDir() + "transaction_trace_test.txt";
  const std::unique_ptr<TransactionTrace> trace = TransactionTrace::open(path);
  trace->note_access(5, true, 0x14, 1);
  trace->note_request(100, false, 0x80000000, 16);
  trace->note_end(135, false);  // Known before its cycle.
  trace->note_pass(110, 3);
  trace->note_request(110, true, 0x80001000, 8);
  trace->note_end(130, true);
  trace->note_irq(130);
  trace->write_before(131);
  EXPECT_EQ(text_of(path),
            "         5  regs   write  0x00000014  1\n"
            "       100  load   read   0x80000000  16\n"
            "       110  array  pass   3\n"
            "       110  store  write  0x80001000  8\n"
            "       130  store  end    0x80001000\n"
            "       130  irq    high\n");
  trace->write_before(136);
  EXPECT_EQ(text_of(path).substr(text_of(path).find("135")), "135  load   end    0x80000000\n");
}

TEST(TransactionTrace, IsNotKeptWithoutAPath) { EXPECT_EQ(TransactionTrace::open({}), nullptr); }

TEST(TransactionTrace, NamesAPathThatCannotBeWritten) {
  try {
    TransactionTrace::open("no/such/folder/trace.txt");
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(),
                 "no/such/folder/trace.txt: the trace cannot be written there; name a file in a folder that exists");
  }
}

}  // namespace
}  // namespace fovea
