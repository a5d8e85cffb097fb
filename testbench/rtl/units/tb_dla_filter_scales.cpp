// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does each psum get its filter's scale two cycles later, while as many sets ahead as there is room for are written?
#include <array>
#include <deque>
#include <random>
#include <vector>

#include "Vdla_filter_scales.h"
#include "unit_bench.h"

namespace fovea {
namespace {

// As the bench is built: two lanes, two scales a word of the network, four sets.
constexpr uint32_t kLanes = 2, kScalesAWord = 2, kMostFilters = 20, kSets = 4;

class FilterScales : public UnitBench<Vdla_filter_scales> {
 protected:
  using Set = std::vector<uint32_t>;  ///< A scale a filter.

  FilterScales() { reset(); }

  uint32_t below(uint32_t end) { return static_cast<uint32_t>(source_()) % end; }

  void write_word(const Set& set, uint32_t word) {
    unit.write_i = 1;
    unit.word_i = static_cast<uint16_t>(word);
    uint64_t data = 0;
    for (uint32_t i = 0; i < kScalesAWord && word * kScalesAWord + i < set.size(); ++i) {
      data |= uint64_t{set[word * kScalesAWord + i]} << 32 * i;
    }
    unit.data_i = data;
  }

  /// One word of what is being written, if anything is and there is room for it.
  void step_writer() {
    unit.write_i = 0;
    if (written_ == writing_.size()) {
      // The set that is read, and those ahead of it.
      if (below(3) != 0 || ahead_.size() + 1 >= kSets) {
        return;
      }
      writing_.assign(1 + below(kMostFilters), 0);
      for (uint32_t& scale : writing_) {
        scale = static_cast<uint32_t>(source_());
      }
      written_ = 0;
    }
    write_word(writing_, static_cast<uint32_t>(written_) / kScalesAWord);
    written_ = std::min<size_t>(written_ + kScalesAWord, writing_.size());
    if (written_ == writing_.size()) {
      ahead_.push_back(writing_);
    }
  }

  /// Psums of the set that is read, of any of its filters; sometimes the first of the next.
  void step_reader() {
    unit.read_i = 0;
    unit.next_i = below(2) == 0;  // Means nothing without a psum.
    std::array<uint32_t, kLanes> expected{};
    const bool is_next = !ahead_.empty() && below(8) == 0;
    if (below(4) != 0 && (is_next || !reading_.empty())) {
      if (is_next) {
        reading_ = ahead_.front();
        ahead_.pop_front();
      }
      unit.next_i = is_next;
      unit.read_i = below(4) == 0 ? 1 : 3;
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const uint32_t filter = below(static_cast<uint32_t>(reading_.size()));
        unit.filter_i[lane] = static_cast<uint16_t>(filter);
        expected[lane] = reading_[filter];
      }
    }
    due_.push_back({unit.read_i, expected});
  }

  void check() {
    if (due_.size() < 2) {
      return;
    }
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((due_.front().lanes >> lane & 1) != 0) {
        ASSERT_EQ(unit.scale_o[lane], due_.front().scales[lane]) << "lane " << lane;
        ++checked_;
      }
    }
    due_.pop_front();
  }

  struct Due {
    uint32_t lanes;
    std::array<uint32_t, kLanes> scales;
  };

  std::mt19937 source_{1};
  Set reading_, writing_;
  size_t written_ = 0;
  std::deque<Set> ahead_;  ///< Written and not read yet.
  std::deque<Due> due_;
  int checked_ = 0;
};

TEST_F(FilterScales, AreThoseOfEachPsumsFilter) {
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    step_reader();
    step_writer();
    cycle();
    check();
  }
  EXPECT_GT(checked_, 10000);
}

TEST_F(FilterScales, BeginAnewAfterAClear) {
  for (int round = 0; round < 50 && !HasFailure(); ++round) {
    for (uint32_t i = below(200); i > 0; --i) {
      step_reader();
      step_writer();
      cycle();
      check();
    }
    unit.read_i = unit.write_i = 0;
    unit.clear_i = 1;
    cycle();
    unit.clear_i = 0;
    reading_.clear();
    writing_.clear();
    ahead_.clear();
    due_.clear();
    written_ = 0;
  }
}

}  // namespace
}  // namespace fovea
