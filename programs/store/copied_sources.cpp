// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies, and puts the names back into errors.
#include "copied_sources.h"

#include <system_error>

#include "files/read_file.h"
#include "onnx/named_files.h"
#include "spec/machine_json.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

void copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!fs::is_regular_file(from, error)) {
    user_error(from.string() +
               (fs::exists(from, error) ? ": can't be read; give a file" : ": no such file" + did_you_mean_file(from)));
  }
  if (!fs::copy_file(from, to, fs::copy_options::overwrite_existing, error)) {
    user_error(from.string() + ": can't be copied to " + to.parent_path().string() + " (" + error.message() +
               "); name another folder in TMPDIR");
  }
}

}  // namespace

CopiedSources::CopiedSources(const NetworkRequest& network) : network_(network) {
  network_.model = copy(network.model, "model");
  for (const fs::path& file : named_files(network.model)) {
    copy_one(file, network_.model.parent_path() / file.lexically_relative(network.model.parent_path()));
  }
  if (!network.placement.schedules.empty()) {
    network_.placement.schedules = copy(network.placement.schedules, "schedules");
  }
  for (std::size_t i = 0; i < network.placement.intrinsics.size(); ++i) {
    network_.placement.intrinsics[i] = copy(network.placement.intrinsics[i], "intrinsic" + std::to_string(i));
  }
  if (fs::exists(network.placement.records)) {
    network_.placement.records = copy(network.placement.records, "records");
  }
  if (network.placement.target != "cpu") {
    network_.placement.machine = copy(network.placement.machine, "machine");
  }
}

fs::path CopiedSources::copy(const fs::path& file, const std::string& folder) {
  fs::path to = scratch_ / folder / file.filename();
  copy_one(file, to);
  names_.emplace_back((to.parent_path() / "").string(),
                      file.has_parent_path() ? (file.parent_path() / "").string() : "");
  return to;
}

std::string CopiedSources::with_names(std::string text) const {
  for (const auto& [copies, files] : names_) {
    for (std::size_t at = text.find(copies); at != std::string::npos; at = text.find(copies, at + files.size())) {
      text.replace(at, copies.size(), files);
    }
  }
  return text;
}

void CopiedSources::do_with_names(const std::function<void()>& work) const {
  try {
    work();
  } catch (const UserError& error) {
    throw UserError(with_names(error.what()));
  } catch (const MachineError& error) {
    throw MachineError(with_names(error.what()));
  }
}

}  // namespace fovea
