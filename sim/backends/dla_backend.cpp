// SPDX-License-Identifier: Apache-2.0
/// \file
/// open_backend() for C: what is thrown becomes a line of text.
#include "dla_backend.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "common/backend.h"
#include "files/file_tree.h"

struct dla_backend {
  std::unique_ptr<fovea::Backend> device;
};

namespace {

std::string text_or(const char* text, const char* otherwise) { return text == nullptr ? otherwise : text; }

void put_message(const std::string& text, char* message, size_t message_bytes) {
  if (message != nullptr && message_bytes > 0) {
    const size_t length = std::min(text.size(), message_bytes - 1);
    std::memcpy(message, text.data(), length);
    message[length] = '\0';
  }
}

fovea::BackendOptions backend_options(const dla_backend_options& given) {
  if (given.version != DLA_BACKEND_VERSION) {
    throw fovea::BackendError("this program is of version " + std::to_string(given.version) +
                              " of the backends, and Fovea here of version " + std::to_string(DLA_BACKEND_VERSION) +
                              "; compile it again");
  }
  fovea::BackendOptions options;
  options.machine = fovea::read_machine(fovea::machine_file(text_or(given.machine, "eyeriss_6x8")));
  options.dram = text_or(given.dram, options.dram.c_str());
  options.memory_bytes = given.memory_bytes == 0 ? options.memory_bytes : given.memory_bytes;
  options.waves.path = text_or(given.waves, "");
  options.transactions.path = text_or(given.transactions, "");
  options.timeline = text_or(given.timeline, "");
  options.checked = given.is_checked != 0;
  return options;
}

}  // namespace

dla_backend_t* dla_backend_open(const char* name, const dla_backend_options* options, char* message,
                                size_t message_bytes) {
  try {
    if (name == nullptr || options == nullptr) {
      throw fovea::BackendError("dla_backend_open: no name or no options");
    }
    return new dla_backend{fovea::open_backend(name, backend_options(*options))};
  } catch (const std::exception& error) {
    put_message(error.what(), message, message_bytes);
    return nullptr;
  }
}

const dla_hal_t* dla_backend_hal(const dla_backend_t* backend) { return &backend->device->hal(); }

uint64_t dla_backend_cycles(const dla_backend_t* backend) { return backend->device->cycles(); }

int dla_backend_close(dla_backend_t* backend, char* message, size_t message_bytes) {
  const std::unique_ptr<dla_backend> closed(backend);
  try {
    if (closed != nullptr) {
      closed->device->finish();
    }
    return 0;
  } catch (const std::exception& error) {
    put_message(error.what(), message, message_bytes);
    return -1;
  }
}
