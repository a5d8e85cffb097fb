// SPDX-License-Identifier: Apache-2.0
/// \file
/// Digests differ where what they are of differs.
#include "digest.h"

#include <gtest/gtest.h>

#include "tensor/error.h"

namespace fovea {
namespace {

TEST(Digest, TellsPartsApart) {
  Digest a, b;
  a.add("ab");
  a.add("c");
  b.add("a");
  b.add("bc");
  EXPECT_NE(a.text(), b.text());
  Digest c, d;
  c.add_this_program();
  d.add_this_program();
  EXPECT_EQ(c.text(), d.text());
  EXPECT_NE(c.text(), Digest().text());
  EXPECT_THROW(a.add_file("no_such_file"), UserError);
}

}  // namespace
}  // namespace fovea
