// SPDX-License-Identifier: Apache-2.0
/// \file
/// A run that was ended, wherever, goes on; a file of something else stays what it is.
#include "outcome_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "tensor/error.h"
#include "tiny_network/tiny_network.h"

namespace fovea {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class Outcomes : public testing::Test {
 protected:
  ~Outcomes() override { std::filesystem::remove(path); }
  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  /// What opening it says.
  std::string refusal(uint32_t key, std::size_t pictures) const {
    try {
      OutcomeFile(path, key, pictures);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path path = testing::TempDir() + "outcomes_" + std::to_string(getpid());
};

TEST_F(Outcomes, AreThereTheNextTime) {
  OutcomeFile(path, 7, 4).add(2, {9, 1});
  EXPECT_EQ(read_text(path), "fovea outcomes 00000007 4\n2 9 1\n");
  OutcomeFile again(path, 7, 4);
  EXPECT_EQ(again.outcomes()[2], (Outcome{9, 1}));
  EXPECT_FALSE(again.outcomes()[1]);
  again.add(1, {3, 0});
  EXPECT_EQ(*OutcomeFile(path, 7, 4).outcomes()[1], (Outcome{3, 0}));
}

TEST_F(Outcomes, LeaveOutALineThatWasCutShort) {
  write("fovea outcomes 00000007 4\n2 9 1\n3 1");
  OutcomeFile file(path, 7, 4);
  EXPECT_TRUE(file.outcomes()[2]);
  EXPECT_FALSE(file.outcomes()[3]);
  file.add(3, {1, 0});
  EXPECT_EQ(read_text(path), "fovea outcomes 00000007 4\n2 9 1\n3 1 0\n");
}

TEST_F(Outcomes, BeginAnewWhereNotEvenTheHeadIsWhole) {
  write("fovea outc");
  OutcomeFile(path, 7, 4).add(0, {1, 0});
  EXPECT_EQ(read_text(path), "fovea outcomes 00000007 4\n0 1 0\n");
}

TEST_F(Outcomes, AreNotMixedWithOthers) {
  OutcomeFile(path, 7, 4).add(2, {9, 1});
  EXPECT_THAT(refusal(8, 4), EndsWith("holds outcomes of another network or of other pictures; name another file"));
  EXPECT_THAT(refusal(7, 5), HasSubstr("another network"));
  EXPECT_EQ(read_text(path), "fovea outcomes 00000007 4\n2 9 1\n");
}

TEST_F(Outcomes, AreNotReadOutOfAnotherFile) {
  write("class,share\n");
  EXPECT_THAT(refusal(7, 4), HasSubstr("another network"));
  write("fovea outcomes 00000007 4\n2 9 1\nnot numbers\n");
  EXPECT_THAT(refusal(7, 4), EndsWith("is no file of outcomes; name another file"));
  write("fovea outcomes 00000007 4\n4 9 1\n");
  EXPECT_THAT(refusal(7, 4), EndsWith("is no file of outcomes; name another file"));
}

}  // namespace
}  // namespace fovea
