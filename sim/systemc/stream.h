// SPDX-License-Identifier: Apache-2.0
/// \file
/// What units hand to each other: queues of items and counts of tokens, both seen a cycle after they were put.
#ifndef FOVEA_SIM_SYSTEMC_STREAM_H_
#define FOVEA_SIM_SYSTEMC_STREAM_H_

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "clock.h"

namespace fovea {

/// A first-in first-out queue, as dla_fifo: an item is seen the cycle after its push, its room the cycle after its pop.
/// One producer and one consumer, each at most one item a cycle.
template <class Item>
class Stream {
 public:
  Stream(const Clock& clock, size_t depth) : clock_(clock), depth_(depth) {}

  bool has_room() const { return items_.size() + (popped_in_ == clock_.now() ? 1 : 0) < depth_; }
  bool is_valid() const { return !items_.empty() && items_.front().visible_from <= clock_.now(); }

  const Item& front() const { return items_.front().item; }

  /// \pre has_room().
  void push(Item item) { push_at(std::move(item), clock_.now() + 1); }

  /// Pushes what will be seen from `visible_from` on, not before the next cycle. \pre has_room() by then.
  void push_at(Item item, Cycle visible_from) {
    items_.push_back({std::move(item), visible_from});
    level_ = static_cast<uint32_t>(items_.size());
    changed_.notify(clock_.duration(visible_from - clock_.now()));
  }

  /// \pre is_valid().
  Item pop() {
    Item item = std::move(items_.front().item);
    items_.pop_front();
    level_ = static_cast<uint32_t>(items_.size());
    popped_in_ = clock_.now();
    room_.notify(clock_.duration(1));
    return item;
  }

  void wait_valid() const {
    while (!is_valid()) {
      items_.empty() ? sc_core::wait(changed_) : wait_until(clock_, items_.front().visible_from);
    }
  }

  void wait_room() const {
    while (!has_room()) {
      sc_core::wait(room_);
    }
  }

  void trace(sc_core::sc_trace_file* waves, const char* name) const {
    sc_core::sc_trace(waves, level_, std::string("queue.") + name);
  }

  void clear() {
    items_.clear();
    level_ = 0;
    popped_in_ = kNever;
    changed_.cancel();
    room_.cancel();
  }

 private:
  struct Entry {
    Item item;
    Cycle visible_from;
  };

  const Clock& clock_;
  size_t depth_;
  std::deque<Entry> items_;
  uint32_t level_ = 0;  ///< Items, for waves.
  Cycle popped_in_ = kNever;
  sc_core::sc_event changed_, room_;
};

/// Full or empty buffers: each token is seen from a stated cycle on.
class Tokens {
 public:
  explicit Tokens(const Clock& clock) : clock_(clock) {}

  /// A new layer: `count` tokens from the start.
  void reset(size_t count) {
    visible_from_.assign(count, 0);
    changed_.cancel();
  }

  /// \param visible_from  Not before the next cycle, nor before that of an earlier token.
  void put(Cycle visible_from) {
    visible_from_.push_back(visible_from);
    changed_.notify(clock_.duration(visible_from - clock_.now()));
  }

  bool is_there() const { return !visible_from_.empty() && visible_from_.front() <= clock_.now(); }

  /// \pre is_there().
  void take() { visible_from_.pop_front(); }

  void wait_there() const {
    while (!is_there()) {
      visible_from_.empty() ? sc_core::wait(changed_) : wait_until(clock_, visible_from_.front());
    }
  }

 private:
  const Clock& clock_;
  std::deque<Cycle> visible_from_;
  sc_core::sc_event changed_;
};

}  // namespace fovea

#endif  // FOVEA_SIM_SYSTEMC_STREAM_H_
