// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the tiny network's files and runs programs.
#include "tiny_network.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime/dla_runtime.h"
#include "spec/machine_json.h"
#include "tiny_places.h"

namespace fovea {
namespace {

template <class T>
std::string as_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Filters and biases: logit m sums plane m; the convolution hands every channel on.
std::string payload() {
  std::string bytes(kTinyWeightsBytes, '\0');
  for (int m = 0; m < 3; ++m) {
    std::fill_n(bytes.begin() + kTinyFcFilter + m * 48 + m * 16, 16, '\1');
  }
  const dla_shape shape TINY_SHAPE;
  const dla_mapping mapping TINY_MAPPING;
  const dla_machine machine = read_machine("sim/spec/machines/eyeriss_6x8.json").geometry;
  const int8_t identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int32_t no_bias[3] = {};
  dla_lay_out_filters(&machine, &shape, &mapping, identity, no_bias, nullptr, nullptr,
                      reinterpret_cast<uint8_t*>(bytes.data() + kTinyConvFilter));
  return bytes;
}

std::string weight_file() {
  const std::string bytes = payload();
  const auto checksum =
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  std::string file = DLA_WEIGHTS_MAGIC + as_bytes<uint32_t>({DLA_WEIGHTS_VERSION, DLA_WEIGHTS_HEADER_BYTES,
                                                             kTinyWeightsBytes, checksum, kTinyModelKey});
  file.resize(DLA_WEIGHTS_HEADER_BYTES);
  return file + bytes;
}

std::string input_file() {
  std::string file = as_bytes<uint32_t>({3});
  for (const std::string name : {"red", "green", "blue"}) {
    file += as_bytes<uint32_t>({static_cast<uint32_t>(name.size())}) + name;
  }
  file += as_bytes<uint32_t>({2, 48});
  for (int label = 0; label < 3; ++label) {
    for (const float light : {1.0f, 0.75f}) {
      std::vector<float> planes(48, 0.25f);
      std::fill_n(planes.begin() + label * 16, 16, light);
      file += as_bytes(planes);
    }
  }
  return file;
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> read_floats(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

Finished run_command(const std::vector<std::string>& words) {
  const std::string prefix = testing::TempDir() + "command_" + std::to_string(getpid());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, (prefix + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, 2, (prefix + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int waited = 0;
  Finished finished;
  if (posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ) == 0 && waitpid(child, &waited, 0) == child &&
      WIFEXITED(waited)) {
    finished = {WEXITSTATUS(waited), read_text(prefix + ".out"), read_text(prefix + ".err")};
  }
  posix_spawn_file_actions_destroy(&files);
  std::filesystem::remove(prefix + ".out");
  std::filesystem::remove(prefix + ".err");
  return finished;
}

TinyNetwork::TinyNetwork(const std::filesystem::path& library, std::string program_path)
    : folder(std::filesystem::path(testing::TempDir()) / ("tiny_" + std::to_string(getpid()))),
      program{std::move(program_path)} {
  std::filesystem::create_directories(folder / "net");
  use(library);
  write("net/weight.bin", weight_file());
  write("input.bin", input_file());
}

TinyNetwork::~TinyNetwork() { std::filesystem::remove_all(folder); }

void TinyNetwork::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

void TinyNetwork::write_floats(const std::string& name, const std::vector<float>& values) const {
  write(name, as_bytes(values));
}

void TinyNetwork::use(const std::filesystem::path& library) const {
  std::filesystem::copy_file(library, folder / "net/model.so", std::filesystem::copy_options::overwrite_existing);
}

Finished TinyNetwork::run(std::vector<std::string> words) const {
  std::vector<std::string> all = program;
  all.insert(all.end(), {"--net", at("net")});
  all.insert(all.end(), words.begin(), words.end());
  return run_command(all);
}

std::string TinyNetwork::refusal(std::vector<std::string> words, ExitStatus status) const {
  const Finished finished = run(std::move(words));
  EXPECT_EQ(finished.status, status) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  return finished.err.substr(0, finished.err.find('\n'));
}

}  // namespace fovea
