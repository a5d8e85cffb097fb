// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures whose class is known: a folder of them, an input.bin, or bare bytes with a file of labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dataset/labels.h"
#include "program/network.h"

namespace fovea {

/// One picture.
struct TestPicture {
  std::string name;         ///< What a person finds it by: its file, or "cat 3".
  uint32_t true_class = 0;  ///< The network's output that should be the largest.
};

/// All pictures, each read when it is asked for.
struct TestPictures {
  std::vector<TestPicture> pictures;
  /// Planes of pixel/255 of a picture, [3, H, W] as the network takes it. \throws UserError where its file is none.
  std::function<std::vector<float>(std::size_t picture)> planes;
  uint32_t checksum = 0;  ///< Of what says which pictures they are.
};

/// Of a folder: its sub-folders, or the names of its files, are the classes (as `foveac dataset` reads them); each is
/// the output with that label, or, where no class has the name of a label, they are outputs 0, 1, ... in their order.
/// Pictures are stretched to the network's size. Of an input.bin: class k is output k. \param input  The network's, [3,
/// H, W]. \throws UserError naming the file or class at fault.
TestPictures open_pictures(const std::filesystem::path& data, const Port& input, const Labels& labels);

/// Bare bytes: uint8 [N, C, H, W] as `input` says, and uint8 [N]. \throws UserError likewise.
TestPictures open_bare_pictures(const std::filesystem::path& pixels, const std::filesystem::path& labels_of,
                                const Port& input, const Labels& labels);

}  // namespace fovea
