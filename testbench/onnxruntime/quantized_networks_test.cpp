// SPDX-License-Identifier: Apache-2.0
/// \file
/// What `foveac quantize` makes of real float networks: what it costs in accuracy, and whether ONNX Runtime answers it
/// as Fovea does.
#include <gtest/gtest.h>
#include <onnx/checker.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numbers>
#include <ostream>
#include <random>
#include <span>

#include "compiled_runs.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = "../shared", kWork = WORK_FOLDER;
constexpr std::size_t kPlaneBytes = 1024, kPictureBytes = 3 * kPlaneBytes, kPictures = 932;
constexpr std::size_t kCalibrated = 100;  ///< Inputs; others are measured on.

using Inputs = std::vector<std::vector<float>>;

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path write_inputs(const Inputs& inputs, const std::string& name) {
  fs::create_directories(kWork);
  std::ofstream file(kWork / name, std::ios::binary);
  for (const std::vector<float>& input : inputs) {
    file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size() * sizeof(float)));
  }
  return kWork / name;
}

/// CIFAR-10's pictures `first` to `end` - 1, their pixels 0 to 255.
Inputs pictures(std::size_t first, std::size_t end) {
  const std::string bytes = read_bytes(kShared / "data/cifar10_test932_images.u8");
  Inputs inputs;
  for (std::size_t i = first; i < end; ++i) {
    inputs.emplace_back(kPictureBytes);
    std::transform(bytes.begin() + static_cast<std::ptrdiff_t>(i * kPictureBytes),
                   bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * kPictureBytes), inputs.back().begin(),
                   [](char pixel) { return static_cast<float>(static_cast<uint8_t>(pixel)); });
  }
  return inputs;
}

/// The same, 0 to 1, each pixel three by three times: 96x96.
Inputs enlarged_pictures(std::size_t first, std::size_t end) {
  constexpr std::size_t kSide = 32, kTimes = 3, kLarge = kSide * kTimes;
  Inputs inputs;
  for (const std::vector<float>& picture : pictures(first, end)) {
    inputs.emplace_back(3 * kLarge * kLarge);
    for (std::size_t i = 0; i < inputs.back().size(); ++i) {
      const std::size_t plane = i / (kLarge * kLarge), row = i / kLarge % kLarge, column = i % kLarge;
      inputs.back()[i] = picture[plane * kPlaneBytes + row / kTimes * kSide + column / kTimes] / 255;
    }
  }
  return inputs;
}

/// Smooth random planes, as spectrograms are: `middle` and six waves of at most three periods down and two across.
Inputs smooth_planes(std::size_t rows, std::size_t columns, float middle, float height, std::size_t first,
                     std::size_t end) {
  Inputs inputs;
  for (std::size_t i = first; i < end; ++i) {
    std::mt19937_64 random(i);
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    inputs.emplace_back(rows * columns, middle);
    for (int wave = 0; wave < 6; ++wave) {
      const double down = 3 * uniform(), across = 2 * uniform(), phase = 2 * std::numbers::pi * uniform();
      const double amplitude = height * (2 * uniform() - 1);
      for (std::size_t k = 0; k < rows * columns; ++k) {
        const double turns = down * static_cast<double>(k / columns) / static_cast<double>(rows) +
                             across * static_cast<double>(k % columns) / static_cast<double>(columns);
        inputs.back()[k] += static_cast<float>(amplitude * std::cos(2 * std::numbers::pi * turns + phase));
      }
    }
  }
  return inputs;
}

/// \return what foveac printed.
std::string run_foveac(const std::string& arguments) {
  const fs::path log = kWork / "foveac.log";
  EXPECT_EQ(std::system((std::string(FOVEAC) + " " + arguments + " >" + log.string() + " 2>&1").c_str()), 0);
  return read_bytes(log);
}

/// A float network quantized and checked. \return the file.
fs::path quantize(const fs::path& network, const fs::path& data, const std::string& options, const std::string& name) {
  fs::create_directories(kWork);
  const fs::path file = kWork / (name + ".onnx");
  const std::string printed = run_foveac("quantize " + network.string() + " --calibrate " + data.string() + " " +
                                         options + " -o " + file.string());
  EXPECT_NE(printed.find("written: "), std::string::npos) << printed;
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(read_bytes(file)));
  onnx::checker::check_model(model);
  return file;
}

/// Answers of compiled networks on the CPU.
Inputs answers_of(const fs::path& folder, const Inputs& inputs) {
  HostNetwork network(folder);
  Inputs answers;
  for (const std::vector<float>& input : inputs) {
    answers.push_back(network.run({{"", {}, input}}).outputs.at(0).data);
  }
  return answers;
}

/// Compiles networks and answers the same inputs with each.
std::vector<Inputs> answers_of_all(const std::vector<fs::path>& networks, const Inputs& inputs) {
  std::vector<CompileJob> jobs;
  for (const fs::path& network : networks) {
    jobs.push_back({network, kWork / network.stem(), "cpu"});
  }
  EXPECT_EQ(compile_networks(jobs), std::vector<std::string>(jobs.size(), ""));
  std::vector<Inputs> answers;
  for (const CompileJob& job : jobs) {
    answers.push_back(answers_of(job.folder, inputs));
  }
  return answers;
}

std::size_t largest(const std::vector<float>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

class QuantizedNetworks : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kShared / "networks")) {
      GTEST_SKIP() << "nothing to test here: " << kShared / "networks"
                   << " is not present";
    }
    fs::remove_all(kWork);
  }
  void TearDown() override { HasFailure() ? void() : void(fs::remove_all(kWork)); }

  static fs::path float_network(const std::string& name) { return kShared / "networks" / (name + "_float.onnx"); }
};

/// \param first  Number of the picture that is answered first.
std::size_t count_known(std::span<const std::vector<float>> answers, std::size_t first) {
  const std::string labels = read_bytes(kShared / "data/cifar10_test932_labels.u8");
  std::size_t known = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    known += largest(answers[i]) == static_cast<std::size_t>(labels[first + i]) ? 1 : 0;
  }
  return known;
}

TEST_F(QuantizedNetworks, LoseFewPictures) {
  struct Form {
    const char *name, *options;
    double points;  ///< That it may know less of.
  };
  const std::vector<Form> forms{{"any_per_channel", "--per-channel", 0.5},
                                {"any", "", 1.5},
                                {"any_int8", "--per-channel --activations int8", 0.5},
                                {"power2", "--scales power2", 1.5},
                                {"power2_per_channel", "--scales power2 --per-channel", 1.5}};
  const fs::path data = write_inputs(pictures(0, kCalibrated), "pictures.f32");
  std::vector<fs::path> networks{float_network("resnet8")};
  for (const Form& form : forms) {
    networks.push_back(quantize(float_network("resnet8"), data, form.options, form.name));
  }
  const std::vector<Inputs> answers = answers_of_all(networks, pictures(0, kPictures));
  const double count = kPictures - kCalibrated;
  const auto known_of_others = [](const Inputs& all) {
    return static_cast<double>(count_known(std::span(all).subspan(kCalibrated), kCalibrated));
  };
  const double known = known_of_others(answers[0]);
  std::printf("resnet8, %g pictures (all %zu): float %g known (%zu)", count, kPictures, known,
              count_known(answers[0], 0));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const double here = known_of_others(answers[i + 1]);
    std::printf(", %s %g (%zu)", forms[i].name, here, count_known(answers[i + 1], 0));
    EXPECT_LE((known - here) / count * 100, forms[i].points) << forms[i].name;
  }
  std::printf("\n");
}

/// CIFAR-10's 932 pictures as models/ takes them.
Inputs normalized_pictures() {
  constexpr float kMean[]{0.4914F, 0.4822F, 0.4465F}, kDeviation[]{0.247F, 0.243F, 0.261F};
  Inputs inputs = pictures(0, kPictures);
  for (std::vector<float>& input : inputs) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i] = (input[i] / 255 - kMean[i / kPlaneBytes]) / kDeviation[i / kPlaneBytes];
    }
  }
  return inputs;
}

/// Of models/, and how many of the 932 pictures its card says it knows.
TEST_F(QuantizedNetworks, OfOursKnowAsManyPicturesAsTheirCardSays) {
  const std::vector<std::pair<fs::path, std::size_t>> networks{{"models/resnet8_cifar10.onnx", 789},
                                                               {"models/resnet8_cifar10_power2.onnx", 789},
                                                               {"models/mobilenet_v2_cifar10.onnx", 797},
                                                               {"models/mobilenet_v2_cifar10_power2.onnx", 798}};
  std::vector<fs::path> files;
  for (const auto& [file, known] : networks) {
    files.push_back(file);
  }
  const std::vector<Inputs> answers = answers_of_all(files, normalized_pictures());
  for (std::size_t i = 0; i < networks.size(); ++i) {
    EXPECT_EQ(count_known(answers[i], 0), networks[i].second) << files[i];
  }
}

/// The commands of the card.
TEST(OurNetworks, AreWhatQuantizingTheirFloatFormsGives) {
  for (const std::string name : {"resnet8", "mobilenet_v2"}) {
    for (const auto& [form, options] : {std::pair("", "--per-channel"), std::pair("_power2", "--scales power2")}) {
      const std::string network = "models/" + name + "_cifar10";
      const fs::path made = quantize(network + "_float.onnx", "models/samples", options, name + form);
      EXPECT_TRUE(read_bytes(made) == read_bytes(network + form + ".onnx")) << network << form;
    }
  }
}

/// Of a network on inputs that nobody labelled.
struct Drawn {
  const char* name;
  Inputs (*inputs)(std::size_t first, std::size_t end);
};
void PrintTo(const Drawn& drawn, std::ostream* out) { *out << drawn.name; }

Inputs spectrograms(std::size_t first, std::size_t end) { return smooth_planes(49, 10, -20, 25, first, end); }
Inputs frames(std::size_t first, std::size_t end) { return smooth_planes(5, 128, -13, 7, first, end); }

constexpr std::size_t kDrawn = 500;

/// How far answers are from the expected ones, beside how far those are from their mean: root mean squares. Says
/// something where all inputs are of one class, too.
double relative_error(const Inputs& expected, const Inputs& actual) {
  double error = 0, spread = 0;
  for (std::size_t k = 0; k < expected[0].size(); ++k) {
    double mean = 0;
    for (const std::vector<float>& answer : expected) {
      mean += double{answer[k]} / static_cast<double>(expected.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      error += std::pow(double{actual[i][k]} - double{expected[i][k]}, 2);
      spread += std::pow(double{expected[i][k]} - mean, 2);
    }
  }
  return std::sqrt(error / spread);
}

class DrawnInputs : public QuantizedNetworks, public testing::WithParamInterface<Drawn> {};

TEST_P(DrawnInputs, KeepTheirClass) {
  const std::string name = GetParam().name;
  const fs::path data = write_inputs(GetParam().inputs(0, kCalibrated), "drawn.f32");
  const Inputs inputs = GetParam().inputs(kCalibrated, kCalibrated + kDrawn);
  const std::vector<std::string> options{"--per-channel", "--scales power2", "--equalize"};
  std::vector<fs::path> networks{float_network(name)};
  for (std::size_t i = 0; i < options.size(); ++i) {
    networks.push_back(quantize(float_network(name), data, options[i], name + std::to_string(i)));
  }
  const std::vector<Inputs> answers = answers_of_all(networks, inputs);
  for (std::size_t form = 1; form < answers.size(); ++form) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      same += largest(answers[0][i]) == largest(answers[form][i]) ? 1 : 0;
    }
    const double error = relative_error(answers[0], answers[form]);
    std::printf("%s %s: %zu of %zu keep their class; outputs are off by %.1f %% of their spread\n", name.c_str(),
                options[form - 1].c_str(), same, inputs.size(), 100 * error);
    EXPECT_LE(error, form == 1 ? 0.15 : 0.3) << options[form - 1];
    EXPECT_GE(static_cast<double>(same), form == 1 ? 0.95 * kDrawn : 0.9 * kDrawn) << options[form - 1];
  }
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, DrawnInputs,
                         testing::Values(Drawn{"ds_cnn", spectrograms}, Drawn{"mobilenet_v1_025", enlarged_pictures}),
                         [](const auto& drawn) { return std::string(drawn.param.name); });

/// Mean squared difference of answers from what was asked.
double reconstruction_error(const Inputs& inputs, const Inputs& answers) {
  double sum = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t k = 0; k < inputs[i].size(); ++k) {
      sum += std::pow(double{answers[i][k]} - double{inputs[i][k]}, 2);
    }
  }
  return sum / static_cast<double>(inputs.size() * inputs[0].size());
}

TEST_F(QuantizedNetworks, ReconstructAsWell) {
  const fs::path data = write_inputs(frames(0, kCalibrated), "frames.f32");
  const Inputs inputs = frames(kCalibrated, kCalibrated + kDrawn);
  const fs::path quantized = quantize(float_network("autoencoder"), data, "--per-channel", "autoencoder_quantized");
  const auto answers = answers_of_all({float_network("autoencoder"), quantized}, inputs);
  const double expected = reconstruction_error(inputs, answers[0]), actual = reconstruction_error(inputs, answers[1]);
  std::printf("autoencoder: reconstruction error %.4f as float, %.4f quantized\n", expected, actual);
  EXPECT_NEAR(actual, expected, 0.02 * expected);
}

/// A form of a network, and inputs for it.
struct AskedNetwork {
  const char *name, *options;
  Inputs (*inputs)(std::size_t first, std::size_t end);
  std::vector<int64_t> shape;
  const char* input;
};
void PrintTo(const AskedNetwork& network, std::ostream* out) { *out << network.name << network.options; }

/// A softmax at the end is float: two libraries' may differ in the last digits. A step of what it reads is 4 % and
/// more.
bool is_same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) { return std::abs(x - y) <= 1e-5F * std::abs(x); });
}

class AskedNetworks : public QuantizedNetworks, public testing::WithParamInterface<AskedNetwork> {};

/// Fovea's answers must be ONNX Runtime's about the network as QLinear operators, where it has nothing to decide; as
/// QDQ it may compute some operators in float. \return of how many inputs it answers the QDQ file the same.
std::size_t expect_onnxruntime_agrees(const fs::path& qdq, const std::string& input_name,
                                      const std::vector<int64_t>& shape, const Inputs& inputs) {
  const fs::path qoperator = kWork / "qoperator.onnx";
  run_foveac("export --qoperator " + qdq.string() + " -o " + qoperator.string());
  std::vector<Question> questions;
  for (const fs::path& form : {qoperator, qdq}) {
    for (const std::vector<float>& input : inputs) {
      const fs::path model = kWork / (std::to_string(questions.size()) + ".onnx");  // Inputs lie beside the model.
      fs::copy_file(form, model, fs::copy_options::overwrite_existing);
      questions.push_back({model, {{input_name, shape, input}}, {}});
    }
  }
  const Inputs answers = answers_of_all({qdq}, inputs)[0];
  const std::vector<Answer> expected = ask_onnxruntime(questions, kWork);
  std::size_t same_qdq = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(expected[i].error + expected[inputs.size() + i].error, "") << qdq;
    if (expected[i].outputs.empty() || expected[inputs.size() + i].outputs.empty()) {
      break;
    }
    EXPECT_TRUE(is_same(answers[i], expected[i].outputs[0].data))
        << qdq << ", input " << i << ": " << testing::PrintToString(answers[i]) << ", ONNX Runtime "
        << testing::PrintToString(expected[i].outputs[0].data);
    same_qdq += is_same(answers[i], expected[inputs.size() + i].outputs[0].data) ? 1 : 0;
  }
  return same_qdq;
}

TEST_P(AskedNetworks, AnswerAsOnnxRuntime) {
  constexpr std::size_t kAsked = 20;
  const fs::path data = write_inputs(GetParam().inputs(0, kCalibrated), "data.f32");
  const fs::path network = quantize(float_network(GetParam().name), data, GetParam().options, "net");
  const Inputs inputs = GetParam().inputs(kCalibrated, kCalibrated + kAsked);
  EXPECT_EQ(expect_onnxruntime_agrees(network, GetParam().input, GetParam().shape, inputs), kAsked);
}

/// A constant of drawn numbers, as the text of a network has it.
std::string drawn_constant(std::mt19937& random, const std::string& name, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  std::string sizes, numbers;
  for (const int64_t size : shape) {
    count *= size;
    sizes += std::to_string(size) + ", ";
  }
  for (int64_t i = 0; i < count; ++i) {
    numbers += (i == 0 ? "" : ", ") + std::to_string((static_cast<double>(random() % 2001) - 1000) / 2500);
  }
  return "  %" + name + " = constant [" + numbers + "] : Tensor[(" +
         sizes.substr(0, sizes.size() - (shape.size() > 1 ? 2 : 1)) + "), float32]\n";
}

/// A branch, two joins, each kind of pool, functions of one number, a softmax. Weights are drawn.
std::string small_network() {
  std::mt19937 random(31);
  const auto constant = [&](const std::string& name, const std::vector<int64_t>& shape) {
    return drawn_constant(random, name, shape);
  };
  return "fn (%x: Tensor[(1, 3, 12, 12), float32] from \"x\") {\n" + constant("w1", {8, 3, 3, 3}) +
         constant("b1", {8}) + constant("w2", {8, 1, 3, 3}) + constant("b2", {8}) + constant("w3", {6, 8, 1, 1}) +
         constant("w4", {14, 14, 3, 3}) + constant("b4", {14}) + constant("w5", {5, 14}) + constant("b5", {5}) + R"(
  %c1 = nn.conv2d(%x, %w1, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1) from "conv1"
  %a1 = nn.bias_add(%c1, %b1, axis=1) from "conv1"
  %r1 = nn.relu(%a1) from "relu1"
  %p1 = nn.max_pool2d(%r1, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "pool1"
  %c2 = nn.conv2d(%p1, %w2, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=8) from "conv2"
  %a2 = nn.bias_add(%c2, %b2, axis=1) from "conv2"
  %r2 = clip(%a2, min=0, max=6) from "relu6"
  %s = add(%r2, %p1) from "sum"
  %c3 = nn.conv2d(%s, %w3, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], groups=1) from "conv3"
  %one = constant 1.25 : Tensor[(), float32]
  %t3 = add(%c3, %one) from "shift"
  %g3 = sigmoid(%t3) from "sigmoid"
  %j = concatenate(%s, %g3, axis=1) from "join"
  %c4 = nn.conv2d(%j, %w4, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1) from "conv4"
  %a4 = nn.bias_add(%c4, %b4, axis=1) from "conv4"
  %t4 = sigmoid(%a4) from "silu"
  %h4 = multiply(%a4, %t4) from "silu"
  %k4 = hard_sigmoid(%h4, alpha=0.2, beta=0.5) from "hard"
  %n4 = multiply(%h4, %k4) from "swish"
  %m4 = multiply(%n4, %j) from "product"
  %v = nn.avg_pool2d(%m4, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0, count_include_pad=0) from "average"
  %v1 = nn.global_avg_pool2d(%v) from "mean"
  %f = reshape(%v1, newshape=[1, 14]) from "flatten"
  %d = nn.dense(%f, %w5) from "fc"
  %y = nn.bias_add(%d, %b5, axis=1) from "fc"
  %z = nn.softmax(%y, axis=1) from "softmax"
  return %z
}
)";
}

/// A block of a transformer on 36 tokens of 12 numbers: attention of 3 heads, normalization, two layers.
std::string small_transformer() {
  std::mt19937 random(32);
  const auto constant = [&](const std::string& name, const std::vector<int64_t>& shape) {
    return drawn_constant(random, name, shape);
  };
  const auto heads = [](const std::string& name, const std::string& axes) {
    return "  %" + name + "c = reshape(%" + name + ", newshape=[1, 36, 3, 4])\n  %" + name + "h = transpose(%" + name +
           "c, axes=" + axes + ")\n";
  };
  return "fn (%x: Tensor[(1, 36, 12), float32] from \"x\") {\n" + constant("wq", {12, 12}) + constant("wk", {12, 12}) +
         constant("wv", {12, 12}) + constant("wo", {12, 12}) + constant("w1", {12, 24}) + constant("b1", {24}) +
         constant("w2", {24, 12}) + constant("b2", {12}) + constant("gamma", {12}) + constant("beta", {12}) + R"(
  %q = matmul(%x, %wq) from "queries"
  %k = matmul(%x, %wk) from "keys"
  %v = matmul(%x, %wv) from "values"
)" + heads("q", "[0, 2, 1, 3]") +
         heads("k", "[0, 2, 3, 1]") + heads("v", "[0, 2, 1, 3]") + R"(
  %half = constant 0.5 : Tensor[(), float32]
  %s = matmul(%qh, %kh) from "scores"
  %t = multiply(%s, %half) from "scaled"
  %p = nn.softmax(%t, axis=3) from "softmax"
  %a = matmul(%p, %vh) from "attention"
  %at = transpose(%a, axes=[0, 2, 1, 3]) from "heads"
  %ar = reshape(%at, newshape=[1, 36, 12]) from "heads"
  %o = matmul(%ar, %wo) from "projection"
  %r = add(%x, %o) from "sum"
  %n = nn.layer_norm(%r, %gamma, %beta, axis=2, epsilon=1e-5) from "norm"
  %f = matmul(%n, %w1) from "fc1"
  %fb = add(%f, %b1) from "fc1_bias"
  %g = hard_swish(%fb) from "swish"
  %e = matmul(%g, %w2) from "fc2"
  %eb = add(%b2, %e) from "fc2_bias"
  %y = add(%r, %eb) from "sum2"
  return %y
}
)";
}

/// Quantizes a network in each form and asks about it. \param name  Of its files.
void expect_onnxruntime_agrees_on_each(const std::string& network, const std::string& name,
                                       const std::vector<int64_t>& shape, const std::vector<std::string>& forms) {
  constexpr std::size_t kAsked = 10;
  fs::remove_all(kWork);
  const Inputs all = smooth_planes(36, 12, 0, 1, 0, kCalibrated + kAsked);
  const fs::path data = write_inputs({all.begin(), all.begin() + kCalibrated}, name + ".f32");
  std::ofstream(kWork / (name + ".txt")) << network;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const fs::path quantized = quantize(kWork / (name + ".txt"), data, forms[i], name + std::to_string(i));
    const std::size_t same = expect_onnxruntime_agrees(quantized, "x", shape, {all.begin() + kCalibrated, all.end()});
    std::printf("%s: as QDQ ONNX Runtime answers %zu of %zu the same\n", forms[i].c_str(), same, kAsked);
  }
  testing::Test::HasFailure() ? void() : void(fs::remove_all(kWork));
}

TEST(SmallNetwork, AnswersAsOnnxRuntimeInEachForm) {
  expect_onnxruntime_agrees_on_each(
      small_network(), "small", {1, 3, 12, 12},
      {"", "--per-channel --quantize-softmax", "--per-channel --activations int8", "--scales power2",
       "--scales power2 --per-channel --activations int8 --quantize-softmax", "--method minmax --no-bias-correction",
       "--method percentile --equalize", "--method best --per-channel", "--keep-float silu"});
}

TEST(SmallTransformer, AnswersAsOnnxRuntimeInEachForm) {
  expect_onnxruntime_agrees_on_each(small_transformer(), "transformer", {1, 36, 12},
                                    {"--quantize-softmax", "--quantize-softmax --per-channel --activations int8"});
}

const std::vector<int64_t> kSpectrogram{1, 1, 49, 10}, kPicture{1, 3, 32, 32}, kLargePicture{1, 3, 96, 96};

INSTANTIATE_TEST_SUITE_P(MlperfTiny, AskedNetworks,
                         testing::Values(AskedNetwork{"ds_cnn", "--per-channel", spectrograms, kSpectrogram, "input"},
                                         AskedNetwork{"ds_cnn", "--scales power2", spectrograms, kSpectrogram, "input"},
                                         AskedNetwork{"mobilenet_v1_025", "--per-channel", enlarged_pictures,
                                                      kLargePicture, "input"},
                                         AskedNetwork{"resnet8", "--per-channel", pictures, kPicture, "input_1"},
                                         AskedNetwork{"resnet8", "--scales power2", pictures, kPicture, "input_1"}),
                         [](const auto& network) {
                           return std::string(network.param.name) +
                                  (network.param.options == std::string("--per-channel") ? "" : "_power2");
                         });

}  // namespace
}  // namespace fovea
