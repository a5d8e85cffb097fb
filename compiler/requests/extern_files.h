// SPDX-License-Identifier: Apache-2.0
/// \file
/// The C files of operators that are the user's functions.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "layers/layer.h"
#include "onnx/extern.h"
#include "targets/cpu/cpu.h"

namespace fovea {

/// What stands beside model.c, by file name: each of the users' files that a layer calls a function of, and what hands
/// that to model.c. \param compiler  Each is compiled once to see whether it can be; "" or one that is not there:
/// none is. UserError where an operator has no binding, or a file defines no such function or doesn't compile.
std::map<std::string, std::string> extern_files(const Network& network, const std::vector<Extern>& externs,
                                                const std::string& compiler);

/// Those in the folder of a compiled network, in order.
std::vector<std::filesystem::path> find_extern_files(const std::filesystem::path& folder);

/// What a C compiler said first that is an error, "my_op.c:3:5: ..."; its last line where there is none.
std::string first_error(const std::filesystem::path& log);

/// first_error() of a C11 file. "" where it can be compiled, or there is no such compiler.
std::string compile_error(const std::filesystem::path& file, const std::string& compiler);

}  // namespace fovea
