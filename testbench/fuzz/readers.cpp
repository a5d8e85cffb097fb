// SPDX-License-Identifier: Apache-2.0
/// \file
/// Calls what a program calls for such a file.
#include "readers.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "common/backend.h"
#include "compare/layer_dump_reader.h"
#include "dataset/labels.h"
#include "dataset/pictures.h"
#include "dif/dla_dif.h"
#include "files/output_folder.h"
#include "files/scratch_folder.h"
#include "fovea/baseline.h"
#include "loops/c_nest.h"
#include "loops/nest_text.h"
#include "loops/verify_nest.h"
#include "program/input_file.h"
#include "program/npy_file.h"
#include "requests/compile.h"
#include "runtime/dla_runtime.h"
#include "spec/dla_list.h"
#include "spec/machine_json.h"
#include "tensor/error.h"
#include "tuning/records.h"

namespace fovea {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void compile_network(const std::filesystem::path& file) {
  CompileRequest request;
  request.network.model = file;
  request.network.placement.target = "cpu";
  request.output = file.parent_path() / "compiled";
  compile(request);
}

void read_onnx(const std::filesystem::path& file) { compile_network(file); }

/// Bytes of its constants are all 1.
void read_graph(const std::filesystem::path& file) {
  write_file(file.parent_path() / "graph.bin", std::string(4096, '\1'));
  compile_network(file);
}

void read_ir(const std::filesystem::path& file) { compile_network(file); }

void read_loops(const std::filesystem::path& file) {
  const Nest nest = parse_nest(text_of(file), "nest.txt");
  verify_nest(nest);
  parse_nest(to_text(nest), "printed");
}

void read_machine(const std::filesystem::path& file) { fovea::read_machine(file); }

void read_records(const std::filesystem::path& file) { TuningRecords{file}.save(file.parent_path() / "saved.json"); }

void read_labels(const std::filesystem::path& file) {
  fovea::read_labels(std::filesystem::path(file).replace_extension(".onnx"), 3);
}

void read_input(const std::filesystem::path& file) { read_input_file(file, {12, 4}); }

void read_weights(const std::filesystem::path& file) {
  dla_model model{};
  model.weights_bytes = 64;
  model.model_key = 0x12345678;
  const std::string bytes = text_of(file);
  dla_weights_problem(&model, bytes.data(), bytes.size());
}

void read_layers(const std::filesystem::path& file) {
  write_file(file.parent_path() / "conv1.bin", std::string(64, '\0'));
  read_layer_dump(file.parent_path(), "A");
}

void read_baseline(const std::filesystem::path& file) { fovea::read_baseline(file); }

void read_npy(const std::filesystem::path& file) { fovea::read_npy(file); }

void read_picture(const std::filesystem::path& file) { fovea::read_picture(file); }

/// Device memory that begins with the file, and runs a list from its start.
void read_list(const std::filesystem::path& file) {
  constexpr std::uint32_t kBase = 0x80000000U, kMemoryBytes = 1U << 20, kMostLayers = 4, kMostCycles = 50'000;
  static const std::unique_ptr<Backend> device = [] {
    BackendOptions options;
    options.machine = fovea::read_machine(std::filesystem::path(MACHINES) / "eyeriss_6x8.json");
    options.memory_bytes = kMemoryBytes;
    return open_backend("systemc", options);
  }();
  std::string bytes = text_of(file);
  bytes.resize(kMemoryBytes);
  const dla_hal_t& hal = device->hal();
  internal_check(hal.mem_write(hal.ctx, kBase, bytes.data(), bytes.size()) == kDlaOk, "device memory is written");
  internal_check(dla_start_list(&hal, kBase, kMostLayers) == kDlaOk, "a list is started");
  dla_wait(&hal, kMostCycles);
  internal_check(dla_reset(&hal, 100'000) == kDlaOk, "the device is reset");
}

constexpr Reader kReaders[] = {
#define FOVEA_READER(name, file_name) {#name, file_name, read_##name},
#include "readers.def"
#undef FOVEA_READER
};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const Reader* find_reader(std::string_view name) {
  const auto found = std::ranges::find(kReaders, name, &Reader::name);
  return found == std::end(kReaders) ? nullptr : &*found;
}

void feed(const Reader& reader, std::span<const std::uint8_t> bytes) {
  static const ScratchFolder folder;
  const std::filesystem::path file = folder / std::string(reader.file_name);
  write_file(file, std::as_bytes(bytes));
  try {
    reader.read(file);
  } catch (const UserError&) {
  } catch (const UsageError&) {
  } catch (const MachineError&) {
  }
}

std::size_t mutate(const Reader& reader, std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
  const std::string_view file_name = reader.file_name;
  return file_name.ends_with(".onnx")   ? mutate_onnx(bytes, size, most, seed)
         : file_name.ends_with(".json") ? mutate_json(bytes, size, most, seed)
         : file_name.ends_with(".png")  ? mutate_png(bytes, size, most, seed)
                                        : 0;
}

}  // namespace fovea
