// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adds up the CPU's time layer by layer.
#include "host_times.h"

#include <algorithm>
#include <chrono>

namespace fovea {
namespace {

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void HostTimes::finish_layer(const std::string& name) {
  const double seconds = now_() - since_;
  const auto found =
      std::find_if(layers_.begin(), layers_.end(), [&](const Layer& layer) { return layer.name == name; });
  Layer& layer = found != layers_.end() ? *found : layers_.emplace_back(Layer{name, 0, {}});
  layer.in_this_run += seconds;
}

void HostTimes::finish_run() {
  ++runs_;
  for (Layer& layer : layers_) {
    layer.seconds.push_back(layer.in_this_run);
    layer.in_this_run = 0;
  }
}

std::vector<std::pair<std::string, double>> HostTimes::medians() const {
  std::vector<std::pair<std::string, double>> found;
  std::transform(layers_.begin(), layers_.end(), std::back_inserter(found), [](const Layer& layer) {
    return std::pair(layer.name, layer.seconds.empty() ? 0 : median(layer.seconds));
  });
  return found;
}

}  // namespace fovea
