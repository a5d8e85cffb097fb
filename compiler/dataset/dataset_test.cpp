// SPDX-License-Identifier: Apache-2.0
/// \file
/// input.bin byte by byte from small folders and batches, and each bad input by its message.
#include "dataset.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "pictures.h"
#include "sources.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class DatasetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("dataset_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A binary PPM whose pixels are `first`, `first` + 1, ...
  void write_ppm(const std::string& name, unsigned height, unsigned width, unsigned first) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream file(folder_ / name, std::ios::binary);
    file << "P6\n" << width << " " << height << "\n255\n";
    for (unsigned i = 0; i < height * width * 3; ++i) {
      file.put(static_cast<char>(first + i));
    }
  }

  void write_batch(const std::string& name, const std::vector<unsigned>& labels) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    for (std::size_t row = 0; row < labels.size(); ++row) {
      file.put(static_cast<char>(labels[row]));
      for (unsigned i = 0; i < 3072; ++i) {
        file.put(static_cast<char>(row + i));
      }
    }
  }

  std::string failure(const DatasetOptions& options) const {
    try {
      write_dataset(options);
    } catch (const UserError& error) {
      EXPECT_FALSE(fs::exists(options.output)) << "a file was left";
      std::string text = error.what();
      for (std::size_t at = text.find(folder_.string()); at != std::string::npos; at = text.find(folder_.string())) {
        text.replace(at, folder_.string().size(), "DIR");
      }
      return text;
    }
    return "written";
  }

  fs::path output() const { return folder_ / "input.bin"; }

  fs::path folder_;
};

/// Reads input.bin front to back.
class Reader {
 public:
  explicit Reader(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::uint32_t u32() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_.at(at_++))) << shift;
    }
    return value;
  }
  float f32() { return std::bit_cast<float>(u32()); }
  std::string text() {
    const std::uint32_t size = u32();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

TEST_F(DatasetTest, OneChannelIsThePlaneOfAGreyPicture) {
  fs::create_directories(folder_ / "bag");
  std::ofstream(folder_ / "bag/a.pgm", std::ios::binary) << "P5 2 1 255\n" << '\x05' << '\xfa';
  DatasetOptions options{{folder_}, output(), {}, {}};
  options.channels = 1;
  write_dataset(options);
  Reader file(output());
  EXPECT_EQ(file.u32(), 1u);
  EXPECT_EQ(file.text(), "bag");
  EXPECT_EQ(file.u32(), 1u);
  EXPECT_EQ(file.u32(), 2u);
  EXPECT_EQ(file.f32(), 5 / 255.0f);
  EXPECT_EQ(file.f32(), 250 / 255.0f);
  EXPECT_TRUE(file.at_end());
}

TEST_F(DatasetTest, AHeaderHasTheBitsOfTheFile) {
  write_ppm("say \"a\"/a.ppm", 2, 2, 10);
  write_ppm("b/a.ppm", 2, 2, 200);
  write_dataset({{folder_}, output(), {}, {}});
  write_dataset({{folder_}, folder_ / "input.h", {}, {}});
  std::ofstream(folder_ / "try.c") << "#include <stdio.h>\n#include \"input.h\"\n"
                                      "int main(void) { printf(\"%d %d %d %s %s\", INPUT_CLASSES, INPUT_PICTURES, "
                                      "INPUT_SIZE, input_classes[0], input_classes[1]);\n"
                                      "fwrite(input_pictures, sizeof(input_pictures), 1, stdout); return 0; }\n";
  const std::string program = (folder_ / "try").string();
  ASSERT_EQ(std::system(("cc -std=c11 -Wall -Werror -o " + program + " " + program + ".c").c_str()), 0);
  ASSERT_EQ(std::system((program + " > " + program + ".txt").c_str()), 0);
  const auto text_of = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string bytes = text_of(output());
  EXPECT_EQ(text_of(program + ".txt"), "2 1 12 b say \"a\"" + bytes.substr(bytes.size() - 2 * 12 * sizeof(float)));
}

TEST_F(DatasetTest, FolderOfClassesBecomesPlanes) {
  write_ppm("dog/b.ppm", 1, 2, 10);
  write_ppm("dog/a.ppm", 1, 2, 20);
  write_ppm("cat/x.ppm", 1, 2, 30);
  write_ppm("cat/y.ppm", 1, 2, 40);
  write_ppm("cat/z.ppm", 1, 2, 50);
  const DatasetReport report = write_dataset({{folder_}, output(), {}, {}});
  EXPECT_EQ(report.classes, 2u);
  EXPECT_EQ(report.per_class, 2u) << "as many as dog has";
  Reader file(output());
  EXPECT_EQ(file.u32(), 2u);
  EXPECT_EQ(file.text(), "cat");
  EXPECT_EQ(file.text(), "dog");
  EXPECT_EQ(file.u32(), 2u);
  EXPECT_EQ(file.u32(), 6u);
  for (const unsigned first : {30u, 40u, 20u, 10u}) {
    for (const unsigned offset : {0u, 3u, 1u, 4u, 2u, 5u}) {  // R, R, G, G, B, B
      EXPECT_EQ(file.f32(), static_cast<float>(first + offset) / 255.0f);
    }
  }
  EXPECT_TRUE(file.at_end());
}

TEST_F(DatasetTest, NamesSayClassesAndNumbersCount) {
  write_ppm("red_fox_10.ppm", 1, 1, 10);
  write_ppm("red_fox_9.ppm", 1, 1, 9);
  EXPECT_EQ(write_dataset({{folder_}, output(), 2, {}}).per_class, 2u);
  Reader file(output());
  EXPECT_EQ(file.u32(), 1u);
  EXPECT_EQ(file.text(), "red_fox");
  EXPECT_EQ(file.u32(), 2u);
  EXPECT_EQ(file.u32(), 3u);
  EXPECT_EQ(file.f32(), 9 / 255.0f) << "9 comes before 10";
}

TEST_F(DatasetTest, CifarBatchesKeepTheirOrder) {
  write_batch("one.bin", {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  write_batch("two.bin", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9});
  const DatasetReport report = write_dataset({{folder_ / "one.bin", folder_ / "two.bin"}, output(), {}, {}});
  EXPECT_EQ(report.classes, 10u);
  EXPECT_EQ(report.per_class, 2u);
  EXPECT_EQ(report.size, (PictureSize{32, 32}));
  Reader file(output());
  EXPECT_EQ(file.u32(), 10u);
  EXPECT_EQ(file.text(), "airplane");
  for (int i = 1; i < 9; ++i) {
    file.text();
  }
  EXPECT_EQ(file.text(), "truck");
  EXPECT_EQ(file.u32(), 2u);
  EXPECT_EQ(file.u32(), 3072u);
  for (unsigned i = 0; i < 3072; ++i) {
    ASSERT_EQ(file.f32(), static_cast<float>((9 + i) & 0xff) / 255.0f) << "row 9 of one.bin";
  }
  for (unsigned i = 0; i < 3072; ++i) {
    ASSERT_EQ(file.f32(), static_cast<float>(i & 0xff) / 255.0f) << "row 0 of two.bin";
  }
}

TEST_F(DatasetTest, StretchIsBilinear) {
  const Picture wide = {{1, 2}, {0, 1, 0, 1, 0, 1}};
  const Picture four = stretch_picture(wide, {1, 4});
  EXPECT_EQ(std::vector<float>(four.planes.begin(), four.planes.begin() + 4), (std::vector<float>{0, 0.25f, 0.75f, 1}));
  const Picture square = {{2, 2}, {0, 4, 8, 12, 0, 0, 0, 0, 1, 1, 1, 1}};
  EXPECT_EQ(stretch_picture(square, {1, 1}).planes, (std::vector<float>{6, 0, 1}));
}

TEST_F(DatasetTest, SizeStretchesOrComplains) {
  write_ppm("a_1.ppm", 2, 2, 0);
  write_ppm("a_2.ppm", 3, 2, 0);
  EXPECT_EQ(failure({{folder_}, output(), {}, {}}),
            "picture 1 of class a is 3x2, the first is 2x2; --size HxW stretches all to one size");
  EXPECT_EQ(write_dataset({{folder_}, output(), {}, PictureSize{4, 5}}).size, (PictureSize{4, 5}));
  EXPECT_EQ(fs::file_size(output()), 4u + 4 + 1 + 4 + 4 + 2 * 3 * 4 * 5 * 4);
}

TEST_F(DatasetTest, BadSourcesAreNamed) {
  EXPECT_EQ(failure({{folder_}, output(), {}, {}}), "DIR: has no pictures (png, jpg, ppm, pgm), nor folders with some");
  EXPECT_EQ(failure({{folder_ / "none"}, output(), {}, {}}), "DIR/none: no such file or folder");
  write_ppm("horse.ppm", 1, 1, 0);
  EXPECT_EQ(failure({{folder_}, output(), {}, {}}),
            "DIR/horse.ppm: its name does not say its class; call it <class>_<number>.ppm or put it into a folder with "
            "the class's name");
  fs::remove(folder_ / "horse.ppm");
  std::ofstream(folder_ / "horse_1.png") << "no picture";
  EXPECT_EQ(failure({{folder_}, output(), {}, {}}).rfind("DIR/horse_1.png: not a picture that can be read (", 0), 0u);
}

TEST_F(DatasetTest, BadBatchesAreNamed) {
  write_batch("batch.bin", {1, 2});
  EXPECT_EQ(failure({{folder_ / "batch.bin"}, output(), {}, {}}),
            "class airplane has 0 pictures; each class needs at least one");
  fs::resize_file(folder_ / "batch.bin", 3073 + 100);
  EXPECT_EQ(failure({{folder_ / "batch.bin"}, output(), {}, {}}),
            "DIR/batch.bin: row 1 has 100 of 3073 bytes; this is no whole CIFAR-10 binary batch");
  write_batch("batch.bin", {1, 10});
  EXPECT_EQ(failure({{folder_ / "batch.bin"}, output(), {}, {}}),
            "DIR/batch.bin: row 1 has label 10; CIFAR-10 binary batches have labels 0 to 9");
}

TEST_F(DatasetTest, CountsAreChecked) {
  write_ppm("a_1.ppm", 1, 1, 0);
  EXPECT_EQ(failure({{folder_}, output(), 2, {}}), "class a has 1 pictures; 2 of each class are wanted");
  EXPECT_EQ(failure({{folder_}, output(), 0, {}}), "--per-class 0: at least one picture of each class is needed");
  EXPECT_EQ(failure({{folder_}, folder_ / "a_1.ppm" / "input.bin", {}, {}}),
            "DIR/a_1.ppm: can't make this output folder (Not a directory)");
}

TEST(NaturalLess, ComparesNumbersByValue) {
  EXPECT_TRUE(natural_less("cat_9", "cat_10"));
  EXPECT_FALSE(natural_less("cat_10", "cat_9"));
  EXPECT_TRUE(natural_less("cat_2_b", "cat_2_c"));
  EXPECT_TRUE(natural_less("cat", "cat_1"));
  EXPECT_TRUE(natural_less("a007", "a8"));
  EXPECT_FALSE(natural_less("a", "a"));
  EXPECT_NE(natural_less("a01", "a1"), natural_less("a1", "a01")) << "different names never tie";
}

TEST(PictureSizeText, IsStrict) {
  EXPECT_EQ(parse_picture_size("32x48"), (PictureSize{32, 48}));
  for (const char* bad : {"", "32", "32x", "x32", "0x32", "32x4097", "32x32x3", "-1x4", "3.5x4", "99999x1"}) {
    EXPECT_FALSE(parse_picture_size(bad)) << bad;
  }
}

}  // namespace
}  // namespace fovea
