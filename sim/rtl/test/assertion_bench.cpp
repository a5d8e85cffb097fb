// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a verilated module and says which assertions failed.
#include "assertion_bench.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "verilated.h"

// A failed assertion has printed its name and comes here; the bench goes on.
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {}

namespace fovea {

std::vector<std::string> failed_assertions(const std::function<void()>& run) {
  testing::internal::CaptureStdout();
  run();
  const std::string output = testing::internal::GetCapturedStdout();
  const std::regex failure("([A-Za-z0-9_]+) does not hold");
  std::vector<std::string> names;
  for (std::sregex_iterator it(output.begin(), output.end(), failure), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

std::string failed_assertion(const std::function<void()>& run) {
  const std::vector<std::string> names = failed_assertions(run);
  return names.empty() ? "" : names.front();
}

std::set<std::string> assertions_of(const std::string& path) {
  std::ifstream file(std::string(FOVEA_RTL_DIR) + "/" + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  const std::string source = text.str();
  const std::regex macro("`DLA_ASSERT(_STREAM)?(?:_CLOCKED|_ALWAYS)?\\((\\w+)");
  std::set<std::string> names;
  for (std::sregex_iterator it(source.begin(), source.end(), macro), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if ((*it)[1].matched) {
      names.insert({name + "StaysValid", name + "HoldsData"});
    } else {
      names.insert(name);
    }
  }
  return names;
}

}  // namespace fovea
