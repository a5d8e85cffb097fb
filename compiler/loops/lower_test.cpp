// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every operator that has a definition, on random shapes: its value, its nest run by the interpreter, and the C of its
/// nest, built and called. SEED=n draws others.
#include "lower.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "c_nest.h"
#include "drawn_steps.h"
#include "interpret.h"
#include "intrinsic.h"
#include "nest_text.h"
#include "schedule.h"
#include "schedule_trace.h"
#include "tensor/error.h"
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
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("fovea_nests_" + std::to_string(getpid()) + "_" + std::to_string(count_++))) {
    std::filesystem::create_directories(folder_);
    std::ofstream source(folder_ / "nests.c");
    source << "#include \"dla_widest_vectors.h\"\n#include \"spec/dla_real.h\"\n#include \"spec/dla_requant.h\"\n";
    for (const Lowered& each : all) {
      source << c_intrinsics(each.nest) << vectors_of(each.nest) << c_function(each.nest, each.nest.name) << "void run_"
             << each.nest.name << "(const void *const *x, void *y);\nvoid run_" << each.nest.name
             << "(const void *const *x, void *y) { " << each.nest.name << call_of(each.nest) << "; }\n";
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

  /// A number of the library.
  int number(const char* name) const { return *static_cast<const int*>(dlsym(library_, name)); }

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
  static inline int count_ = 0;  ///< Libraries stay, so that each has a name of its own.
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

/// A file of C in a test's folder.
std::string written(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file.string();
}

/// Adds up products of a tile; `turned` has its second matrix the other way round.
std::string tile_products(bool is_turned) {
  const std::string b = is_turned ? "b[j, k]" : "b[k, j]", size = is_turned ? "[4, 5]" : "[5, 4]";
  return "/* nest tile_products(a: input f64[3, 5], b: input f64" + size +
         ", c: register f64[3, 4]) {\n for k in 5 { for i in 3 { for j in 4 {\n"
         " c[i, j] = (c[i, j] + (a[i, k] * " +
         b + "))\n } } } } */\n" + R"(int calls;
static void tile_products(const double *a, int32_t a_0, int32_t a_1, const double *b, int32_t b_0, int32_t b_1,
                          double *c, int32_t c_0, int32_t c_1) {
  ++calls;
  for (int k = 0; k < 5; ++k) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) {
        c[i * c_0 + j * c_1] += a[i * a_0 + k * a_1] * b[)" +
         (is_turned ? "j * b_0 + k * b_1" : "k * b_0 + j * b_1") + "];\n      }\n    }\n  }\n}\n";
}

TEST(Lower, UnitsAreCallsOfTheirFunctions) {
  const std::string file = written("tile_products.c", tile_products(false));
  const std::vector<std::string> trace{"tile i2 4",
                                       "tile i1 3",
                                       "reorder i2 i1_in",
                                       "cache_converted x0 i1",
                                       "cache_converted x1 i0",
                                       "decompose_reduction k0 i1_in",
                                       "reorder k0 i1_in i2_in",
                                       "tensorize k0 tile_products"};
  CallDrawing drawing(drawing_seed());
  DrawnCall drawn;
  drawn.call.op = find_operator("matmul");
  drawn.inputs = {drawing.tensor({2, 6, 5}), drawing.tensor({2, 5, 8})};
  const TensorType type{{2, 6, 8}, ElementType::kFloat32};
  Nest nest = lower("product", *definition_of(drawn.call, drawn.types()), {"x0", "x1"}, type);
  nest.intrinsics = read_intrinsics({file});
  const Tensor expected = interpret(nest, drawn.pointers(), type);
  const Lowered product{drawn, expected, apply_trace(nest, trace)};
  EXPECT_NE(to_text(product.nest).find("unit tile_products {"), std::string::npos) << to_text(product.nest);
  EXPECT_EQ(to_text(parse_nest(to_text(product.nest), "nest")), to_text(product.nest));
  EXPECT_EQ(interpret(product.nest, product.drawn.pointers(), type), expected);
  const BuiltNests built({product});
  ASSERT_TRUE(built.is_built());
  EXPECT_EQ(built.run(product), expected);
  EXPECT_EQ(built.number("calls"), 8) << "tiles";
  // What is done with it afterwards leaves it whole.
  StepDrawing steps(drawing_seed());
  for (int i = 0; i < 100; ++i) {
    Nest changed = product.nest;
    for (int step = 0; step < 5; ++step) {
      changed = steps.draw(changed);
    }
    ASSERT_EQ(interpret(changed, product.drawn.pointers(), type), expected) << to_text(changed);
  }
}

auto says(const std::string& problem) {
  return ::testing::Throws<UserError>(::testing::Property(&UserError::what, ::testing::HasSubstr(problem)));
}

TEST(Lower, SaysWhatNoFunctionComputes) {
  const std::string file = written("tile_products.c", tile_products(false));
  const std::string turned = written("turned_products.c", tile_products(true));
  const Nest nest =
      parse_nest(R"(nest n(a: input f64[3, 5], b: input f64[5, 4], d: input f64[4, 5], y: output f64[3, 4],
      c: register f64[3, 4], s: register f64) {
    for i in 3 { for j in 4 { c[i, j] = 0.0 } }
    for k in 5 { for l in 3 { for m in 4 { c[l, m] = (c[l, m] + (a[l, k] * b[k, m])) } } }
    for p in 5 { for q in 3 { for r in 4 { c[q, r] = (c[q, r] + (a[q, p] * d[r, p])) } } }
    for o in 3 { for x in 4 { s = c[o, x] y[o, x] = s } } })",
                 "n");
  const auto problem = [&](const std::string& loop, const std::string& function) -> std::string {
    try {
      Nest given = nest;
      given.intrinsics = read_intrinsics({function});
      tensorize(given, loop, given.intrinsics.front()->nest.name);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("k", file), "");
  EXPECT_EQ(problem("p", turned), "");
  EXPECT_EQ(problem("p", file), "") << "b is d with other strides";
  EXPECT_EQ(problem("l", file), "nest n: tensorize l by tile_products: l has 3 turns, and its k 5");
  EXPECT_EQ(problem("i", file), "nest n: tensorize i by tile_products: i has 3 turns, and its k 5");
  const std::string add = written("add.c",
                                  "/* nest add(x: input f64[3, 4], y: output f64[3, 4]) { for i in 3 { for j in 4 { "
                                  "y[i, j] = (x[i, j] + 1.0) } } } */");
  EXPECT_EQ(problem("i", add), "nest n: tensorize i by add: it computes something else");
  const std::string copy =
      written("copy.c",
              "/* nest copy(x: input f64[3, 4], y: output f64[3, 4], t: register f64) { for i in 3 "
              "{ for j in 4 { t = x[i, j] y[i, j] = t } } } */");
  EXPECT_EQ(problem("o", copy), "");
  const std::string skewed =
      written("skewed.c",
              "/* nest skewed(x: input f64[6], y: output f64[3, 4], t: register f64) { for i in 3 "
              "{ for j in 4 { t = x[(i + j)] y[i, j] = t } } } */");
  EXPECT_EQ(problem("o", skewed), "nest n: tensorize o by skewed: elements of c lie otherwise than those of its x");
  EXPECT_EQ(problem("k", "nowhere.c"), "nowhere.c: there is no such file, or nothing in it");
  const std::string empty = written("empty.c", "int x;");
  EXPECT_EQ(problem("k", empty), empty + ": no comment /* nest NAME(...) { ... } */ says what its function computes");
  Nest given = nest;
  EXPECT_THAT([&] { tensorize(given, "k", "array"); }, says("the accelerator's array takes whole layers"));
  EXPECT_THAT([&] { apply_step(given, "tensorize k products"); },
              says("tensorize k by products: no file of C is given that has this function (--intrinsic FILE)"));
  given.intrinsics = read_intrinsics({file});
  EXPECT_THAT([&] { apply_step(given, "tensorize k products"); }, says("(--intrinsic FILE); there are tile_products"));
  EXPECT_THROW(apply_step(apply_step(given, "tensorize k tile_products"), "tile l 2"), UserError)
      << "it is in the unit";
  EXPECT_THAT([&] { read_intrinsics({file, file}); }, says("another file has a function tile_products too"));
}

}  // namespace
}  // namespace fovea
