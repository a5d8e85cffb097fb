// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is the RTL's answer that of a direct loop nest, and nothing else written?
#include <gtest/gtest.h>

#include "bench/direct_convolution.h"
#include "judges.h"

namespace fovea {

void judge_answer(const LayerRun& run, Tally& /*tally*/) {
  ASSERT_EQ(run.rtl.status, kDlaOk) << dla_status_text(run.rtl.status);
  ASSERT_EQ(run.rtl.error, kDlaErrorNone) << dla_error_text(run.rtl.error);
  EXPECT_TRUE(run.rtl.ofmap == convolve_directly(run.test)) << "the ofmap is wrong";
  EXPECT_FALSE(run.rtl.wrote_outside);
}

}  // namespace fovea
