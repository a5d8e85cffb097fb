// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every status has a text of its own.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "dla_hal.h"

TEST(StatusText, IsDifferentForEveryStatus) {
  std::set<std::string> texts;
  for (int status = kDlaOk; status <= kDlaNoTarget; ++status) {
    texts.insert(dla_status_text(static_cast<dla_status_t>(status)));
  }
  EXPECT_EQ(texts.size(), static_cast<size_t>(kDlaNoTarget) + 1);
  EXPECT_EQ(texts.count("unknown status"), 0u);
}

TEST(StatusText, NamesAnUnknownStatus) {
  EXPECT_STREQ(dla_status_text(static_cast<dla_status_t>(99)), "unknown status");
}
