// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each assertion inside the accelerator fires when the signals it watches are forced to break it.
///
/// dla_top is verilated with the signals of forceable.vlt forceable; a sabotage forces some of them before a clock
/// edge. What it forces is where a value comes from: Verilator lets an assertion read that, not the ports on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "Vtop_assertions.h"
#include "Vtop_assertions___024root.h"
#include "assertion_bench.h"
#include "verilated.h"

namespace fovea {
namespace {

using Signals = Vtop_assertions___024root;
using Force = void (*)(Signals&);

// Forces bit 0 of a signal below dla_top; the second form, the bits of `mask`.
#define FORCE(signal, value) FORCE_BITS(signal, 1, value)
#define FORCE_BITS(signal, mask, value)                               \
  [](Signals& signals) {                                              \
    set_low_word(signals.dla_top__DOT__##signal##__VforceEn, mask);   \
    set_low_word(signals.dla_top__DOT__##signal##__VforceVal, value); \
  }

// Sets an input of dla_top, or what a register holds.
#define SET(signal, value) [](Signals& signals) { signals.signal = value; }

template <class Number>
void set_low_word(Number& number, uint32_t value) {
  number = static_cast<Number>(value);
}
template <std::size_t words>
void set_low_word(VlWide<words>& wide, uint32_t value) {
  wide[0] = value;
}

struct Bench {
  VerilatedContext context;
  Vtop_assertions top{&context, "TOP"};

  Bench() {
    cycle({});
    top.rst_ni = 1;
    cycle({});
  }

  void cycle(const std::vector<Force>& forces) {
    for (const Force force : forces) {
      force(*top.rootp);
    }
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }
};

/// What to force, cycle by cycle; a force stays.
struct Break {
  std::string assertion;
  std::vector<std::vector<Force>> cycles;
};

const std::vector<Break> kBreaks = {
    {"OneCause", {{FORCE(u_array_ctrl__DOT__compute_o, 1), FORCE(u_array_ctrl__DOT__psum_wait_o, 1)}}},
    {"CausesAddUp", {{SET(dla_top__DOT__u_counters__DOT__count_q[0], 1)}}},
    {"QueueHoldsAtMostItsDepth", {{SET(dla_top__DOT__u_loads__DOT__write_q, 7)}}},
    {"QueueOutStaysValid",
     {{FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 0)},
      {FORCE(u_loads__DOT__out_valid_o, 0)}}},
    {"QueueOutHoldsData",
     {{FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 0)},
      {SET(dla_top__DOT__u_loads__DOT__entries_q[0][0], 1)}}},
    {"DebtGrowsWhileLateOnly", {{}, {FORCE_BITS(u_array_ctrl__DOT__u_window__DOT__owed_q, 0xff, 5)}}},
    // The last word of a filter set: all of its counters are about to reach 0, the sizes of the set that is not there.
    {"DebtEndsWithItsChunk",
     {{SET(dla_top__DOT__u_filter_feed__DOT__state_q, 3), SET(dla_top__DOT__u_filter_feed__DOT__word_q, 0x7ff),
       SET(dla_top__DOT__u_filter_feed__DOT__row_q, 0xf), SET(dla_top__DOT__u_filter_feed__DOT__set_index_q, 0x3f),
       SET(dla_top__DOT__u_filter_feed__DOT__filter_q, 0xff)},
      {FORCE(u_array_ctrl__DOT__u_set__DOT__owed_q, 1)}}},
    // Setup's first step, in which checks are made.
    {"AFailedCheckHasACause",
     {{FORCE_BITS(u_setup__DOT__step_q, 0x3f, 1)},
      {FORCE_BITS(u_setup__DOT__step_q, 0x3f, 1)},
      {FORCE_BITS(u_setup__DOT__u_check__DOT__error_o, 0xff, 0)}}},
    {"NoCauseWithoutAFailedCheck",
     {{FORCE_BITS(u_setup__DOT__step_q, 0x3f, 1), FORCE_BITS(u_setup__DOT__u_check__DOT__fails_q, 0xffffffff, 0)},
      {FORCE_BITS(u_setup__DOT__u_check__DOT__error_o, 0xff, 1)}}},
    {"OneDivisionAtATime",
     {{SET(dla_top__DOT__u_setup__DOT__u_quotients__DOT__u_divider__DOT__count_q, 3),
       FORCE_BITS(u_setup__DOT__u_quotients__DOT__which_q, 7, 1)}}},
    {"RestIsLessThanTheDivisor",
     {{SET(dla_top__DOT__u_setup__DOT__u_quotients__DOT__u_divider__DOT__count_q, 3),
       SET(dla_top__DOT__u_setup__DOT__u_quotients__DOT__u_divider__DOT__divisor_q, 1),
       FORCE_BITS(u_setup__DOT__u_quotients__DOT__u_divider__DOT__rest_q, 0xff, 5)}}},
    {"AQuotientWasAskedFor", {{FORCE(u_setup__DOT__u_quotients__DOT__u_divider__DOT__done_o, 1)}}},
    {"OneLayerAtATime", {{FORCE(u_control__DOT__setup_start_o, 1), FORCE(u_setup__DOT__u_quotients__DOT__done_o, 0)}}},
    {"OperandsStayForBothBytes",
     {{SET(dla_top__DOT__u_setup__DOT__u_multiplier__DOT__first_q, 1), FORCE_BITS(u_setup__DOT__step_q, 0x3f, 1)}}},
    // Register 15 of the layer command: the lowest output is its first byte.
    {"OutputsAreBetweenTheirBounds",
     {{SET(dla_top__DOT__layer[15], 1),
       FORCE_BITS(u_post__DOT__gen_lane__BRA__0__KET____DOT__u_requant__DOT__activation_o, 0xff, 0)}}},
    {"AtMostDepthBurstsAreOut", {{SET(dla_top__DOT__u_axi_checker__DOT__u_read__DOT__count, 100)}}},
    {"BurstsAreFromHeadToTail", {{SET(dla_top__DOT__u_axi_checker__DOT__u_write__DOT__count, 1)}}},
    {"StartIsOfAnIdleDevice", {{SET(dla_top__DOT__u_control__DOT__state_q, 1), FORCE(u_regs__DOT__start_o, 1)}}},
    {"LayerEndsOneWay", {{FORCE(u_control__DOT__done_o, 1), FORCE(u_control__DOT__failed_o, 1)}}},
    {"EndedMeansIdle", {{FORCE(u_control__DOT__ended_o, 1)}, {SET(dla_top__DOT__u_control__DOT__state_q, 5)}}},
    {"NextIsOfAList", {{SET(dla_top__DOT__u_control__DOT__state_q, 9)}}},
    {"WhatIsLoadedEarlyIsKept", {{SET(dla_top__DOT__u_control__DOT__early_q, 1)}}},
    {"NothingIsLoadedOfNoLayer", {{SET(dla_top__DOT__u_control__DOT__prefetches_q, 1)}}},
    {"FiltersComeBehindAll", {{FORCE(u_control__DOT__prefetch_o, 1), SET(dla_top__DOT__u_load__DOT__state_q, 1)}}},
    {"BeginsWhenIdle", {{FORCE(u_control__DOT__prefetch_o, 1), SET(dla_top__DOT__u_sequencer__DOT__state_q, 14)}}},
    {"StartsOnce", {{SET(dla_top__DOT__u_control__DOT__state_q, 4), SET(dla_top__DOT__u_sequencer__DOT__state_q, 14)}}},
    {"KeepsFiltersOnly",
     {{SET(dla_top__DOT__u_control__DOT__state_q, 3), SET(dla_top__DOT__u_control__DOT__prefetches_q, 1),
       FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 1)}}},
    {"ALayerEndsBehindTheRecordBefore",
     {{SET(dla_top__DOT__u_control__DOT__state_q, 5), SET(dla_top__DOT__u_store__DOT__last_q, 1),
       SET(dla_top__DOT__u_list__DOT__record_state_q, 1)}}},
    {"RecordsOneAtATime",
     {{SET(dla_top__DOT__u_control__DOT__state_q, 5), SET(dla_top__DOT__u_control__DOT__list_q, 1),
       SET(dla_top__DOT__u_store__DOT__last_q, 1), SET(dla_top__DOT__u_list__DOT__record_state_q, 1),
       SET(dla_top__DOT__u_list__DOT__current_record_q, 128)}}},
    {"FetchesOneAtATime", {{SET(dla_top__DOT__u_list__DOT__fetch_q, 1), FORCE(u_regs__DOT__list_start_o, 1)}}},
    {"AdvancesToWhatIsThere", {{FORCE(u_control__DOT__advance_o, 1)}}},
    {"EntryIsOneBurst", {{SET(dla_top__DOT__u_list__DOT__fetch_q, 2), SET(m_axi_rvalid_i, 1), SET(m_axi_rlast_i, 1)}}},
    {"ListHasTheReadChannels",
     {{SET(dla_top__DOT__u_list__DOT__fetch_q, 1), SET(dla_top__DOT__u_load__DOT__state_q, 1)}}},
    {"ListHasTheWriteChannels",
     {{SET(dla_top__DOT__u_list__DOT__record_state_q, 1), SET(dla_top__DOT__u_store__DOT__u_owed__DOT__write_q, 1)}}},
    // The sequencer's state Strip.
    {"FirstSetLeaves",
     {{SET(dla_top__DOT__u_sequencer__DOT__state_q, 15), SET(dla_top__DOT__u_sequencer__DOT__swapped_q, 1)}}},
    // The sequencer's states LoadFilter and Push; a pass's new_filter is its bit 173.
    {"MadeLoadStaysValid",
     {{FORCE(u_loads__DOT__in_ready_o, 0), SET(dla_top__DOT__u_sequencer__DOT__state_q, 14)},
      {SET(dla_top__DOT__u_sequencer__DOT__state_q, 0)}}},
    {"MadeLoadHoldsData",
     {{FORCE(u_loads__DOT__in_ready_o, 0), SET(dla_top__DOT__u_sequencer__DOT__state_q, 14)},
      {SET(dla_top__DOT__u_sequencer__DOT__filter_addr_q, 64)}}},
    {"MadePassStaysValid",
     {{FORCE(u_passes__DOT__in_ready_o, 0), SET(dla_top__DOT__u_sequencer__DOT__state_q, 21)},
      {SET(dla_top__DOT__u_sequencer__DOT__state_q, 0)}}},
    {"MadePassHoldsData",
     {{FORCE(u_passes__DOT__in_ready_o, 0), SET(dla_top__DOT__u_sequencer__DOT__state_q, 21)},
      {SET(dla_top__DOT__u_sequencer__DOT__pass_q[0], 1)}}},
    {"MadeFilterSetStaysValid",
     {{FORCE(u_sets__DOT__in_ready_o, 0), SET(dla_top__DOT__u_sequencer__DOT__state_q, 21),
       SET(dla_top__DOT__u_sequencer__DOT__pass_q[5], 1 << 13)},
      {SET(dla_top__DOT__u_sequencer__DOT__state_q, 0)}}},
    {"MadeFilterSetHoldsData",
     {{FORCE(u_sets__DOT__in_ready_o, 0), SET(dla_top__DOT__u_sequencer__DOT__state_q, 21),
       SET(dla_top__DOT__u_sequencer__DOT__pass_q[5], 1 << 13)},
      {SET(dla_top__DOT__u_sequencer__DOT__pe_words_q, 1)}}},
    {"TokensAreAtMostTwo", {{SET(dla_top__DOT__u_array_ctrl__DOT__sets_q, 3)}}},
    {"StepEndsInTime", {{SET(dla_top__DOT__u_array_ctrl__DOT__state_q, 2)}}},
    {"HalvesAreTwo", {{SET(dla_top__DOT__u_filter_feed__DOT__halves_q, 3)}}},
    {"StepBeforeWasFed",
     {{SET(dla_top__DOT__u_ifmap_feed__DOT__active_q, 1), FORCE(u_array_ctrl__DOT__feed_start_o, 1)}}},
    {"EachPlaceIsInItsSet",
     {{SET(dla_top__DOT__u_psum_in__DOT__left_q, 1), SET(dla_top__DOT__u_psum_in__DOT__u_places__DOT__e_q, 0)}}},
    {"SlotWasBrought",
     {{SET(dla_top__DOT__u_psum_in__DOT__slot_q, 4), SET(dla_top__DOT__u_psum_in__DOT__left_q, 0x20)}}},
    {"ActivationsStayInTheirTile", {{SET(dla_top__DOT__u_post__DOT__valid_stages_q, 1)}}},
    // Register 9 of the layer command: outputs are looked up if its bit 6 is set.
    {"TableStandsWhileItIsRead",
     {{SET(dla_top__DOT__layer[9], 1 << 6), SET(dla_top__DOT__u_post__DOT__valid_stages_q, 1),
       FORCE(u_load__DOT__table_write_o, 1)}}},
    // Register 5 of the layer command: outputs are scaled if its bit 17 is set.
    {"AValueIsNormal",
     {{SET(dla_top__DOT__layer[5], 1 << 17)},
      {},
      {SET(dla_top__DOT__u_post__DOT__gen_lane__BRA__0__KET____DOT__u_rescale__DOT__value_q, 1)}}},
    {"ScalesAreThere", {{FORCE(u_post__DOT__u_scales__DOT__next, 1)}}},
    {"ScalesAreNotWrittenOver",
     {{FORCE(u_post__DOT__u_scales__DOT__reads_on, 1), SET(dla_top__DOT__u_post__DOT__u_scales__DOT__ahead_q, 4)}}},
    // Into a PE: mac is bit 30 of a control flit and its pixel from bit 11 on.
    {"ProductsFollowPlaces", {{SET(dla_top__DOT__u_array_ctrl__DOT__u_products__DOT__ctrl_o, 1 << 30)}}},
    {"FilterGoesToAPe",
     {{SET(dla_top__DOT__u_filter_feed__DOT__state_q, 3), SET(dla_top__DOT__u_filter_feed__DOT__set_index_q, 0x1f)},
      {}}},
    {"PsumGoesToAPe",
     {{SET(dla_top__DOT__u_psum_in__DOT__valid_o, 1), SET(dla_top__DOT__u_psum_in__DOT__row_o[0], 31)}}},
    {"WeightIsInTheSpad", {{SET(dla_top__DOT__u_array__DOT__gen_row__BRA__0__KET____DOT__weight_q, 0x3f)}}},
    // A word for the first column: bit 37 of what a row passes on.
    {"WeightIsNotBeingWritten",
     {{SET(dla_top__DOT__u_array__DOT__gen_row__BRA__0__KET____DOT__weight_q, 0x20),
       SET(dla_top__DOT__u_array__DOT__gen_row__BRA__0__KET____DOT__filter_q, 1ull << 37),
       SET(dla_top__DOT__u_array__DOT__gen_row__BRA__0__KET____DOT__filter_comes_q, 1)}}},
    {"PixelIsInTheSpad",
     {{SET(dla_top__DOT__u_array__DOT__gen_row__BRA__0__KET____DOT__ctrl_q, 1 << 30 | 0x1f << 11)}}},
    {"NoLimitIsNeverReached",
     {{SET(dla_top__DOT__u_control__DOT__state_q, 5), SET(dla_top__DOT__u_watchdog__DOT__left_q, 1)}}},
    {"TheCountStaysWithinTheLimit", {{}, {SET(dla_top__DOT__u_watchdog__DOT__left_q, 9)}}},
    {"FirstTileFollowsAClear",
     {{SET(dla_top__DOT__u_control__DOT__state_q, 3)}, {SET(dla_top__DOT__u_tiles__DOT__next_q, 1)}}},
    {"ATileIsKeptAsTaken",
     {{FORCE(u_array_ctrl__DOT__tile_taken_o, 1)}, {SET(dla_top__DOT__u_tiles__DOT__tiles_o[0], 1)}}},
    // The sequencer's state Group.
    {"PlanesAreCountedOnce",
     {{SET(dla_top__DOT__u_sequencer__DOT__state_q, 10),
       SET(dla_top__DOT__u_sequencer__DOT__u_tile_places__DOT__step_q, 2)}}},
    {"PlanesAreThere",
     {{SET(dla_top__DOT__u_sequencer__DOT__u_tile_places__DOT__row_step_q, 4),
       SET(dla_top__DOT__u_sequencer__DOT__u_tile_places__DOT__step_q, 2)}}},
    // Setup's first step; the highest bit of an extent says that it is in the GLB, its first word which banks it has.
    {"AnExtentIsInTheGlb",
     {{FORCE_BITS(u_setup__DOT__step_q, 0x3f, 1)},
      {SET(dla_top__DOT__u_setup__DOT__u_ifmap_extent__DOT__extent_o[2], 1 << 16),
       SET(dla_top__DOT__u_setup__DOT__u_ifmap_extent__DOT__extent_o[0], ~0u)}}},
    // Registers 10 and 17 of the layer command: 8 banks of an ifmap that is on chip. There is no column 31.
    {"AColumnTakesEachBeat",
     {{SET(dla_top__DOT__layer[10], 8 << 16), SET(dla_top__DOT__layer[17], 1 << 16),
       SET(dla_top__DOT__u_store__DOT__u_answers__DOT__entries_q[0], 0x1f000000),
       SET(dla_top__DOT__u_chip_write__DOT__valid_q, 1)}}},
    {"TopRowIsInTheIfmap", {{SET(dla_top__DOT__u_sequencer__DOT__u_tile_rows__DOT__clipped_q, 1)}}},
    {"BottomRowIsNotAboveIt",
     {{SET(dla_top__DOT__u_sequencer__DOT__u_tile_rows__DOT__clipped_q, 1),
       SET(dla_top__DOT__u_sequencer__DOT__u_tile_rows__DOT__top_o, 5)}}},
    {"SlotsHoldTheirPsums", {{SET(dla_top__DOT__u_sequencer__DOT__u_lengths__DOT__step_q, 2)}}},
    {"ExtentsStay",
     {{},
      {SET(dla_top__DOT__u_sequencer__DOT__u_lengths__DOT__step_q, 1),
       SET(dla_top__DOT__u_sequencer__DOT__pass_q[9], 0xffu << 16)}}},
    {"WeightIsReadACycleBefore", {{}, {SET(dla_top__DOT__u_array_ctrl__DOT__u_products__DOT__ctrl_o, 1 << 30)}}},
    {"PixelIsInTheRing", {{SET(dla_top__DOT__u_array_ctrl__DOT__u_products__DOT__ctrl_o, 1 << 30)}}},
    {"BeatBelongsToABurst", {{SET(m_axi_rvalid_i, 1)}}},
    {"AnswerBelongsToABurst", {{SET(m_axi_bvalid_i, 1)}}},
    {"PassIsKnown", {{FORCE(u_psum_out__DOT__slot, 1), FORCE(u_psum_out__DOT__u_passes__DOT__out_valid_o, 0)}}},
    {"QueueHasRoom",
     {{FORCE(u_array_ctrl__DOT__pass_ready_o, 1), FORCE(u_psum_out__DOT__u_passes__DOT__in_ready_o, 0)}}},
    {"SlotWasCollected", {{FORCE(u_psum_out__DOT__slot, 1), FORCE_BITS(u_psum_out__DOT__left_q, 0x20, 0x20)}}},
    {"TileHasRoom", {{FORCE(u_post__DOT__tile_valid_o, 1), FORCE(u_store__DOT__u_tiles__DOT__in_ready_o, 0)}}},
    {"BeatHasRoom",
     {{FORCE(u_store__DOT__u_residual__DOT__beat_o, 1), FORCE(u_store__DOT__u_beats__DOT__in_ready_o, 0)}}},
    {"BurstHasRoom", {{FORCE(u_store__DOT__burst_done, 1), FORCE(u_store__DOT__u_bursts__DOT__in_ready_o, 0)}}},
    {"AWholeBurstIsThere", {{SET(dla_top__DOT__u_store__DOT__whole_q, 1)}}},
    // Register 5 of the layer command: a residual is added if its bit 19 is set.
    {"TokensStayInTheirRange",
     {{SET(dla_top__DOT__u_load__DOT__residual_loaded_o, 1),
       SET(dla_top__DOT__u_store__DOT__u_residual__DOT__full_q, 2)}}},
    {"SumBoundsAreInOrder",
     {{SET(dla_top__DOT__layer[5], 1 << 19), SET(dla_top__DOT__layer[15], 0xffff0000),
       FORCE(u_store__DOT__u_residual__DOT__beat_o, 1)}}},
    {"ASumIsInItsBounds",
     {{SET(dla_top__DOT__layer[5], 1 << 19), SET(dla_top__DOT__layer[15], 0xff000000)},
      {SET(dla_top__DOT__u_store__DOT__u_residual__DOT__gen_byte__BRA__0__KET____DOT__u_add__DOT__sum_o, 1)}}},
    {"OnlyAWordEndsAFilter", {{SET(dla_top__DOT__u_store__DOT__u_mean__DOT__ends_q, 1)}}},
    {"AResidualIsThere", {{SET(dla_top__DOT__layer[5], 1 << 19), FORCE(u_store__DOT__begins, 1)}}},
    {"BeatsStayInTheirTile", {{SET(dla_top__DOT__layer[5], 1 << 19), FORCE(u_store__DOT__beat_done, 1)}}},
    {"ASumIsNormal",
     {{SET(dla_top__DOT__layer[5], 1 << 19)},
      {},
      {SET(dla_top__DOT__u_store__DOT__u_residual__DOT__gen_byte__BRA__0__KET____DOT__u_add__DOT__u_inner__DOT__sum_o,
           1)}}},
    {"BeatIsThere", {{SET(dla_top__DOT__u_store__DOT__u_owed__DOT__write_q, 1)}}},
    {"OwedHasRoom", {{FORCE(u_store__DOT__asks_q, 1), FORCE(u_store__DOT__u_owed__DOT__in_ready_o, 0)}}},
    {"WriteResponseStaysValid",
     {{FORCE(u_regs__DOT__bvalid_o, 1), FORCE(u_regs__DOT__bready_i, 0)}, {FORCE(u_regs__DOT__bvalid_o, 0)}}},
    {"WriteResponseHoldsData",
     {{FORCE(u_regs__DOT__bvalid_o, 1), FORCE(u_regs__DOT__bready_i, 0), FORCE(u_regs__DOT__bresp_o, 0)},
      {FORCE(u_regs__DOT__bresp_o, 1)}}},
    {"ReadDataStaysValid",
     {{FORCE(u_regs__DOT__rvalid_o, 1), FORCE(u_regs__DOT__rready_i, 0)}, {FORCE(u_regs__DOT__rvalid_o, 0)}}},
    {"ReadDataHoldsData",
     {{FORCE(u_regs__DOT__rvalid_o, 1), FORCE(u_regs__DOT__rready_i, 0), FORCE(u_regs__DOT__rdata_o, 0)},
      {FORCE(u_regs__DOT__rdata_o, 1)}}},
    {"LoadStaysValid",
     {{FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 0)},
      {FORCE(u_loads__DOT__out_valid_o, 0)}}},
    {"LoadHoldsData",
     {{FORCE(u_loads__DOT__out_valid_o, 1), FORCE(u_load__DOT__job_ready_o, 0)},
      {SET(dla_top__DOT__u_loads__DOT__entries_q[0][0], 1)}}},
    {"FilterSetStaysValid",
     {{FORCE(u_sets__DOT__out_valid_o, 1), FORCE(u_filter_feed__DOT__set_ready_o, 0)},
      {FORCE(u_sets__DOT__out_valid_o, 0)}}},
    {"FilterSetHoldsData",
     {{FORCE(u_sets__DOT__out_valid_o, 1), FORCE(u_filter_feed__DOT__set_ready_o, 0)},
      {SET(dla_top__DOT__u_sets__DOT__entries_q[0], 1)}}},
    {"PassStaysValid",
     {{FORCE(u_passes__DOT__out_valid_o, 1), FORCE(u_array_ctrl__DOT__pass_ready_o, 0)},
      {FORCE(u_passes__DOT__out_valid_o, 0)}}},
    {"PassHoldsData",
     {{FORCE(u_passes__DOT__out_valid_o, 1), FORCE(u_array_ctrl__DOT__pass_ready_o, 0)},
      {SET(dla_top__DOT__u_passes__DOT__entries_q[0][0], 1)}}},
    {"QuotientsAreThere",
     {{FORCE_BITS(u_setup__DOT__step_q, 0x3f, 28), FORCE(u_setup__DOT__u_quotients__DOT__done_o, 0)}}},
    // In an idle device every address is 0, and every bank in the first column.
    {"EachReadIsInItsColumn", {{FORCE_BITS(u_ifmap_feed__DOT__glb_read_o, 3, 3)}}},
    {"EachWriteIsInItsColumn", {{FORCE(u_psum_out__DOT__glb_write_o, 1)}}},
    // The first bank is given to the psums, whose column follows four of ifmaps and one of filters.
    {"NoReadOfAByteBeingWritten",
     {{SET(dla_top__DOT__u_glb__DOT__gen_bank__BRA__0__KET____DOT__column_q, 5), FORCE(u_psum_in__DOT__glb_read_o, 1),
       FORCE(u_psum_out__DOT__glb_write_o, 1)}}},
};

/// Assertions of every source file but the checkers, which have tests of their own.
std::set<std::string> assertions_of_the_units() {
  std::set<std::string> names;
  std::ifstream list(std::string(FOVEA_RTL_DIR) + "/dla.f");
  for (std::string line; std::getline(list, line);) {
    if (line.rfind("src/", 0) == 0 && line.find("_checker.sv") == std::string::npos) {
      names.merge(assertions_of(line));
    }
  }
  return names;
}

TEST(TopAssertions, HoldInAnIdleDevice) {
  EXPECT_THAT(failed_assertions([] {
                Bench bench;
                for (int cycle = 0; cycle < 100; ++cycle) {
                  bench.cycle({});
                }
              }),
              testing::IsEmpty());
}

TEST(TopAssertions, EachCanBeBroken) {
  for (const Break& sabotage : kBreaks) {
    EXPECT_THAT(failed_assertions([&] {
                  Bench bench;
                  for (const std::vector<Force>& forces : sabotage.cycles) {
                    bench.cycle(forces);
                  }
                  bench.cycle({});  // A force may reach what depends on it only after an edge.
                }),
                testing::Contains(sabotage.assertion));
  }
}

TEST(TopAssertions, NoneIsUntested) {
  std::set<std::string> broken;
  for (const Break& sabotage : kBreaks) {
    broken.insert(sabotage.assertion);
  }
  EXPECT_EQ(broken, assertions_of_the_units());
}

}  // namespace
}  // namespace fovea
