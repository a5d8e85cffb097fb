// SPDX-License-Identifier: Apache-2.0
/// \file
/// A device under test: opens the checked RTL of a machine, and runs one layer after another on it.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "common/backend.h"
#include "dif/dla_dif.h"
#include "spec/dla_planes.h"

namespace fovea {

/// A layer with its data. Addresses in DRAM are filled in by DeviceBench::run.
struct LayerCase {
  dla_layer layer{};
  std::vector<uint8_t> ifmap;                   ///< [G C, H, W].
  std::vector<int8_t> filter;                   ///< [G M, C, R, S].
  std::vector<int32_t> bias;                    ///< [G M].
  std::vector<float> scale;                     ///< [G M], where filters have scales of their own.
  std::vector<uint8_t> table;                   ///< [256], of a layer with lookup.
  uint32_t ifmap_offset = 0, ofmap_offset = 0;  ///< Bytes past an aligned address, 0 to 4095.
  std::vector<uint8_t> residual;                ///< [G M, E, F], where one is added.
  uint32_t residual_words = 0;                  ///< It lies so many words of the widest bus behind the ofmap's offset,
  bool residual_in_place = false;               ///< ... or where the ofmap will be.
};

/// So many bytes past an aligned address ofmap and residual lie in DRAM: as drawn, or beside one of them on chip where
/// their beats match.
struct OutputOffsets {
  uint32_t ofmap, residual;
};
OutputOffsets output_offsets(const dla_machine& machine, const LayerCase& test);

/// What came of a layer.
struct LayerOutcome {
  dla_status_t status = kDlaOk;     ///< Of the driver calls; kDlaTimeout if the interrupt did not come.
  dla_error error = kDlaErrorNone;  ///< The device's cause.
  std::vector<uint8_t> ofmap;
  dla_counters counters{};
  bool wrote_outside = false;  ///< A byte beside the ofmap, or between its planes, changed.
};

/// The command of a layer, on one line.
std::string describe(const dla_layer& layer);

/// Machine files that ship, by name.
MachineFile shipped_machine(const std::string& name);

/// Those, and the small ones of testbench/machines.
MachineFile machine_of(const std::string& name);

/// Which device.
struct Scenario {
  std::string backend;
  std::string machine;
  std::string dram = "pipelined";
};

/// Machines that devices are tested as.
inline constexpr const char* kMachines[] = {"eyeriss_6x8", "eyeriss_12x14"};

/// Small machines that, with those, have each bus, each number of psum lanes and each width of the networks.
inline constexpr const char* kTestMachines[] = {"test_6x8_bus4", "test_5x7_bus16", "test_6x4_bus16", "test_2x16_bus32"};

/// More of them, for make check_full: other ways in which widths meet.
inline constexpr const char* kFullTestMachines[] = {"test_4x6_bus8",   "test_3x8_bus8", "test_6x5_bus4",
                                                    "test_64x2_bus16", "test_4x4_bus8", "test_2x64_bus32"};

/// Every backend as each of these machines.
std::vector<Scenario> all_scenarios();
std::string name_of(const Scenario& scenario);

/// For GoogleTest.
inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << name_of(scenario); }

/// What opens a machine on a bench, the RTL with its assertions on.
BackendOptions bench_options(const std::string& machine, const std::string& dram = "pipelined");

/// One backend; the RTL is opened with assertions on unless the options say otherwise.
class DeviceBench {
 public:
  static constexpr uint32_t kMemoryBase = 0x80000000u, kMemoryBytes = 4u << 20;

  /// The checked RTL.
  explicit DeviceBench(const std::string& machine, const std::string& dram = "pipelined");

  explicit DeviceBench(const Scenario& scenario);

  /// The RTL.
  explicit DeviceBench(const BackendOptions& options);

  /// A backend that is open already; its device memory is kMemoryBytes.
  DeviceBench(const MachineFile& machine, std::unique_ptr<Backend> backend);

  /// Places the tensors in device memory, runs the layer, and reads everything back. Tensors on chip come there, and
  /// from there, by layers that copy. \param name  Of the layer in a trace, where those are called kCopyLayer; empty:
  /// none has a name.
  LayerOutcome run(LayerCase& test, const std::string& name = "");
  static constexpr const char* kCopyLayer = "copy";

  /// Places the tensors in DRAM and fills in their addresses, without running the layer. Drops what was placed before.
  void place(LayerCase& test);

  /// The same, behind what was placed before.
  void place_too(LayerCase& test);

  /// Copies planes on chip, from `bytes` or to them: [channels, plane_rows, cols]. \param kept  As plan_copy() has it.
  void copy_to_chip(const dla_planes& planes, const std::vector<uint8_t>& bytes, const dla_region& kept);
  std::vector<uint8_t> copy_from_chip(const dla_planes& planes, const dla_region& kept);

  /// The ofmap, in DRAM, of a layer that ran. \param wrote_outside  Set where a byte beside it changed.
  std::vector<uint8_t> take_ofmap(const dla_layer& layer, bool& wrote_outside);

  /// Writes the layer's registers and starts it; waits for the interrupt and acknowledges it.
  LayerOutcome start(const dla_layer& layer);

  const dla_machine& machine() const { return machine_.geometry; }
  const dla_hal_t& hal() const { return backend_->hal(); }
  Backend& backend() { return *backend_; }

  uint32_t read(uint32_t offset);

 private:
  uint32_t place_bytes(const void* data, size_t bytes, uint32_t offset);
  dla_planes planes_of(const dla_layer& layer, dla_layer_tensor tensor) const {
    return dla_planes_of(&machine(), &layer, tensor);
  }
  std::vector<uint8_t> ofmap_planes(const LayerCase& test) const;
  void bring_filters(const LayerCase& test);
  void bring_on_chip(const LayerCase& test);
  void take_ofmap(const LayerCase& test, LayerOutcome& outcome);
  void run_copy(const dla_planes& planes, dla_layer& layer);
  void note_layer(const std::string& name);

  MachineFile machine_;
  std::unique_ptr<Backend> backend_;
  bool names_copies_ = false;
};

/// Bytes of the ofmap: [M, E, F] after pooling.
uint32_t ofmap_bytes(const dla_shape& shape);

}  // namespace fovea
