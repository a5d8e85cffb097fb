// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sizes that a network's file leaves open, from what it is to run on.
#pragma once

#include <filesystem>
#include <string>

#include "requests/placement.h"

namespace fovea {

/// The network with a shape for each input that has open dimensions and a file that says them: a .npy file has a shape;
/// of float32 numbers follows one open dimension, or the batch; and of a picture height and width. What is given is
/// kept, and what does not follow is left open. \param tensors  As read_port_files() takes it, or "". \param picture  A
/// file, or "". \throws UserError where a file can't be read.
NetworkRequest with_derived_shapes(NetworkRequest network, const std::string& tensors,
                                   const std::filesystem::path& picture);

}  // namespace fovea
