// SPDX-License-Identifier: Apache-2.0
/// \file
/// The channels between units, and the interfaces of their ends: queues of items and counts of tokens, both seen a
/// cycle after they were put.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "clock.h"

namespace fovea {

/// The consumer's end of a stream.
template <class Item>
struct StreamIn : virtual sc_core::sc_interface {
  virtual bool is_valid() const = 0;
  virtual void wait_valid() const = 0;

  /// \pre is_valid().
  virtual const Item& front() const = 0;
  virtual Item pop() = 0;
};

/// The producer's end of a stream.
template <class Item>
struct StreamOut : virtual sc_core::sc_interface {
  virtual bool has_room() const = 0;
  virtual void wait_room() const = 0;

  /// Pushes what will be seen from `visible_from` on, not before the next cycle. \pre has_room() by then.
  /// \param visible_from  kNever: show() will tell.
  virtual void push_at(Item item, Cycle visible_from) = 0;

  /// Items that were to be told of are seen from a cycle on, not before the next.
  virtual void show(Cycle visible_from) = 0;

  /// The same, seen from the next cycle on. \pre has_room().
  virtual void push(Item item) = 0;
};

/// Where tokens are taken.
struct TokensIn : virtual sc_core::sc_interface {
  virtual bool is_there() const = 0;
  virtual void wait_there() const = 0;

  /// \pre is_there().
  virtual void take() = 0;
};

/// Where tokens are put.
struct TokensOut : virtual sc_core::sc_interface {
  /// \param visible_from  Not before the next cycle, nor before that of an earlier token.
  virtual void put(Cycle visible_from) = 0;
};

/// A first-in first-out queue, as dla_fifo: an item is seen the cycle after its push, its room the cycle after its pop.
/// One producer and one consumer, each at most one item a cycle.
template <class Item>
class Stream final : public sc_core::sc_prim_channel, public StreamIn<Item>, public StreamOut<Item> {
 public:
  Stream(const char* name, const Clock& clock, size_t depth)
      : sc_prim_channel(name), clock_(clock), depth_(depth), ring_(depth + kAhead) {}

  bool has_room() const override { return level_ + (popped_in_ == clock_.now() ? 1 : 0) < depth_; }
  bool is_valid() const override { return level_ != 0 && ring_[first_].visible_from <= clock_.now(); }

  /// Items that have been pushed and not popped.
  size_t level() const { return level_; }

  const Item& front() const override { return ring_[first_].item; }

  void push(Item item) override { push_at(std::move(item), clock_.now() + 1); }

  void push_at(Item item, Cycle visible_from) override {
    sc_assert(level_ < ring_.size());
    ring_[place_of(level_++)] = {std::move(item), visible_from};
    if (visible_from != kNever) {
      changed_.notify(clock_.duration(visible_from - clock_.now()));
    }
  }

  void show(Cycle visible_from) override {
    for (size_t index = 0; index < level_; ++index) {
      Cycle& cycle = ring_[place_of(index)].visible_from;
      cycle = cycle == kNever ? visible_from : cycle;
    }
    changed_.notify(clock_.duration(visible_from - clock_.now()));
  }

  Item pop() override {
    Item item = std::move(ring_[first_].item);
    first_ = place_of(1);
    --level_;
    popped_in_ = clock_.now();
    room_.notify(clock_.duration(1));
    return item;
  }

  void wait_valid() const override {
    while (!is_valid()) {
      const bool is_known = level_ != 0 && ring_[first_].visible_from != kNever;
      is_known ? wait_until(clock_, ring_[first_].visible_from) : sc_core::wait(changed_);
    }
  }

  void wait_room() const override {
    while (!has_room()) {
      sc_core::wait(room_);
    }
  }

  /// Adds its level to a VCD file, as queue.<name>.
  void trace(sc_core::sc_trace_file* waves) const override {
    sc_core::sc_trace(waves, level_, std::string("queue.") + basename());
  }

  void clear() {
    first_ = 0;
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

  /// Items pushed before there is room, to be seen once there is.
  static constexpr size_t kAhead = 4;

  size_t place_of(size_t index) const {
    const size_t place = first_ + index;
    return place < ring_.size() ? place : place - ring_.size();
  }

  const Clock& clock_;
  size_t depth_;
  std::vector<Entry> ring_;
  size_t first_ = 0;    ///< Where the first item is.
  uint32_t level_ = 0;  ///< How many there are.
  Cycle popped_in_ = kNever;
  sc_core::sc_event changed_, room_;
};

/// Full or empty buffers: each token is seen from a stated cycle on.
class Tokens final : public sc_core::sc_prim_channel, public TokensIn, public TokensOut {
 public:
  Tokens(const char* name, const Clock& clock) : sc_prim_channel(name), clock_(clock) {}

  /// A new layer: `count` tokens from the start.
  void reset(size_t count) {
    visible_from_.assign(count, 0);
    changed_.cancel();
  }

  void put(Cycle visible_from) override {
    visible_from_.push_back(visible_from);
    changed_.notify(clock_.duration(visible_from - clock_.now()));
  }

  bool is_there() const override { return !visible_from_.empty() && visible_from_.front() <= clock_.now(); }

  void take() override { visible_from_.pop_front(); }

  void wait_there() const override {
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
