// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiles networks with foveac and cc, many at a time, and runs them in this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "onnxruntime_oracle.h"

namespace fovea {

struct CompileJob {
  std::filesystem::path model, folder;  ///< A network, and where model.so comes to lie.
  std::string target;                   ///< "cpu" or "dla".
  std::vector<std::string> options{};   ///< Of foveac, besides.
};

/// Compiles each network, its code as strict, freestanding C11 without a warning; as many at a time as there are cores.
/// \return for each job what foveac or cc refused, in their words; empty where there is a model.so.
std::vector<std::string> compile_networks(const std::vector<CompileJob>& jobs);

struct RunResult {
  std::vector<NamedTensor> outputs;  ///< Without the batch; the only one of a network of one input has no name.
  std::size_t device_layers = 0;
  std::uint64_t dram_bytes = 0;  ///< That they read and wrote.
};

/// Runs the network in `folder` once.
/// \param place   "host", or a backend of machine eyeriss_6x8: "rtl" or "systemc".
/// \param inputs  In the network's order.
/// \throws std::exception in one line: the network cannot be loaded, takes other inputs, or fails.
RunResult run_network(const std::string& place, const std::filesystem::path& folder,
                      const std::vector<NamedTensor>& inputs);

/// A network that is loaded once, to run on the host for many inputs: loading takes longer than a small one's run.
class HostNetwork {
 public:
  explicit HostNetwork(const std::filesystem::path& folder);
  ~HostNetwork();

  /// As run_network() does.
  RunResult run(const std::vector<NamedTensor>& inputs);

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace fovea
