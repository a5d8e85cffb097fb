// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files, devices and names that are near.
#include "read_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "file_tree.h"
#include "scratch_folder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

std::string refusal(const fs::path& path, std::size_t most = kMostFileBytes) {
  try {
    read_file(path, "an ONNX file", most);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class ReadFileTest : public testing::Test {
 protected:
  fs::path make(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }

  ScratchFolder scratch_;
};

TEST_F(ReadFileTest, GivesAllBytes) {
  const std::string text(3'000'001, 'x');
  EXPECT_TRUE(read_file(make("a", text), "a file") == text);
  EXPECT_EQ(read_file(make("empty", ""), "a file"), "");
  EXPECT_EQ(refusal(scratch_ / "a", 3'000'001), "");
}

TEST_F(ReadFileTest, RefusesWhatIsNoFileAndWhatNeverEnds) {
  const std::string file = make("a", "12345").string();
  EXPECT_EQ(refusal(file, 4), file + ": has more than 4 bytes; give an ONNX file");
  EXPECT_EQ(refusal("/dev/zero", 1000), "/dev/zero: has more than 1000 bytes; give an ONNX file");
  EXPECT_EQ(refusal("/"), "/: is a folder; give an ONNX file");
  EXPECT_THAT(refusal(file + "/b"), StartsWith(file + "/b: can't be opened: Not a directory"));
}

TEST_F(ReadFileTest, NamesTheFileThatWasMeant) {
  const std::string net = make("net_int8.onnx", "").string();
  make("net_int8.json", "");
  const auto typed = [&](const char* name) { return (scratch_ / name).string() + ": no such file"; };
  EXPECT_EQ(refusal(scratch_ / "net_in8.onnx"), typed("net_in8.onnx") + "; did you mean " + net + "?");
  EXPECT_EQ(refusal(scratch_ / "net_int8"), typed("net_int8") + "; did you mean " + net + "?");
  EXPECT_EQ(refusal(scratch_ / "vgg.txt"), typed("vgg.txt"));
  // Of those that ship, from the source folder, where tests run.
  const fs::path shipped = file_tree().models / "vgg8_cifar10_power2.onnx";
  EXPECT_EQ(
      refusal(scratch_ / "vgg8_cifar10_power"),
      typed("vgg8_cifar10_power") + "; did you mean " + shipped.lexically_relative(fs::current_path()).string() + "?");
}

}  // namespace
}  // namespace fovea
