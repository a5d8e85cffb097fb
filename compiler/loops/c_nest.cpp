// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints nests as C.
#include "c_nest.h"

#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <string_view>

#include "interval.h"
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

class CPrinter {
 public:
  /// \param is_piece  As for c_piece_function(); null for the whole nest.
  explicit CPrinter(const Nest& nest, const std::vector<bool>* is_piece = nullptr) : nest_(nest), is_piece_(is_piece) {}

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
    for (const NestBuffer& buffer : nest_.buffers) {
      if (buffer.scope == MemoryScope::kRegister) {
        const std::string size = buffer.shape.empty() ? "" : "[" + std::to_string(count_elements(buffer.shape)) + "]";
        out_ << "  " << c_type(buffer.type) << " " << buffer.name << size << ";\n";
      }
    }
    out_ << (is_piece_ == nullptr ? "" : "  (void)i1;\n");
    statements(nest_.body, 2);
    out_ << "}\n";
    return out_.str();
  }

 private:
  void statements(const std::vector<Statement>& all, std::size_t indent) {
    const std::string blanks(indent, ' ');
    for (const Statement& each : all) {
      if (each.kind == StatementKind::kStore) {
        const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(each.buffer)];
        const bool is_narrow = buffer.type != StoredType::kInt64 && buffer.type != StoredType::kFloat32 &&
                               buffer.type != StoredType::kFloat64;
        const std::string value = text(each.value);
        out_ << blanks << place(each.buffer, each.indices) << " = "
             << (is_narrow ? "(" + std::string(c_type(buffer.type)) + ")" + value : value) << ";\n";
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
      if (each.loop == LoopKind::kUnrolled) {
        out_ << "#pragma GCC unroll " << each.axis.size << "\n";
      } else if (each.loop == LoopKind::kVector) {
        out_ << "#pragma GCC ivdep\n";
      }
      names_[each.axis.id] = each.name;
      ranges_.variables[each.axis.id] = {0, last_of(each)};
      if (is_piece_ != nullptr && (each.name == "i0" || each.name == "i1")) {
        statements(each.body, indent);
        continue;
      }
      const bool is_part = is_piece_ != nullptr && each.name == "i2";
      out_ << blanks << "for (int32_t " << each.name << " = " << (is_part ? "first" : "0") << "; " << each.name << " < "
           << (is_part ? "first + count" : std::to_string(each.axis.size)) << "; "
           << (each.step == 1 ? "++" + each.name : each.name + " += " + std::to_string(each.step)) << ") {\n";
      statements(each.body, indent + 2);
      out_ << blanks << "}\n";
    }
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
        return call_text(*x);
    }
  }

  static std::string integer_text(int64_t number, ScalarType type) {
    return type != ScalarType::kInt64 ? std::to_string(number)
           : number == INT64_MIN      ? "INT64_MIN"
                                      : "INT64_C(" + std::to_string(number) + ")";
  }

  std::string element_text(const ExpressionNode& x) const {
    const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(x.id)];
    std::string value = place(x.id, x.arguments);
    if (value_type(buffer.type) == ScalarType::kInt64 && buffer.type != StoredType::kInt64) {
      value = "(int64_t)" + value;
    }
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

  std::string call_text(const ExpressionNode& x) const {
    const std::string a = text(x.arguments[0]), b = x.arguments.size() > 1 ? text(x.arguments[1]) : "";
    const bool is_wrapping = x.arguments.back()->type == ScalarType::kInt64;
    const auto between = [&](const std::string& operation) {
      return is_wrapping ? "(int64_t)((uint64_t)" + a + " " + operation + " (uint64_t)" + b + ")"
                         : "(" + a + " " + operation + " " + b + ")";
    };
    const auto plain = [&](const std::string& operation) { return "(" + a + " " + operation + " " + b + ")"; };
    switch (x.function) {
      case ScalarFunction::kAdd:
        return between("+");
      case ScalarFunction::kSubtract:
        return between("-");
      case ScalarFunction::kMultiply:
        return between("*");
      case ScalarFunction::kDivide:
        return plain("/");
      case ScalarFunction::kRemainder:
        return plain("%");
      case ScalarFunction::kMinimum:
        return "(" + b + " < " + a + " ? " + b + " : " + a + ")";
      case ScalarFunction::kMaximum:
        return "(" + a + " < " + b + " ? " + b + " : " + a + ")";
      case ScalarFunction::kPower:
        return "dla_real_pow(" + a + ", " + b + ")";
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
        return "!" + a;
      case ScalarFunction::kSelect:
        return "(" + a + " ? " + b + " : " + text(x.arguments[2]) + ")";
      case ScalarFunction::kFloat32:
        return "(float)" + a;
      case ScalarFunction::kFloat64:
        return "(double)" + a;
      case ScalarFunction::kInt64:
        return is_real(x.arguments[0]) ? "dla_to_int64(" + a + ")" : "(int64_t)" + a;
      case ScalarFunction::kIndex:
        return "(int32_t)" + a;
      default:
        return "dla_real_" + std::string(to_text(x.function)) + "(" + a + ")";
    }
  }

  static bool is_real(const Expression& x) {
    return x->type == ScalarType::kFloat32 || x->type == ScalarType::kFloat64;
  }

  const Nest& nest_;
  const std::vector<bool>* is_piece_;
  std::ostringstream out_;
  std::map<int, std::string> names_;
  Ranges ranges_;
};

}  // namespace

std::string c_function(const Nest& nest, const std::string& name) { return CPrinter(nest).run(name); }

std::string c_piece_function(const Nest& nest, const std::string& name, const std::vector<bool>& is_piece) {
  return CPrinter(nest, &is_piece).run(name);
}

}  // namespace fovea
