// SPDX-License-Identifier: Apache-2.0
/// \file
/// The CPU path gives the golden tensors, the lab's tables and the known scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "golden.h"
#include "program/answer.h"
#include "test_network.h"

namespace fovea {
namespace {

class CpuAnswers : public testing::TestWithParam<const char*> {
 protected:
  std::string rounding() const { return GetParam(); }
  bool is_floor() const { return rounding() == "floor"; }
};
INSTANTIATE_TEST_SUITE_P(Roundings, CpuAnswers, testing::Values("nearest_even", "floor"));

/// The uint8 tensors among `tensors`, in order.
std::vector<const SeenTensor*> quantized(const std::vector<SeenTensor>& tensors) {
  std::vector<const SeenTensor*> out;
  for (const SeenTensor& tensor : tensors) {
    if (tensor.type == "uint8") {
      out.push_back(&tensor);
    }
  }
  return out;
}

TEST_P(CpuAnswers, EveryTensorIsTheGoldenOne) {
  FOVEA_NEEDS_SHARED();
  TestNetwork network = TestNetwork::on_cpu("alexnetbn_v2-power2-" + rounding() + "-cpu");
  network.classify(cifar_pictures().picture(4, 9));
  const std::vector<const SeenTensor*> tensors = quantized(network.tensors());
  ASSERT_EQ(tensors.size(), golden_layers().size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(tensors[i]->bytes, shared_bytes("golden/" + rounding() + "/" + golden_layers()[i] + ".u8"))
        << tensors[i]->name;
  }
}

/// Runs all pictures; compares logits with a golden file and returns how many classes are right.
std::size_t check_logits(TestNetwork& network, const InputFile& input, const std::string& golden_name) {
  const std::vector<uint8_t> golden = shared_bytes(golden_name);
  std::size_t correct = 0, at = 0, wrong = 0;
  for (uint32_t label = 0; label < input.classes.size(); ++label) {
    for (uint32_t index = 0; index < input.per_class; ++index, at += 10) {
      correct += best_of(network.classify(input.picture(label, index))) == label ? 1 : 0;
      wrong += std::equal(network.logits().begin(), network.logits().end(), golden.begin() + at) ? 0 : 1;
    }
  }
  EXPECT_EQ(at, golden.size());
  EXPECT_EQ(wrong, 0u) << "pictures whose logits differ from " << golden_name;
  return correct;
}

TEST_P(CpuAnswers, AHundredPicturesGiveTheGoldenLogits) {
  FOVEA_NEEDS_SHARED();
  TestNetwork network = TestNetwork::on_cpu("alexnetbn_v2-power2-" + rounding() + "-cpu");
  EXPECT_EQ(check_logits(network, cifar_pictures(), "golden/" + rounding() + "/logits_test100.u8"),
            is_floor() ? 87u : 86u);
}

TEST_P(CpuAnswers, OurOwnNetworkGivesTheGoldenLogits) {
  FOVEA_NEEDS_SHARED();
  TestNetwork network = TestNetwork::on_cpu("vgg8_cifar10_power2-" + rounding() + "-cpu");
  const std::string golden = "golden/vgg8_cifar10_power2/" + rounding();
  EXPECT_EQ(check_logits(network, cifar_pictures(), golden + "_test100.u8"), 91u);
  EXPECT_EQ(check_logits(network, sample_pictures(), golden + "_drawn100.u8"), 100u);
}

TEST_P(CpuAnswers, OurOwnNetworkKnowsItsSamples) {
  TestNetwork network = TestNetwork::on_cpu("vgg8_cifar10_power2-" + rounding() + "-cpu");
  const InputFile samples = sample_pictures();
  for (uint32_t label = 0; label < samples.classes.size(); ++label) {
    EXPECT_EQ(best_of(network.classify(samples.picture(label, 9))), label);
  }
}

TEST_P(CpuAnswers, NineHundredPicturesScoreAsKnown) {
  FOVEA_NEEDS_SHARED();
  const std::vector<uint8_t> pixels = shared_bytes("data/cifar10_test932_images.u8");
  const std::vector<uint8_t> labels = shared_bytes("data/cifar10_test932_labels.u8");
  const std::size_t size = 3 * 32 * 32;
  ASSERT_EQ(pixels.size(), labels.size() * size);
  const auto score = [&](const std::string& name) {
    TestNetwork network = TestNetwork::on_cpu(name);
    std::size_t correct = 0;
    std::vector<float> planes(size);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t k = 0; k < size; ++k) {
        planes[k] = static_cast<float>(pixels[i * size + k]) / 255.0f;
      }
      correct += best_of(network.classify(planes)) == labels[i] ? 1 : 0;
    }
    return correct;
  };
  EXPECT_EQ(score("alexnetbn_v2-power2-" + rounding() + "-cpu"), is_floor() ? 830u : 834u);
  EXPECT_EQ(score("vgg8_cifar10_power2-" + rounding() + "-cpu"), is_floor() ? 838u : 834u);
}

TEST_P(CpuAnswers, PercentagesAreThoseOfTheLabsPage) {
  FOVEA_NEEDS_SHARED();
  TestNetwork network = TestNetwork::on_cpu("alexnetbn_v2-power2-" + rounding() + "-cpu");
  std::ostringstream out;
  print_percentages(out, cifar_labels().names, network.classify(cifar_pictures().picture(4, 9)));
  if (is_floor()) {
    EXPECT_EQ(out.str(),
              "[    airplane]   5.203%\n[  automobile]   0.058%\n[        bird]   0.621%\n[         cat]   0.333%\n"
              "[        deer]  20.578%\n[         dog]   0.484%\n[        frog]   0.058%\n[       horse]  71.826%\n"
              "[        ship]   0.090%\n[       truck]   0.750%\n");
  } else {
    EXPECT_THAT(out.str(), testing::HasSubstr("[       horse]  71.519%\n"));
  }
}

TEST(CpuMatrix, IsTheLabs) {
  FOVEA_NEEDS_SHARED();
  TestNetwork network = TestNetwork::on_cpu("alexnetbn_v2-power2-floor-cpu");
  const InputFile input = cifar_pictures();
  std::ostringstream out;
  for (uint32_t label = 0; label < input.classes.size(); ++label) {
    std::vector<uint32_t> answers;
    for (uint32_t index = 0; index < input.per_class; ++index) {
      answers.push_back(static_cast<uint32_t>(best_of(network.classify(input.picture(label, index)))));
    }
    print_matrix_row(out, label, input.classes[label], answers);
  }
  EXPECT_EQ(out.str(),
            "[ 0 -        airplane]  . . 2 . . 9 . . . .\n"
            "[ 1 -      automobile]  . 9 9 . . . . . . .\n"
            "[ 2 -            bird]  . 3 . . . . . . . 5\n"
            "[ 3 -             cat]  . . . . . . . . . .\n"
            "[ 4 -            deer]  . . . . . 5 . . . 7\n"
            "[ 5 -             dog]  . . . . . . . . . 3\n"
            "[ 6 -            frog]  . . . . . . . . . 4\n"
            "[ 7 -           horse]  . . . . . 3 . . . 4\n"
            "[ 8 -            ship]  . . 6 . . . . . . .\n"
            "[ 9 -           truck]  . . . . . . . . . .\n");
}

}  // namespace
}  // namespace fovea
