// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which file each input or output of a network is read from or written to, as a user says it (INPUT_RAW, OUTPUT_RAW).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "network.h"

namespace fovea {

/// The file of each port, in the ports' order. \param text  `name=file,name2=file2`; of one port a file name will do.
/// \throws UsageError naming `variable` where a port is missing, unknown, given twice or has no file.
std::vector<std::filesystem::path> read_port_files(const std::string& variable, const std::string& text,
                                                   const std::vector<Port>& ports);

/// The numbers of an input: a .npy file's of any type, or raw float32. \param taker  What errors call the input.
/// \throws UserError unless the file holds as many numbers as the port takes, and float32 has its integers.
std::vector<float> read_port(const std::filesystem::path& file, const Port& port, const std::string& taker);

/// \throws UsageError naming `variable` where two ports would be written to one file.
void check_no_file_twice(const std::string& variable, const std::vector<std::filesystem::path>& files);

/// "left, right".
std::string names_of_ports(const std::vector<Port>& ports);

/// What read_port_files() takes: "left=FILE,right=FILE".
std::string form_of_port_files(const std::vector<Port>& ports);

}  // namespace fovea
