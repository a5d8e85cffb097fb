// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves what computes an array into a loop that reads it.
#include <algorithm>
#include <utility>

#include "dependence.h"
#include "index_arithmetic.h"
#include "interval.h"
#include "loop_search.h"
#include "schedule.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using Indices = std::vector<Expression>;

bool reads_variables(const Expression& x, const std::set<int>& variables) {
  return (x->kind == ExpressionKind::kVariable && variables.count(x->id) != 0) ||
         std::any_of(x->arguments.begin(), x->arguments.end(),
                     [&](const Expression& each) { return reads_variables(each, variables); });
}

bool has_loads(const Expression& x) {
  return x->kind == ExpressionKind::kElement || std::any_of(x->arguments.begin(), x->arguments.end(), has_loads);
}

/// What is known in the body of the last of these statements.
Ranges ranges_in(const LoopPath& path) {
  Ranges ranges;
  for (const Statement* each : path.statements) {
    if (each->kind == StatementKind::kLoop) {
      ranges.variables[each->axis.id] = {0, last_of(*each)};
    } else if (each->kind == StatementKind::kIf) {
      ranges.assume(each->value);
    }
  }
  return ranges;
}

class Move {
 public:
  Move(const Nest& nest, const std::string& array, const std::string& loop)
      : nest_(nest), moved_(nest), step_("compute " + array + " at " + loop), array_name_(array), loop_name_(loop) {}

  Nest run() {
    find_array();
    const LoopPath path = find_loop(moved_, loop_name_, step_);
    consumer_ = &path.back();
    find_producer(path.front());
    find_reads();
    fix_axes(path);
    std::vector<Statement> head = produced();
    for (Statement& each : consumer_->body) {
      head.push_back(replaced(std::move(each)));
    }
    consumer_->body = std::move(head);
    NestBuffer& buffer = moved_.buffers[static_cast<std::size_t>(array_)];
    buffer.shape.clear();
    for (const std::size_t axis : whole_) {
      buffer.shape.push_back(shape_[axis]);
    }
    moved_.body.erase(moved_.body.begin() + (producer_ - moved_.body.data()));
    return std::move(moved_);
  }

 private:
  void check(bool condition, const std::string& problem) const { refuse_unless(condition, nest_, step_, problem); }

  void find_array() {
    const auto found = std::find_if(nest_.buffers.begin(), nest_.buffers.end(),
                                    [&](const NestBuffer& each) { return each.name == array_name_; });
    check(found != nest_.buffers.end() && found->scope == MemoryScope::kRegister && !found->shape.empty(),
          "there is no array " + array_name_ + " of the nest");
    array_ = static_cast<int>(found - nest_.buffers.begin());
    shape_ = found->shape;
  }

  bool is_store(const Access& each) const { return each.buffer == array_ && each.is_store; }
  bool is_load(const Access& each) const { return each.buffer == array_ && !each.is_store; }

  /// The loops that store the array: one an axis, each the body of the one before, and what is in the last.
  void find_producer(const Statement& consumer) {
    for (Statement& each : moved_.body) {
      const std::vector<Access> accesses = accesses_of({each});
      const auto stores =
          std::count_if(accesses.begin(), accesses.end(), [this](const Access& a) { return is_store(a); });
      if (stores != 0) {
        check(stores == 1 && producer_ == nullptr, array_name_ + " is stored at several places");
        producer_ = &each;
      }
    }
    check(producer_ != nullptr, "nothing is stored in " + array_name_);
    check(producer_ < &consumer, array_name_ + " is not stored before the loop");
    std::vector<int> variables;
    const std::vector<Statement>* body = nullptr;
    for (const Statement* each = producer_; each != nullptr && variables.size() < shape_.size();) {
      const bool is_loop = each->kind == StatementKind::kLoop && each->step == 1;
      if (is_loop) {
        variables.push_back(each->axis.id);
        loops_.push_back(each);
        body = &each->body;
      }
      each = is_loop && each->body.size() == 1 ? &each->body[0] : nullptr;
    }
    check(variables.size() == shape_.size() && body->back().kind == StatementKind::kStore &&
              body->back().buffer == array_,
          array_name_ + " is not stored by one loop an axis, last in the innermost");
    body_ = *body;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const Expression& index = body_.back().indices[axis];
      const auto found = index->kind == ExpressionKind::kVariable
                             ? std::find(variables.begin(), variables.end(), index->id)
                             : variables.end();
      check(found != variables.end(), "the indices of " + array_name_ + " are not the variables of its loops");
      axes_.push_back(static_cast<std::size_t>(found - variables.begin()));
      check(loops_[axes_.back()]->axis.size == shape_[axis], "not all of " + array_name_ + " is stored");
    }
    check_what_it_uses();
  }

  /// Its registers are its own, and what it reads is still the same in the loop.
  void check_what_it_uses() {
    std::vector<Statement> others, behind;
    for (const Statement& each : moved_.body) {
      if (&each != producer_) {
        others.push_back(each);
      }
      if (&each > producer_) {
        behind.push_back(each);
      }
    }
    const std::vector<Access> all = accesses_of(others), later = accesses_of(behind);
    for (const Access& own : accesses_of(body_)) {
      if (own.buffer == array_) {
        check(own.is_store, array_name_ + " is read where it is stored");
        continue;
      }
      const std::vector<Access>& in_the_way = own.is_store ? all : later;
      check(std::none_of(
                in_the_way.begin(), in_the_way.end(),
                [&](const Access& each) { return each.buffer == own.buffer && (own.is_store || each.is_store); }),
            "what computes it shares " + moved_.buffers[static_cast<std::size_t>(own.buffer)].name + " with others");
    }
  }

  void find_reads() {
    const auto is_read = [this](const Access& each) { return is_load(each); };
    const std::vector<Access> inside = accesses_of(consumer_->body), all = accesses_of(moved_.body);
    for (const Access& each : inside) {
      if (is_load(each)) {
        reads_.push_back(*each.indices);
      }
    }
    check(!reads_.empty(), "the loop does not read it");
    check(reads_.size() == static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_read)),
          array_name_ + " is read outside of the loop");
  }

  /// Which axes have one index in a turn of the loop, inside of the array.
  void fix_axes(const LoopPath& path) {
    const Ranges ranges = ranges_in(path);
    const std::set<int> inner = variables_in(consumer_->body);
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const Expression& index = reads_.front()[axis];
      const bool is_one =
          std::all_of(reads_.begin(), reads_.end(), [&](const Indices& each) { return is_equal(each[axis], index); });
      const bool is_inside = interval_of(index, ranges).is_within({0, shape_[axis] - 1});
      if (!is_one || !is_inside || has_loads(index) || reads_variables(index, inner)) {
        whole_.push_back(axis);
      }
    }
  }

  bool is_whole(std::size_t axis) const { return std::find(whole_.begin(), whole_.end(), axis) != whole_.end(); }

  /// What computes the elements of a turn.
  std::vector<Statement> produced() {
    Replacements replacements;
    std::vector<Statement> around;
    int next = fresh_variable(moved_);
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const Statement& loop = *loops_[axes_[axis]];
      if (is_whole(axis)) {
        around.push_back(
            make_loop(fresh_name(moved_, loop.name + "_" + array_name_), {next, shape_[axis]}, {}, loop.loop));
        replacements[loop.axis.id] = variable(next++);
      } else {
        replacements[loop.axis.id] = reads_.front()[axis];
      }
    }
    std::vector<Statement> body;
    for (const Statement& each : body_) {
      body.push_back(renamed(with_variables(each, replacements)));
    }
    body.back().indices = kept(body.back().indices);
    for (std::size_t i = around.size(); i-- > 0;) {
      around[i].body = std::move(body);
      body = {};
      body.push_back(std::move(around[i]));
    }
    return body;
  }

  /// Loops inside of the producer may be called as one around the consumer is.
  Statement renamed(Statement statement) const {
    if (statement.kind == StatementKind::kLoop) {
      statement.name = fresh_name(moved_, statement.name + "_" + array_name_);
    }
    for (Statement& each : statement.body) {
      each = renamed(std::move(each));
    }
    return statement;
  }

  Indices kept(const Indices& indices) const {
    Indices all;
    for (const std::size_t axis : whole_) {
      all.push_back(indices[axis]);
    }
    return all;
  }

  Expression replaced(const Expression& x) const {
    ExpressionNode node = *x;
    for (Expression& each : node.arguments) {
      each = replaced(each);
    }
    if (x->kind == ExpressionKind::kElement && x->id == array_) {
      node.arguments = kept(node.arguments);
      node.outside = whole_.empty() ? Expression() : x->outside;
    }
    if (node.outside) {
      node.outside = replaced(node.outside);
    }
    return Expression(std::move(node));
  }

  Statement replaced(Statement statement) const {
    if (statement.value) {
      statement.value = replaced(statement.value);
    }
    for (Expression& index : statement.indices) {
      index = replaced(index);
    }
    for (Statement& each : statement.body) {
      each = replaced(std::move(each));
    }
    return statement;
  }

  const Nest& nest_;
  Nest moved_;
  std::string step_, array_name_, loop_name_;
  int array_ = 0;
  Shape shape_;
  Statement* consumer_ = nullptr;
  Statement* producer_ = nullptr;
  std::vector<const Statement*> loops_;
  std::vector<Statement> body_;
  std::vector<std::size_t> axes_;  ///< Which of the loops each axis of the array has.
  std::vector<Indices> reads_;
  std::vector<std::size_t> whole_;  ///< Axes that are computed along all of them.
};

}  // namespace

Nest compute_at(const Nest& nest, const std::string& array, const std::string& loop) {
  return Move(nest, array, loop).run();
}

}  // namespace fovea
