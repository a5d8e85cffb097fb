// SPDX-License-Identifier: Apache-2.0
/// \file
/// A compiled network, loaded, that runs again and again: on an open device, or in this process's memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/backend.h"
#include "common/dla_info_csv.h"
#include "program/host_memory.h"
#include "program/network.h"

namespace fovea {

/// What an observer is told of a device's layer, with its own copy of all.
LayerInfo layer_info(const dla_layer_record& record);

/// \throws UserError where the network was compiled for another machine than the one of that name.
void check_machine(const CompiledNetwork& network, const std::string& machine);

/// What to open.
struct SessionOptions {
  std::string backend = "cpu";  ///< "cpu", or one of backend_names().
  BackendOptions device;        ///< Not for "cpu". Its memory_bytes follows from the network.
  bool lists = false;           ///< Device layers in a row as one list.
};

/// A layer that a user's target has run.
struct TargetRun {
  std::string name, target;
  uint64_t cycles = 0;  ///< 0: unknown.
};

class Session {
 public:
  /// Loads the network in `folder`, opens the device and hands it the weights.
  /// \throws UserError for a folder that is no network, or one that was compiled for another machine or for none;
  /// BackendError for a device that can't be opened.
  Session(const std::filesystem::path& folder, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<Port>& inputs() const { return network_->inputs(); }
  const std::vector<Port>& outputs() const { return network_->outputs(); }

  /// Runs once. \param inputs, outputs  A dense tensor a port, in order. \throws RunError
  void run(const float* const* inputs, float* const* outputs);

  /// Completes the waves, the timeline and the transactions that the options ask for; nothing is run after it.
  /// \throws BackendError where something could not be written, or names a layer that has not run.
  void finish();

  /// The device's layers of the last run, in order; none on the CPU.
  const std::vector<LayerInfo>& layers() const { return layers_; }

  /// Layers of the last run on targets that a user has added, in order.
  const std::vector<TargetRun>& target_layers() const { return target_layers_; }

  /// Has `functions` compute what a network leaves to them.
  void compute_with(const dla_target_functions& functions) { network_->runtime().targets = functions; }

  /// What dla_info.csv says of every layer.
  const RunInfo& run_info() const { return run_info_; }

 private:
  /// Notes a layer of an added target, and tells the timeline of one that the host ran.
  static void note_tensor(void* session, const dla_tensor* tensor);

  CompiledNetwork compiled_;
  RunInfo run_info_;
  std::unique_ptr<HostMemory> memory_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<LoadedNetwork> network_;
  std::vector<LayerInfo> layers_;
  std::vector<TargetRun> target_layers_;
  bool has_timeline_ = false;
};

}  // namespace fovea
