// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks the loops down to their stores.
#include "nest_profile.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dependence.h"
#include "index_arithmetic.h"
#include "tensor/tensor.h"

namespace fovea {
namespace {

/// Adds the operations of a value, and those of values inside of it.
void add_operations(const Expression& x, StoreProfile& store) {
  if (x->kind == ExpressionKind::kApply && x->type != ScalarType::kIndex) {
    const bool is_conversion = x->function == ScalarFunction::kFloat32 || x->function == ScalarFunction::kFloat64 ||
                               x->function == ScalarFunction::kInt64;
    store.operations += is_conversion ? 0 : 1;
    store.functions += is_real_function(x->function) || x->function == ScalarFunction::kPower ? 1 : 0;
  }
  if (x->kind != ExpressionKind::kElement) {
    for (const Expression& each : x->arguments) {
      add_operations(each, store);
    }
  }
}

class Walk {
 public:
  explicit Walk(const Nest& nest) : nest_(nest) {
    visit(nest.body);
    for (const auto& [loop, buffer] : goes_on_) {
      profile.loops[static_cast<std::size_t>(loop)].is_reduction |= starts_.count({loop, buffer}) == 0;
    }
  }

  NestProfile profile;

 private:
  void visit(const std::vector<Statement>& statements) {
    for (const Statement& each : statements) {
      if (each.kind == StatementKind::kStore) {
        add_store(each);
        continue;
      }
      const bool is_loop = each.kind == StatementKind::kLoop;
      const int64_t asked = each.kind == StatementKind::kIf ? runs() : 0;
      conditions_ += asked;
      if (is_loop) {
        const int depth = static_cast<int>(around_.size());
        places_.push_back(static_cast<int>(profile.loops.size()));
        around_.push_back(&each);
        profile.loops.push_back({each.name, turns_of(each), each.step, each.loop, depth, false});
      }
      visit(each.body);
      if (is_loop) {
        around_.pop_back();
        places_.pop_back();
      }
      conditions_ -= asked;
    }
  }

  /// Of a statement in the loops around.
  int64_t runs() const {
    int64_t runs = 1;
    for (const Statement* loop : around_) {
      runs *= turns_of(*loop);
    }
    return runs;
  }

  void add_store(const Statement& statement) {
    StoreProfile store;
    store.loops = places_;
    store.conditions = conditions_;
    store.runs = runs();
    add_operations(statement.value, store);
    const std::vector<Statement> one{statement};
    const std::vector<Access> accesses = accesses_of(one);
    const Access& place = accesses.back();
    const bool goes_on = std::any_of(accesses.begin(), accesses.end() - 1, [&](const Access& each) {
      return each.buffer == place.buffer && std::equal(each.indices->begin(), each.indices->end(),
                                                       place.indices->begin(), place.indices->end(), is_equal);
    });
    for (const Access& each : accesses) {
      store.accesses.push_back(profile_access(each));
    }
    for (std::size_t i = 0; i < around_.size(); ++i) {
      if (!goes_on) {
        starts_.emplace(places_[i], place.buffer);
      } else if (store.accesses.back().strides[i] == 0) {
        goes_on_.emplace(places_[i], place.buffer);
      }
    }
    profile.stores.push_back(std::move(store));
  }

  AccessProfile profile_access(const Access& access) const {
    const NestBuffer& buffer = nest_.buffers[static_cast<std::size_t>(access.buffer)];
    AccessProfile result{access.buffer, access.is_store, {}, std::vector<int64_t>(around_.size())};
    for (const Statement* loop : around_) {
      const std::optional<int64_t> stride = stride_of(nest_, access, loop->axis.id);
      result.strides.push_back(stride ? std::optional(*stride * loop->step) : std::nullopt);
    }
    Ranges ranges = ranges_of(nest_.buffers);
    for (const Statement* loop : around_) {
      ranges.variables[loop->axis.id] = {0, 0};
    }
    const auto elements = static_cast<int64_t>(count_elements(buffer.shape));
    const int64_t element_bytes = elements == 0 ? 0 : static_cast<int64_t>(size_bytes(buffer)) / elements;
    for (std::size_t i = around_.size(); i-- > 0;) {
      const Statement& loop = *around_[i];
      ranges.variables[loop.axis.id] = {0, std::max<int64_t>(0, last_of(loop))};
      int64_t span = element_bytes;
      for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
        const Interval interval = interval_of((*access.indices)[axis], ranges);
        span *= std::clamp<int64_t>(interval.high - interval.low + 1, 0, buffer.shape[axis]);
      }
      result.footprints[i] = span;
    }
    return result;
  }

  const Nest& nest_;
  std::vector<const Statement*> around_;
  std::vector<int> places_;  ///< Of the loops around, in the profile.
  int64_t conditions_ = 0;   ///< How often those around are asked.
  /// Loops and buffers: that keep a place from turn to turn and add to it, and that store in it anew.
  std::set<std::pair<int, int>> goes_on_, starts_;
};

}  // namespace

NestProfile profile_of(const Nest& nest) { return Walk(nest).profile; }

}  // namespace fovea
