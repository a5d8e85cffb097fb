// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a cached thing follows from, as one number.
#include "digest.h"

#include <elf.h>
#include <link.h>
#include <nettle/base16.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "child_process.h"
#include "mapped_file.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const char in_this_object = 0;

/// The note NT_GNU_BUILD_ID of the object that holds in_this_object; "" while not found.
int find_build_id(dl_phdr_info* object, size_t, void* found) {
  const auto address = reinterpret_cast<ElfW(Addr)>(&in_this_object);
  const auto* begin = object->dlpi_phdr;
  const auto* end = begin + object->dlpi_phnum;
  const bool is_here = std::any_of(begin, end, [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && address - object->dlpi_addr - part.p_vaddr < part.p_memsz;
  });
  if (!is_here) {
    return 0;
  }
  for (const auto* part = begin; part != end; ++part) {
    const char* note = &in_this_object + static_cast<std::ptrdiff_t>(object->dlpi_addr + part->p_vaddr - address);
    const char* last = note + (part->p_type == PT_NOTE ? part->p_memsz : 0);
    while (note < last) {
      ElfW(Nhdr) header;
      std::memcpy(&header, note, sizeof header);
      const auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
      const char* id = note + sizeof header + padded(header.n_namesz);
      if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(id - 4, "GNU", 4) == 0) {
        static_cast<std::string*>(found)->assign(id, header.n_descsz);
        return 1;
      }
      note = id + padded(header.n_descsz);
    }
  }
  return 1;
}

}  // namespace

Digest::Digest() { sha256_init(&state_); }

void Digest::add(std::string_view bytes) {
  const uint64_t size = bytes.size();
  sha256_update(&state_, sizeof size, reinterpret_cast<const uint8_t*>(&size));
  sha256_update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
}

void Digest::add_file(const fs::path& path) { add(MappedFile(path).bytes()); }

void Digest::add_folder(const fs::path& folder, const std::string& extension) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    if (file->path().extension() == extension) {
      files.push_back(file->path());
    }
  }
  if (error) {
    user_error(folder.string() + ": can't be read (" + error.message() + "); install Fovea again");
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    add(file.filename().string());
    add_file(file);
  }
}

void Digest::add_this_program() {
  std::string id;
  dl_iterate_phdr(find_build_id, &id);
  internal_check(!id.empty(), "a program that was linked with --build-id");
  add(id);
}

void Digest::add_program(const std::string& name) {
  const fs::path program = find_program(name);
  struct stat about {};
  if (!program.empty() && stat(program.c_str(), &about) == 0) {
    add(program.string());
    add(std::to_string(about.st_size) + " " + std::to_string(about.st_mtim.tv_sec));
  }
}

std::string Digest::text() const {
  sha256_ctx ended = state_;  // More may be added to this one.
  std::array<uint8_t, kDigits / 2> bytes{};
  sha256_digest(&ended, bytes.size(), bytes.data());
  std::string digits(kDigits, '0');
  base16_encode_update(digits.data(), bytes.size(), bytes.data());
  return digits;
}

}  // namespace fovea
