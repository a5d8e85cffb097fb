// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every operator that has a definition, on random shapes: its value, its nest run by the interpreter, and the C of its
/// nest, built and called. SEED=n draws others.
#include "lower.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "c_nest.h"
#include "drawn_steps.h"
#include "interpret.h"
#include "nest_text.h"
#include "verify_nest.h"

namespace fovea {
namespace {

constexpr int kCallsAnOperator = 12;

struct Lowered {
  DrawnCall drawn;
  Tensor expected;  ///< By its definition.
  Nest nest;
};

std::vector<std::string> input_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("x" + std::to_string(i));
  }
  return names;
}

std::vector<Lowered> lower_all() {
  CallDrawing drawing(drawing_seed());
  std::vector<Lowered> all;
  for (const Operator& op : operators()) {
    for (int i = 0; i < kCallsAnOperator; ++i) {
      DrawnCall drawn = drawing.draw(op);
      if (drawn.call.op == nullptr) {
        continue;
      }
      const auto definition = definition_of(drawn.call, drawn.types());
      Tensor expected = op.evaluate(drawn.call, drawn.pointers());
      Nest nest =
          lower("call_" + std::to_string(all.size()), *definition, input_names(drawn.inputs.size()), expected.type());
      all.push_back({std::move(drawn), std::move(expected), std::move(nest)});
    }
  }
  return all;
}

/// Whether float32 computed step by step may be so far from one rounding of the real number.
bool is_close(const Tensor& a, const Tensor& b) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(a.type().shape)); ++i) {
    const double x = a.at(i), y = b.at(i);
    const bool is_float = a.type().element == ElementType::kFloat32;
    if (!(is_float ? std::abs(x - y) <= 2e-6 * std::max(1.0, std::abs(x)) || (std::isnan(x) && std::isnan(y)) || x == y
                   : a.integer_at(i) == b.integer_at(i))) {
      return false;
    }
  }
  return a.type() == b.type();
}

TEST(Lower, NestsComputeWhatDefinitionsSay) {
  RecordProperty("seed", std::to_string(drawing_seed()));
  for (const Lowered& each : lower_all()) {
    SCOPED_TRACE(each.drawn.call.op->name + ", SEED=" + std::to_string(drawing_seed()) + "\n" + to_text(each.nest));
    ASSERT_NO_THROW(verify_nest(each.nest));
    ASSERT_TRUE(is_close(each.expected, interpret(each.nest, each.drawn.pointers(), each.expected.type())));
  }
}

TEST(Lower, TextIsReadAsTheSameNest) {
  for (const Lowered& each : lower_all()) {
    const std::string text = to_text(each.nest);
    const Nest parsed = parse_nest(text, "nest");
    ASSERT_EQ(to_text(parsed), text);
    ASSERT_NO_THROW(verify_nest(parsed)) << text;
    ASSERT_EQ(interpret(parsed, each.drawn.pointers(), each.expected.type()),
              interpret(each.nest, each.drawn.pointers(), each.expected.type()))
        << text;
  }
}

/// Functions and a product in a row, as one definition: as one after another.
TEST(Lower, OperatorsInARowAreOneNest) {
  CallDrawing drawing(drawing_seed());
  std::vector<const Operator*> functions;
  for (const Operator& op : operators()) {
    if (op.unary != nullptr && op.name != "log" && op.name != "sqrt" && op.name != "reciprocal" && op.name != "exp") {
      functions.push_back(&op);
    }
  }
  for (int round = 0; round < 40; ++round) {
    Tensor value = drawing.tensor(drawing.shape(3));
    const Tensor x = value, factors = drawing.tensor({value.type().shape[1], 1});
    std::optional<Definition> all;
    const auto add = [&](const Node& call, const std::vector<const Tensor*>& inputs) {
      std::vector<TensorType> types;
      for (const Tensor* input : inputs) {
        types.push_back(input->type());
      }
      value = call.op->evaluate(call, inputs);
      const Definition own = *definition_of(call, types);
      all = all ? composed(own, 0, *all) : own;
    };
    std::string names;
    for (int i = 0; i < 3; ++i) {
      const DrawnCall drawn = drawing.draw(
          *functions[static_cast<std::size_t>(drawing.between(0, static_cast<int64_t>(functions.size()) - 1))]);
      names += drawn.call.op->name + " ";
      const Tensor before = value;
      add(drawn.call, {&before});
      if (i == 1) {
        Node product;
        product.op = find_operator("multiply");
        const Tensor factor = value;
        add(product, {&factor, &factors});
      }
    }
    const Nest nest = lower("row", *all, {"x", "factors"}, value.type());
    SCOPED_TRACE(names + "SEED=" + std::to_string(drawing_seed()) + "\n" + to_text(nest));
    ASSERT_NO_THROW(verify_nest(nest));
    const bool has_steps = names.find("round") != std::string::npos || names.find("ceil") != std::string::npos ||
                           names.find("floor") != std::string::npos || names.find("thresh") != std::string::npos;
    if (!has_steps) {  // Where a last digit decides, both are right.
      EXPECT_TRUE(is_close(value, interpret(nest, {&x, &factors}, value.type())));
    }
  }
}

/// "(x[0], x[1], y)" with the types that the function takes.
std::string call_of(const Nest& nest) {
  std::string text = "(";
  int inputs = 0;
  for (const NestBuffer& buffer : nest.buffers) {
    if (buffer.scope != MemoryScope::kRegister) {
      text += buffer.scope == MemoryScope::kInput ? "x[" + std::to_string(inputs++) + "], " : "y)";
    }
  }
  return text;
}

class BuiltNests {
 public:
  explicit BuiltNests(const std::vector<Lowered>& all)
      : folder_(std::filesystem::path(::testing::TempDir()) / ("fovea_nests_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream source(folder_ / "nests.c");
    source << "#include \"dla_widest_vectors.h\"\n#include \"spec/dla_real.h\"\n#include \"spec/dla_requant.h\"\n";
    for (const Lowered& each : all) {
      source << vectors_of(each.nest) << c_function(each.nest, each.nest.name) << "void run_" << each.nest.name
             << "(const void *const *x, void *y);\nvoid run_" << each.nest.name << "(const void *const *x, void *y) { "
             << each.nest.name << call_of(each.nest) << "; }\n";
    }
    source.close();
    const std::string command =
        "cc -std=c11 -O1 -fexpensive-optimizations -march=native -Wall -Wextra -Werror -ffreestanding -fopenmp -fPIC "
        "-shared "
        "-Isim -Idriver/runtime " +
        (folder_ / "nests.c").string() + " -o " + (folder_ / "nests.so").string();
    is_built_ = std::system(command.c_str()) == 0;
    // Threads wait without using up the processor, and in code that stays.
    setenv("OMP_NUM_THREADS", "3", 0);
    setenv("OMP_WAIT_POLICY", "passive", 0);
    library_ = is_built_ ? dlopen((folder_ / "nests.so").c_str(), RTLD_NOW | RTLD_NODELETE) : nullptr;
  }
  BuiltNests(const BuiltNests&) = delete;
  BuiltNests& operator=(const BuiltNests&) = delete;
  ~BuiltNests() {
    if (library_ != nullptr) {
      dlclose(library_);
    }
    std::filesystem::remove_all(folder_);
  }

  bool is_built() const { return library_ != nullptr; }

  Tensor run(const Lowered& each) const {
    using Function = void (*)(const void* const*, void*);
    const auto function = reinterpret_cast<Function>(dlsym(library_, ("run_" + each.nest.name).c_str()));
    std::vector<const void*> inputs;
    for (const Tensor& input : each.drawn.inputs) {
      inputs.push_back(input.bytes().data());
    }
    Tensor result(each.expected.type());
    function(inputs.data(), result.bytes().data());
    return result;
  }

 private:
  std::filesystem::path folder_;
  bool is_built_ = false;
  void* library_ = nullptr;
};

TEST(Lower, ProductsAndSumsAreFusedWhereThatIsTheSame) {
  const auto vectors = [](const std::string& stored, const std::string& value, const std::string& size = "8") {
    return vectors_of(parse_nest("nest n(x: input f32[80], y: output f32[80], c: register f64[" + size +
                                     "]) { for i in 8 { c[i] = " + stored +
                                     " } for j in 8 vector { y[j] = f32((1.0 + " + value + ")) } }",
                                 "nest"));
  };
  EXPECT_EQ(vectors("f64(x[i])", "(c[j] * c[j])", "80"), "DLA_EXACT_PRODUCTS ");
  EXPECT_EQ(vectors("f64(x[i])", "(c[j] * f64(x[j]))"), "DLA_EXACT_PRODUCTS ");
  EXPECT_EQ(vectors("(f64(x[i]) / 3.0)", "c[j]"), "DLA_EXACT_PRODUCTS ");
  EXPECT_EQ(vectors("(f64(x[i]) / 3.0)", "c[j]", "80"), "DLA_WIDEST_VECTORS ") << "a long sum";
  EXPECT_EQ(vectors("(f64(x[i]) / 3.0)", "(c[j] * c[j])"), "");
  EXPECT_EQ(vectors("f64(x[i])", "((c[j] * c[j]) * c[j])"), "");
  EXPECT_EQ(vectors("f64(x[i])", "(c[j] * 0.1)"), "");
}

/// Nests as they are, and each other one with steps of a schedule, for this processor: with fused products where it has
/// them, and threads.
TEST(Lower, CComputesWhatTheInterpreterDoes) {
  std::vector<Lowered> all = lower_all();
  StepDrawing steps(drawing_seed());
  for (std::size_t i = 0; i < all.size(); i += 2) {
    for (int step = 0; step < 4; ++step) {
      all[i].nest = steps.draw(all[i].nest);
    }
  }
  EXPECT_GT(steps.taken["parallel"], 20);
  const BuiltNests built(all);
  ASSERT_TRUE(built.is_built());
  for (const Lowered& each : all) {
    ASSERT_EQ(built.run(each), interpret(each.nest, each.drawn.pointers(), each.expected.type()))
        << each.drawn.call.op->name << ", SEED=" << drawing_seed() << "\n"
        << c_function(each.nest, each.nest.name);
  }
}

}  // namespace
}  // namespace fovea
