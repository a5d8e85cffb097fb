// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints nests as C.
#include "c_nest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string_view>

#include "dependence.h"
#include "interval.h"
#include "intrinsic.h"
#include "nest_edit.h"
#include "tensor/error.h"

namespace fovea {
namespace {

std::string_view c_type(StoredType type) {
  constexpr std::array<std::string_view, 7> kNames{"uint8_t", "int8_t", "int32_t", "int64_t",
                                                   "float",   "double", "uint8_t"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string c_real(double number, bool is_float32) {
  if (std::isnan(number)) {
    return "DLA_NOT_A_NUMBER";
  }
  if (std::isinf(number)) {
    return number < 0 ? "-DLA_INFINITY" : "DLA_INFINITY";
  }
  std::ostringstream text;
  text << std::hexfloat << number;
  const bool is_short = number == std::floor(number) && std::abs(number) < 1e6;
  std::string digits = is_short ? std::to_string(static_cast<int64_t>(number)) + ".0" : text.str();
  if (number == 0) {
    digits = std::signbit(number) ? "-0.0" : "0.0";
  }
  return digits + (is_float32 ? "f" : "");
}

/// Elements of an array that a compiler keeps in registers. It is told of larger ones that no other pointer leads
/// there: else it stores the sums of these each time that it reads a larger array of their type.
constexpr int64_t kMostSums = 64;

/// Of arrays: of small ones in some nests gcc 12.2 stores vectors where the stack is not aligned; told, it aligns it.
constexpr const char* kAligned = "_Alignas(64) ";

/// Turns of a vector's loop are so many, or a multiple, where compilers make vectors of it; the rest is a loop after
/// it.
constexpr int64_t kLanes = 8;

/// What dla_round_f32() takes.
constexpr double kMostRoundedBound = 4194304;

/// The intrinsic that a statement is a call of; null where it is none.
const Intrinsic* intrinsic_of(const Nest& nest, const Statement& unit) {
  const auto found = std::ranges::find(nest.intrinsics, unit.name, [](const auto& each) { return each->nest.name; });
  return unit.kind == StatementKind::kUnit && found != nest.intrinsics.end() ? found->get() : nullptr;
}

class CPrinter {
 public:
  /// \param is_piece  As for c_piece_function(); null for the whole nest.
  explicit CPrinter(const Nest& nest, const std::vector<bool>* is_piece = nullptr)
      : nest_(nest), is_piece_(is_piece), ranges_(ranges_of(nest.buffers)) {}

  std::string run(const std::string& name) {
    out_ << (is_piece_ == nullptr ? "static void " + name + "("
                                  : "static inline __attribute__((always_inline)) void " + name +
                                        "(int32_t i1, int32_t first, int32_t count, ");
    bool is_first = true;
    for (const NestBuffer& buffer : nest_.buffers) {
      internal_check(buffer.scope < MemoryScope::kGlb, "a nest of the accelerator is no C");
      if (buffer.scope != MemoryScope::kRegister) {
        out_ << (is_first ? "" : ", ") << (buffer.scope == MemoryScope::kInput ? "const " : "") << c_type(buffer.type)
             << " *restrict " << buffer.name;
        is_first = false;
      }
    }
    out_ << ") {\n";
    find_threads(nest_.body);
    std::set<int> shared;
    for (int id = 0; id < static_cast<int>(nest_.buffers.size()); ++id) {
      if (std::none_of(of_threads_.begin(), of_threads_.end(),
                       [&](const auto& each) { return each.second.count(id); })) {
        shared.insert(id);
      }
    }
    declare(shared, 2);
    out_ << (is_piece_ == nullptr ? "" : "  (void)i1;\n");
    statements(nest_.body, 2);
    out_ << "}\n";
    return out_.str();
  }

 private:
  /// The registers that each of the threads that share a loop has: of the outermost such loop.
  void find_threads(const std::vector<Statement>& all) {
    for (const Statement& each : all) {
      if (each.kind == StatementKind::kLoop && each.loop == LoopKind::kParallel && is_piece_ == nullptr) {
        of_threads_[&each] = own_registers(nest_, each);
      } else {
        find_threads(each.body);
      }
    }
  }

  void declare(const std::set<int>& buffers, std::size_t indent) {
    for (const int id : buffers) {
      const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(id)];
      if (buffer.scope != MemoryScope::kRegister) {
        continue;
      }
      const std::string blanks(indent, ' ');
      if (buffer.shape.empty()) {
        out_ << blanks << c_type(buffer.type) << " " << buffer.name << ";\n";
        continue;
      }
      const std::string array = blanks + kAligned + std::string(c_type(buffer.type)) + " ";
      const std::string size = "[" + std::to_string(count_elements(buffer.shape)) + "]";
      if (count_elements(buffer.shape) <= kMostSums) {
        out_ << array << buffer.name << size << ";\n";
      } else {
        const std::string place = NestEdit(nest_, "").fresh_name(buffer.name + "_elements");
        out_ << array << place << size << ";\n"
             << blanks << c_type(buffer.type) << " *restrict " << buffer.name << " = " << place << ";\n";
      }
    }
  }

  void statements(const std::vector<Statement>& all, std::size_t indent) {
    const std::string blanks(indent, ' ');
    for (const Statement& each : all) {
      if (each.kind == StatementKind::kStore) {
        const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(each.buffer)];
        const bool is_narrow = buffer.type != StoredType::kInt64 && buffer.type != StoredType::kFloat32 &&
                               buffer.type != StoredType::kFloat64;
        const std::string cast =
            is_narrow && !is_stored_as(each.value, buffer.type) ? "(" + std::string(c_type(buffer.type)) + ")" : "";
        out_ << blanks << place(each.buffer, each.indices) << " = " << cast << text(each.value) << ";\n";
        continue;
      }
      if (const Intrinsic* const intrinsic = intrinsic_of(nest_, each)) {
        out_ << blanks << call_of(*intrinsic, each) << ";\n";
        continue;
      }
      if (each.kind != StatementKind::kLoop) {
        out_ << blanks << (each.kind == StatementKind::kIf ? "if (" + text(each.value) + ") " : "") << "{\n";
        const std::size_t known = ranges_.bounds.size();
        if (each.kind == StatementKind::kIf) {
          ranges_.assume(each.value);
        }
        statements(each.body, indent + 2);
        ranges_.bounds.resize(known);
        out_ << blanks << "}\n";
        continue;
      }
      const auto threads = of_threads_.find(&each);
      if (each.axis.size == 1 && is_piece_ == nullptr && threads == of_threads_.end()) {
        names_[each.axis.id] = "0";
        ranges_.variables[each.axis.id] = {0, 0};
        statements(each.body, indent);
        continue;
      }
      names_[each.axis.id] = each.name;
      ranges_.variables[each.axis.id] = {0, last_of(each)};
      if (is_piece_ != nullptr && (each.name == "i0" || each.name == "i1")) {
        statements(each.body, indent);
      } else if (is_piece_ != nullptr && each.name == "i2") {
        loop(each, "first", "first + count", indent);
      } else {
        const int64_t size = each.axis.size;
        const bool has_rest = each.loop == LoopKind::kVector && each.step == 1 && size > kLanes;
        const int64_t rest = has_rest ? size % kLanes : 0;
        loop(each, "0", std::to_string(size - rest), indent);
        if (rest != 0) {
          loop(each, std::to_string(size - rest), std::to_string(size), indent);
        }
      }
    }
  }

  std::string call_of(const Intrinsic& intrinsic, const Statement& unit) const {
    std::string words;
    try {
      for (const IntrinsicArgument& each : arguments_of(intrinsic, nest_, unit.body.front())) {
        words += (words.empty() ? "&" : ", &") + place(each.buffer, each.base);
        for (const int64_t stride : each.strides) {
          words += ", " + std::to_string(stride);
        }
      }
    } catch (const UserError& error) {
      user_error("nest " + nest_.name + ": unit " + unit.name + " was changed after tensorize: " + error.what());
    }
    return unit.name + "(" + words + ")";
  }

  /// A loop from one turn on to before another.
  void loop(const Statement& each, const std::string& first, const std::string& end, std::size_t indent) {
    const std::string blanks(indent, ' ');
    const auto threads = of_threads_.find(&each);
    if (each.loop == LoopKind::kUnrolled) {
      out_ << "#pragma GCC unroll " << turns_of(each) << "\n";
    } else if (each.loop == LoopKind::kVector) {
      out_ << "#pragma GCC unroll 1\n#pragma GCC ivdep\n";
    } else if (threads != of_threads_.end()) {
      out_ << "#ifdef _OPENMP\n#pragma omp parallel for\n#endif\n";
    }
    out_ << blanks << "for (int32_t " << each.name << " = " << first << "; " << each.name << " < " << end << "; "
         << (each.step == 1 ? "++" + each.name : each.name + " += " + std::to_string(each.step)) << ") {\n";
    if (threads != of_threads_.end()) {
      declare(threads->second, indent + 2);
    }
    statements(each.body, indent + 2);
    out_ << blanks << "}\n";
  }

  /// Whether it is a number or an element of that type already.
  bool is_stored_as(const Expression& x, StoredType type) const {
    const auto range = range_of(type);
    return (x->kind == ExpressionKind::kNumber && range && Interval{x->integer, x->integer}.is_within(*range)) ||
           (x->kind == ExpressionKind::kElement && !x->outside &&
            nest_.buffers[static_cast<std::size_t>(x->id)].type == type);
  }

  std::string place(int id, const std::vector<Expression>& indices) const {
    const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(id)];
    if (buffer.scope == MemoryScope::kRegister && buffer.shape.empty()) {
      return buffer.name;
    }
    if (is_piece_ != nullptr && (buffer.scope == MemoryScope::kOutput ||
                                 (buffer.scope == MemoryScope::kInput && (*is_piece_)[static_cast<std::size_t>(id)]))) {
      return buffer.name + "[i2 - first]";
    }
    std::string at;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const Interval only = interval_of(indices[axis], ranges_);
      const std::string index = text(indices[axis]);
      if (only.low == 0 && only.high == 0) {
        at = at.empty() || buffer.shape[axis] == 1 ? at : "(" + at + " * " + std::to_string(buffer.shape[axis]) + ")";
      } else {
        at = at.empty() ? index : "(" + at + " * " + std::to_string(buffer.shape[axis]) + " + " + index + ")";
      }
    }
    const bool is_whole = at.size() > 1 && at.front() == '(' && closes_at_end(at);
    return buffer.name + "[" + (at.empty() ? "0" : is_whole ? at.substr(1, at.size() - 2) : at) + "]";
  }

  static bool closes_at_end(const std::string& text) {
    int open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (open == 0) {
        return i + 1 == text.size();
      }
    }
    return false;
  }

  std::string text(const Expression& x) const {
    switch (x->kind) {
      case ExpressionKind::kNumber:
        return x->type == ScalarType::kFloat32 || x->type == ScalarType::kFloat64
                   ? c_real(x->real, x->type == ScalarType::kFloat32)
                   : integer_text(x->integer, x->type);
      case ExpressionKind::kVariable:
        return names_.at(x->id);
      case ExpressionKind::kElement:
        return element_text(*x);
      default:
        return call_text(x);
    }
  }

  static std::string integer_text(int64_t number, ScalarType type) {
    const bool is_int = type != ScalarType::kInt64 || Interval{number, number}.is_within(kInt32Range);
    return is_int                ? std::to_string(number)
           : number == INT64_MIN ? "INT64_MIN"
                                 : "INT64_C(" + std::to_string(number) + ")";
  }

  /// Whether it is an integer that is computed in int32, as C does where nothing is larger.
  bool is_int(const Expression& x) const {
    return x->type != ScalarType::kFloat32 && x->type != ScalarType::kFloat64 &&
           interval_of(x, ranges_).is_within(kInt32Range);
  }

  std::string element_text(const ExpressionNode& x) const {
    const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(x.id)];
    const std::string value = place(x.id, x.arguments);
    std::string is_inside;
    const auto require = [&](const std::string& condition) {
      is_inside += (is_inside.empty() ? "" : " && ") + condition;
    };
    for (std::size_t axis = 0; x.outside && axis < x.arguments.size(); ++axis) {
      const Interval interval = interval_of(x.arguments[axis], ranges_);
      const std::string index = text(x.arguments[axis]);
      if (interval.low < 0) {
        require(index + " >= 0");
      }
      if (interval.high >= buffer.shape[axis]) {
        require(index + " < " + std::to_string(buffer.shape[axis]));
      }
    }
    return is_inside.empty() ? value : "(" + is_inside + " ? " + value + " : " + text(x.outside) + ")";
  }

  /// A product, sum, ... of integers: in int32 where nothing in it is beyond, else in uint64, which wraps.
  std::string arithmetic_text(const Expression& x, const std::string& operation) const {
    const Expression &a = x->arguments[0], &b = x->arguments[1];
    if (x->type != ScalarType::kInt64 || (is_int(a) && is_int(b) && is_int(x))) {
      return "(" + text(a) + " " + operation + " " + text(b) + ")";
    }
    const bool is_quotient = x->function == ScalarFunction::kDivide || x->function == ScalarFunction::kRemainder;
    const std::string type = is_quotient ? "(int64_t)" : "(uint64_t)";
    const std::string value = "(" + type + text(a) + " " + operation + " " + type + text(b) + ")";
    return is_quotient ? value : "(int64_t)" + value;
  }

  /// The shortest type that holds two numbers of one type: compilers make longer vectors of it.
  StoredType type_of_both(const Expression& a, const Expression& b) const {
    if (is_real(a)) {
      return a->type == ScalarType::kFloat32 ? StoredType::kFloat32 : StoredType::kFloat64;
    }
    const Interval x = interval_of(a, ranges_), y = interval_of(b, ranges_);
    const StoredType shortest = shortest_type({std::min(x.low, y.low), std::max(x.high, y.high)});
    return a->type == ScalarType::kIndex && shortest == StoredType::kInt64 ? StoredType::kInt32 : shortest;
  }

  /// The smaller or larger.
  std::string extreme_text(const Expression& x, const std::string& name) const {
    const Expression &a = x->arguments[0], &b = x->arguments[1];
    return "dla_" + name + "_" + std::string(to_text(type_of_both(a, b))) + "(" + text(a) + ", " + text(b) + ")";
  }

  static bool is_call(const Expression& x, ScalarFunction function) {
    return x->kind == ExpressionKind::kApply && x->function == function;
  }

  /// A float32 number that is rounded and kept between two others, as one call; "" of anything else.
  std::string rounding_text(const Expression& x) const {
    if (x->type != ScalarType::kFloat32 || !is_call(x, ScalarFunction::kMinimum) ||
        !is_call(x->arguments[1], ScalarFunction::kMaximum)) {
      return "";
    }
    const Expression &most = x->arguments[0], &least = x->arguments[1]->arguments[0];
    const Expression& whole = x->arguments[1]->arguments[1];
    const bool is_down = is_call(whole, ScalarFunction::kFloor);
    const auto is_bound = [](const Expression& bound) {
      return bound->kind == ExpressionKind::kNumber && bound->real == std::floor(bound->real) &&
             std::abs(bound->real) <= kMostRoundedBound;
    };
    if (!is_bound(most) || !is_bound(least) || !(is_down || is_call(whole, ScalarFunction::kRound))) {
      return "";
    }
    const auto digits = [](const Expression& bound) { return std::to_string(static_cast<int32_t>(bound->real)); };
    return "dla_round_f32(" + text(whole->arguments[0]) + ", " + digits(least) + ", " + digits(most) + ", " +
           (is_down ? "kDlaFloor" : "kDlaNearestEven") + ")";
  }

  /// In another type. What is int32 is exact in both types of real numbers that it goes through.
  std::string conversion_text(const Expression& x) const {
    const Expression& from = x->arguments[0];
    switch (x->function) {
      case ScalarFunction::kFloat32: {
        const bool is_exact = from->kind == ExpressionKind::kApply && from->function == ScalarFunction::kFloat64 &&
                              is_int(from->arguments[0]);
        return "(float)" + text(is_exact ? from->arguments[0] : from);
      }
      case ScalarFunction::kFloat64:
        return "(double)" + text(from);
      case ScalarFunction::kInt64:
        if (std::string rounding = rounding_text(from); !rounding.empty()) {
          return rounding;
        }
        return !is_real(from) ? (is_int(from) ? "" : "(int64_t)") + text(from)
               : is_int(x)    ? "(int32_t)" + text(from)
                              : "dla_to_int64(" + text(from) + ")";
      default:
        return (is_int(from) ? "" : "(int32_t)") + text(from);
    }
  }

  std::string call_text(const Expression& x) const {
    const auto plain = [&](const std::string& operation) {
      return "(" + text(x->arguments[0]) + " " + operation + " " + text(x->arguments[1]) + ")";
    };
    switch (x->function) {
      case ScalarFunction::kAdd:
        return arithmetic_text(x, "+");
      case ScalarFunction::kSubtract:
        return arithmetic_text(x, "-");
      case ScalarFunction::kMultiply:
        return arithmetic_text(x, "*");
      case ScalarFunction::kDivide:
        return arithmetic_text(x, "/");
      case ScalarFunction::kRemainder:
        return arithmetic_text(x, "%");
      case ScalarFunction::kMinimum:
        return extreme_text(x, "min");
      case ScalarFunction::kMaximum:
        return extreme_text(x, "max");
      case ScalarFunction::kPower:
        return "dla_real_pow(" + text(x->arguments[0]) + ", " + text(x->arguments[1]) + ")";
      case ScalarFunction::kLess:
        return plain("<");
      case ScalarFunction::kLessEqual:
        return plain("<=");
      case ScalarFunction::kEqual:
        return plain("==");
      case ScalarFunction::kAnd:
        return plain("&&");
      case ScalarFunction::kOr:
        return plain("||");
      case ScalarFunction::kNot:
        return "!" + text(x->arguments[0]);
      case ScalarFunction::kSelect:
        return "(" + text(x->arguments[0]) + " ? " + text(x->arguments[1]) + " : " + text(x->arguments[2]) + ")";
      case ScalarFunction::kFloat32:
      case ScalarFunction::kFloat64:
      case ScalarFunction::kInt64:
      case ScalarFunction::kIndex:
        return conversion_text(x);
      default:
        return "dla_real_" + std::string(to_text(x->function)) + "(" + text(x->arguments[0]) + ")";
    }
  }

  static bool is_real(const Expression& x) {
    return x->type == ScalarType::kFloat32 || x->type == ScalarType::kFloat64;
  }

  const Nest& nest_;
  const std::vector<bool>* is_piece_;
  std::ostringstream out_;
  std::map<int, std::string> names_;
  std::map<const Statement*, std::set<int>> of_threads_;
  Ranges ranges_;
};

bool is_float64(const Expression& x) { return x->type == ScalarType::kFloat64; }

bool is_converted_float32(const Expression& x) {
  return x->kind == ExpressionKind::kApply && x->function == ScalarFunction::kFloat64 &&
         x->arguments[0]->type == ScalarType::kFloat32;
}

/// Leaves those of the buffers of float64 in which only what was float32 is stored.
void drop_others(const std::vector<Statement>& statements, std::set<int>& buffers) {
  for (const Statement& each : statements) {
    if (each.kind == StatementKind::kStore && !is_converted_float32(each.value)) {
      buffers.erase(each.buffer);
    }
    drop_others(each.body, buffers);
  }
}

/// Whether a product of real numbers has no rounding: of two float32 in float64. \param exact  Buffers of such.
bool is_exact_product(const Expression& x, const std::set<int>& exact) {
  return is_float64(x) && std::all_of(x->arguments.begin(), x->arguments.end(), [&](const Expression& each) {
           return is_converted_float32(each) ||
                  (each->kind == ExpressionKind::kElement && !each->outside && exact.count(each->id) != 0);
         });
}

/// Whether it is the same where products and sums are fused.
bool is_same_if_fused(const Expression& x, const std::set<int>& exact) {
  const bool is_sum = x->kind == ExpressionKind::kApply &&
                      (x->function == ScalarFunction::kAdd || x->function == ScalarFunction::kSubtract);
  return std::all_of(x->arguments.begin(), x->arguments.end(), [&](const Expression& each) {
    const bool is_product = each->kind == ExpressionKind::kApply && each->function == ScalarFunction::kMultiply &&
                            (is_float64(each) || each->type == ScalarType::kFloat32);
    return (!is_sum || !is_product || is_exact_product(each, exact)) && is_same_if_fused(each, exact);
  });
}

bool has_vectors(const std::vector<Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement& each) {
    return (each.kind == StatementKind::kLoop && each.loop == LoopKind::kVector) || has_vectors(each.body);
  });
}

bool are_same_if_fused(const std::vector<Statement>& statements, const std::set<int>& exact) {
  return std::all_of(statements.begin(), statements.end(), [&](const Statement& each) {
    return (!each.value || is_same_if_fused(each.value, exact)) && are_same_if_fused(each.body, exact);
  });
}

/// Its file, once; and its function as it is called, which the C compiler compares with the file's.
std::string c_source(const Intrinsic& intrinsic) {
  std::string parameters;
  for (const NestBuffer& each : intrinsic.nest.buffers) {
    if (each.scope == MemoryScope::kRegister && each.shape.empty()) {
      continue;
    }
    parameters += (parameters.empty() ? "" : ", ") + std::string(each.scope == MemoryScope::kInput ? "const " : "") +
                  std::string(c_type(each.type)) + " *" + each.name;
    for (std::size_t axis = 0; axis < each.shape.size(); ++axis) {
      parameters += ", int32_t " + each.name + "_" + std::to_string(axis);
    }
  }
  const std::string &name = intrinsic.nest.name, once = "FOVEA_INTRINSIC_" + name;
  return "#ifndef " + once + "\n#define " + once + "\n#include <stdint.h>\n" + intrinsic.source + "\nstatic void " +
         name + "(" + parameters + ");\n#endif\n";
}

void collect_intrinsics(const Nest& nest, const std::vector<Statement>& statements, std::set<std::string>& sources) {
  for (const Statement& each : statements) {
    if (const Intrinsic* const intrinsic = intrinsic_of(nest, each)) {
      sources.insert(c_source(*intrinsic));
    }
    collect_intrinsics(nest, each.body, sources);
  }
}

}  // namespace

std::string_view vectors_of(const Nest& nest) {
  std::set<int> exact;
  bool has_long_sums = false;
  for (int id = 0; id < static_cast<int>(nest.buffers.size()); ++id) {
    const NestBuffer& buffer = nest.buffers[static_cast<std::size_t>(id)];
    if (buffer.scope == MemoryScope::kRegister && buffer.type == StoredType::kFloat64) {
      exact.insert(id);
    }
  }
  const std::set<int> all = exact;
  drop_others(nest.body, exact);
  for (const int id : all) {
    has_long_sums |=
        exact.count(id) == 0 && count_elements(nest.buffers[static_cast<std::size_t>(id)].shape) > kMostSums;
  }
  if (!has_vectors(nest.body) || !are_same_if_fused(nest.body, exact)) {
    return "";
  }
  // A sum in memory waits longer for both in one instruction than for the sum alone.
  return has_long_sums ? "DLA_WIDEST_VECTORS " : "DLA_EXACT_PRODUCTS ";
}

std::string c_function(const Nest& nest, const std::string& name) { return CPrinter(nest).run(name); }

std::string c_intrinsics(const Nest& nest) {
  std::set<std::string> sources;
  collect_intrinsics(nest, nest.body, sources);
  return std::accumulate(sources.begin(), sources.end(), std::string());
}

std::string c_piece_function(const Nest& nest, const std::string& name, const std::vector<bool>& is_piece) {
  return CPrinter(nest, &is_piece).run(name);
}

}  // namespace fovea
