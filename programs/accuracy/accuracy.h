// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks networks about pictures whose class is known.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "accuracy_report.h"
#include "session/session.h"

namespace fovea {

/// A compiled network, and what carries it.
struct AskedNetwork {
  std::string name;              ///< What it is called.
  std::filesystem::path folder;  ///< foveac's, with model.so.
  SessionOptions place;
};

/// Who is asked, and about what.
struct AccuracyTask {
  std::vector<AskedNetwork> networks;       ///< One or two, of the same classes.
  std::filesystem::path model;              ///< Labels, mean and std come from the .json beside it; may be empty.
  std::filesystem::path data;               ///< A folder of pictures, or an input.bin (test_pictures.h).
  std::filesystem::path pictures, classes;  ///< Instead: bare bytes.
  TypedLabels labels;                       ///< Before those of the .json.
  std::filesystem::path keep;               ///< File of what was found, where a run that was ended goes on; or empty.
  unsigned jobs = 0;                        ///< Processes; 0: one a core.
};

struct Accuracy {
  TestPictures pictures;
  Labels labels;
  std::vector<Judged> judged;  ///< A network each, in order.
};

/// Asks one network after the other about each picture that it has not been asked about.
/// \param on_picture  Told how many of how many are done; may be empty, and may throw, which ends it.
/// \throws UserError for bad input, BackendError for a device that can't be opened; std::runtime_error where a network
/// fails. What is in `keep` stays there.
Accuracy measure_accuracy(const AccuracyTask& task,
                          const std::function<void(std::size_t done, std::size_t all)>& on_picture);

}  // namespace fovea
