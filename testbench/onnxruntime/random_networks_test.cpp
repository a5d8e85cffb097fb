// SPDX-License-Identifier: Apache-2.0
/// \file
/// Do random networks answer as ONNX Runtime, on the CPU path and on the accelerator, SystemC or RTL? SEED=n CASES=1
/// repeats one network of power-of-two scales, SEED=n CASES=0 ANY_CASES=1 one of any scales.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "bench/number_from_environment.h"
#include "compiled_runs.h"
#include "network_values.h"
#include "network_writer.h"
#include "onnxruntime_oracle.h"
#include "operator_row.h"
#include "random_network.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

const uint64_t kSeed = number_from_environment("SEED", 2024);
const uint64_t kCases = number_from_environment("CASES", 200);
const uint64_t kAnyCases = number_from_environment("ANY_CASES", kCases / 2);

/// Networks that run on the RTL too, the first ones.
const uint64_t kRtlCases = number_from_environment("RTL_CASES", (kCases + 9) / 10);

/// Failing networks that are cut down; the others are only kept.
constexpr int kShrunkNetworks = 3;

/// A network, and what ONNX Runtime says of it.
struct Case {
  std::string repeated_by;
  fs::path folder;  ///< Of its files; gone when the test ends, unless the network failed.
  DrawnNetwork network;
  std::vector<NamedTensor> inputs;
  Answer expected;
};

fs::path model_file(const fs::path& folder) { return folder / "qdq.onnx"; }

/// What the formulas say of a network.
std::vector<NamedTensor> evaluated_outputs(const DrawnNetwork& network) {
  const Values values = evaluate_network(network);
  std::vector<NamedTensor> outputs;
  for (const ValueId id : network.outputs) {
    const DrawnNode& node = network.nodes[id];
    outputs.push_back({float_name(node), node.shape, dequantize_bytes(values[id], node.quant)});
  }
  return outputs;
}

/// Inputs, and the outputs that are right, beside a network that is kept.
void write_tensors(const DrawnNetwork& network, const fs::path& folder) {
  for (const NamedTensor& input : inputs_of(network)) {
    write_tensor(input, folder / (input.name + ".f32"));
  }
  for (const NamedTensor& output : evaluated_outputs(network)) {
    write_tensor(output, folder / (output.name + ".expected.f32"));
  }
}

/// The first output that is not bit for bit the expected one, in words; empty where all are.
std::string difference(const std::vector<NamedTensor>& actual, const std::vector<NamedTensor>& expected) {
  if (actual.size() != expected.size()) {
    return std::to_string(actual.size()) + " outputs, not " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const std::vector<float>&a = actual[i].data, &e = expected[i].data;
    const std::string name = "output " + expected[i].name + ": ";
    if (!actual[i].name.empty() && actual[i].name != expected[i].name) {
      return name + "is called " + actual[i].name;
    }
    if (a.size() != e.size()) {
      return name + std::to_string(a.size()) + " elements, not " + std::to_string(e.size());
    }
    const auto is_same = [](float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    std::size_t wrong = 0, first = 0;
    for (std::size_t k = a.size(); k-- > 0;) {
      if (!is_same(a[k], e[k])) {
        ++wrong;
        first = k;
      }
    }
    if (wrong != 0) {
      return name + std::to_string(wrong) + " of " + std::to_string(a.size()) +
             " elements differ, the first is element " + std::to_string(first) + ": " + std::to_string(a[first]) +
             ", not " + std::to_string(e[first]);
    }
  }
  return "";
}

/// Where a network runs, and what it is compiled for.
struct Place {
  const char* name;
  const char* target;
  uint64_t most_cases = UINT64_MAX;
};

/// Draws the networks and asks ONNX Runtime about all of them at once; afterwards removes what did not fail.
class AskedNetworks : public testing::Environment {
 public:
  void SetUp() override {
    const fs::path all = WORK_FOLDER;
    fs::remove_all(all);
    for (uint64_t i = 0; i < kCases; ++i) {
      const std::string seed = std::to_string(kSeed + i);
      add("SEED=" + seed + " CASES=1", all / seed, draw_network(kSeed + i));
    }
    for (uint64_t i = 0; i < kAnyCases; ++i) {
      const std::string seed = std::to_string(kSeed + i);
      add("SEED=" + seed + " CASES=0 ANY_CASES=1", all / ("any_" + seed), draw_network(kSeed + i, DrawnScales::kAny));
    }
    for (const DrawnNetwork& network : edge_networks()) {
      const std::string name = "edge_" + std::to_string(cases.size() - kCases - kAnyCases);
      add("CASES=0, " + name, all / name, network);
    }
    add("CASES=0, shuffle_unit", all / "shuffle_unit", shuffle_unit());
    std::vector<Question> questions;
    for (const Case& test : cases) {
      questions.push_back({test.folder / "qoperator.onnx", test.inputs, {}});
    }
    std::vector<Answer> answers = ask_onnxruntime(questions, all);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      cases[i].expected = std::move(answers[i]);
    }
  }

  void TearDown() override {
    for (const Case& test : cases) {
      if (!failed.contains(test.folder)) {
        fs::remove_all(test.folder);
      }
    }
  }

  std::vector<Case> cases;
  std::set<fs::path> failed;

 private:
  void add(std::string repeated_by, const fs::path& folder, DrawnNetwork network) {
    fs::create_directories(folder);
    write_network(network, NetworkForm::kQdq, model_file(folder));
    write_network(network, NetworkForm::kQOperator, folder / "qoperator.onnx");
    std::vector<NamedTensor> inputs = inputs_of(network);
    cases.push_back({std::move(repeated_by), folder, std::move(network), std::move(inputs), {}});
  }
};

AskedNetworks& asked = *static_cast<AskedNetworks*>(testing::AddGlobalTestEnvironment(new AskedNetworks));

class RandomNetworks : public testing::TestWithParam<Place> {
 protected:
  /// Compiles for one place, runs, compares. \return what is wrong; empty where nothing is.
  std::string fault(const fs::path& folder, const std::string& refusal, const std::vector<NamedTensor>& inputs,
                    const std::vector<NamedTensor>& expected) {
    if (!refusal.empty()) {
      return "not compiled: " + refusal;
    }
    try {
      // Looked for where a network ends the whole test.
      std::ofstream(fs::path(WORK_FOLDER) / "running.txt") << folder.string() << "\n";
      const RunResult result = run_network(GetParam().name, folder / GetParam().name, inputs);
      device_layers_ += result.device_layers;
      return difference(result.outputs, expected);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  CompileJob job(const fs::path& folder) const {
    return {model_file(folder), folder / GetParam().name, GetParam().target};
  }

  /// The smallest network that fails as `test` does, kept in the folder "shrunk" in it.
  std::string shrink_case(const Case& test) {
    const fs::path folder = test.folder / "shrunk";
    fs::create_directories(folder);
    const auto fault_of = [&](const DrawnNetwork& network) {
      write_network(network, NetworkForm::kQdq, model_file(folder));
      return fault(folder, compile_networks({job(folder)})[0], inputs_of(network), evaluated_outputs(network));
    };
    const DrawnNetwork smallest = shrink(test.network, [&](const DrawnNetwork& n) { return !fault_of(n).empty(); });
    const std::string found = fault_of(smallest);
    write_tensors(smallest, folder);
    return found + "\n" + describe(smallest);
  }

  std::size_t device_layers_ = 0;
};

TEST(DrawnNetworks, AreOfEveryKindAndAlive) {
  std::map<std::string, std::size_t> counts;
  std::size_t values = 0, alive = 0, inputs = 0, outputs = 0;
  for (const Case& test : asked.cases) {
    const Values evaluated = evaluate_network(test.network);
    for (ValueId id = 0; id < evaluated.size(); ++id) {
      const DrawnNode& node = test.network.nodes[id];
      const std::size_t inside =
          static_cast<std::size_t>(std::count_if(evaluated[id].begin(), evaluated[id].end(), [&](uint8_t x) {
            return x != 0 && x != 255 && x != node.quant.zero_point;
          }));
      ++counts[node.row->name];
      ++values;
      alive += inside * 4 >= evaluated[id].size() ? 1 : 0;
    }
    inputs += test.inputs.size();
    outputs += test.network.outputs.size();
  }
  std::printf("SEED=%llu: %zu networks, %zu inputs, %zu outputs;", static_cast<unsigned long long>(kSeed),
              asked.cases.size(), inputs, outputs);
  for (const auto& [name, count] : counts) {
    std::printf(" %s %zu", name.c_str(), count);
  }
  std::printf("; %zu of %zu values alive\n", alive, values);
  if (kCases >= 100) {
    EXPECT_GT(alive * 10, values * 9) << "values of which a quarter neither saturates nor is the zero point";
    EXPECT_GT(outputs, asked.cases.size() * 3 / 2);
    EXPECT_GT(inputs, asked.cases.size() * 5 / 4);
    for (const OperatorRow* row : drawn_rows()) {
      EXPECT_GE(counts[row->name], asked.cases.size() / 10) << row->name;
    }
  }
}

TEST(DrawnNetworks, FormulasAnswerAsOnnxRuntime) {
  for (const Case& test : asked.cases) {
    EXPECT_EQ(test.expected.error, "") << test.folder;
    const std::string found = difference(evaluated_outputs(test.network), test.expected.outputs);
    if (!found.empty()) {
      asked.failed.insert(test.folder);
      ADD_FAILURE() << test.repeated_by << ": " << found << "\n" << describe(test.network);
    }
  }
}

/// Files of a form of a network, all under one name.
CompileJob form_job(const fs::path& folder, NetworkForm form, const char* target) {
  const fs::path place = folder / ("form_" + std::to_string(static_cast<int>(form)));
  return {place / model_file(folder).filename(), place / target, target};
}

/// foveac takes networks as ONNX Runtime is asked about them too, and int8 activations; operators are called the same.
TEST(NetworkForms, CompileToTheSame) {
  std::vector<CompileJob> jobs;
  for (std::size_t i = 0; i < asked.cases.size(); ++i) {
    const char* target = i % 10 == 0 ? "dla" : "cpu";  // The search for mappings takes long.
    for (const NetworkForm form :
         {NetworkForm::kQdq, NetworkForm::kQOperator, NetworkForm::kQdqInt8, NetworkForm::kQOperatorInt8}) {
      jobs.push_back(form_job(asked.cases[i].folder, form, target));
      fs::create_directories(jobs.back().model.parent_path());
      write_network(asked.cases[i].network, form, jobs.back().model);
    }
  }
  const std::vector<std::string> refusals = emit_networks(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Case& test = asked.cases[i / 4];
    const fs::path &first = jobs[i / 4 * 4].folder, &other = jobs[i].folder;
    std::string found = refusals[i];
    for (const char* file : {"model.c", "weight.bin"}) {
      if (found.empty() && read_but_names(first / file) != read_but_names(other / file)) {
        found = (other / file).string() + " differs from " + (first / file).string();
      }
    }
    if (!found.empty()) {
      asked.failed.insert(test.folder);
      ADD_FAILURE() << test.repeated_by << ": " << found;
    }
    EXPECT_FALSE(found.empty() && read_but_names(other / "model.c").empty()) << other;
  }
}

TEST_P(RandomNetworks, AnswerAsOnnxRuntime) {
  const std::size_t count = std::min<std::size_t>(GetParam().most_cases, asked.cases.size());
  std::vector<CompileJob> jobs;
  for (std::size_t i = 0; i < count; ++i) {
    jobs.push_back(job(asked.cases[i].folder));
  }
  const std::vector<std::string> refusals = compile_networks(jobs);
  std::size_t elements = 0, shrunk = 0, faults = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Case& test = asked.cases[i];
    for (const NamedTensor& output : test.expected.outputs) {
      elements += output.data.size();
    }
    const std::string found = fault(test.folder, refusals[i], test.inputs, test.expected.outputs);
    if (!found.empty()) {
      ++faults;
      asked.failed.insert(test.folder);
      write_tensors(test.network, test.folder);
      ADD_FAILURE() << test.repeated_by << ": " << found << "\nkept in " << test.folder
                    << (shrunk++ < kShrunkNetworks ? "; shrunk: " + shrink_case(test) : "");
    }
  }
  std::printf("%s: %zu networks, %zu differ; %zu elements, %zu layers on the device\n", GetParam().name, count, faults,
              elements, device_layers_);
  const bool has_device = std::string(GetParam().name) != "host";
  if (kCases >= 10) {
    EXPECT_EQ(has_device, device_layers_ > std::min<uint64_t>(kCases, count));
  }
}

INSTANTIATE_TEST_SUITE_P(Places, RandomNetworks,
                         testing::Values(Place{"host", "cpu"}, Place{"systemc", "dla"}, Place{"rtl", "dla", kRtlCases}),
                         [](const auto& place) { return place.param.name; });

}  // namespace
}  // namespace fovea
