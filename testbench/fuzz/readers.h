// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything that reads what others wrote, in one form, for fuzzers and for the files that they found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace fovea {

/// A row of readers.def.
struct Reader {
  std::string_view name;
  std::string_view file_name;  ///< What its input is called; readers go by the extension.
  void (*read)(const std::filesystem::path& file);
};

std::span<const Reader> readers();

/// The reader of that name; null where there is none.
const Reader* find_reader(std::string_view name);

/// Hands bytes to a reader, as a file. A file that it refuses, by a UserError or what stands for one, is well read.
/// \throws whatever else it throws.
void feed(const Reader& reader, std::span<const std::uint8_t> bytes);

/// Changes a file of the reader by what its extension has below; bytes are `size` of `most`.
/// \return The new size; 0 where nothing below fits.
std::size_t mutate(const Reader& reader, std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed);

/// Changes an ONNX model as a model: its operators, attributes, shapes, and what reads what.
/// \param bytes  A serialized model, `size` bytes of `most`.   \return The new size; 0 where it is no model.
std::size_t mutate_onnx(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed);

/// Changes a text in JSON as a document: what a value is, and what an array or object has. As mutate_onnx().
std::size_t mutate_json(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed);

/// Changes a PNG picture's chunks, and gives each the checksum that it then has. As mutate_onnx().
std::size_t mutate_png(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed);

}  // namespace fovea
