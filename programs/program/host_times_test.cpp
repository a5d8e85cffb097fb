// SPDX-License-Identifier: Apache-2.0
/// \file
/// Is a layer's time that since the one before it, and is the median over runs taken?
#include "host_times.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Medians = std::vector<std::pair<std::string, double>>;

TEST(HostTimes, TakesTheMedianOverRunsOfTheTimeSinceTheLayerBefore) {
  double now = 100;
  HostTimes times([&] { return now; });
  for (const double add : {3.0, 40.0, 5.0}) {
    times.resume();
    now += 1;
    times.finish_layer("quantize");
    now += 1000;  // The device's.
    times.resume();
    now += add;
    times.finish_layer("add");
    times.finish_run();
  }
  EXPECT_EQ(times.runs(), 3u);
  EXPECT_EQ(times.medians(), (Medians{{"quantize", 1}, {"add", 5}}));
}

TEST(HostTimes, AddsUpANameThatComesTwiceInARun) {
  double now = 0;
  HostTimes times([&] { return now; });
  for (const double step : {1.0, 2.0}) {
    times.resume();
    for (int i = 0; i < 2; ++i) {
      now += step;
      times.finish_layer("split");
      times.resume();
    }
    times.finish_run();
  }
  EXPECT_EQ(times.medians(), (Medians{{"split", 3}}));
}

TEST(HostTimes, KnowsNothingOfANetworkThatIsOnTheDevice) {
  HostTimes times;
  times.resume();
  times.finish_run();
  EXPECT_EQ(times.medians(), Medians());
  EXPECT_GE(seconds_now(), 0);
}

}  // namespace
}  // namespace fovea
