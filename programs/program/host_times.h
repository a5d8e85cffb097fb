// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long the CPU takes for the layers that it runs, by a clock on the wall.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

/// Seconds that have passed since some moment; never less than the time before.
double seconds_now();

/// A stopwatch over runs of a network. What an observer sees of a run tells it when a layer is over: the time of a
/// layer on the CPU is that since the layer before it, or since the run began.
class HostTimes {
 public:
  explicit HostTimes(std::function<double()> now = seconds_now) : now_(std::move(now)) {}

  /// A run begins, or what was not the layers' time is over: the next layer's time begins.
  void resume() { since_ = now_(); }

  /// A layer on the CPU is over. A name that comes twice in a run has the sum.
  void finish_layer(const std::string& name);

  /// The run is over.
  void finish_run();

  std::size_t runs() const { return runs_; }

  /// Of each layer on the CPU, in the order in which they ran, the median over all runs, in seconds.
  std::vector<std::pair<std::string, double>> medians() const;

 private:
  struct Layer {
    std::string name;
    double in_this_run = 0;
    std::vector<double> seconds;  ///< A number a run.
  };
  std::function<double()> now_;
  double since_ = 0;
  std::size_t runs_ = 0;
  std::vector<Layer> layers_;
};

}  // namespace fovea
