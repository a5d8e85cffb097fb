// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layer command goes to register words and back without a loss, and what fits no field is refused. (Where each field
/// stands is checked by hand in driver/dif.)
#include "dla_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace {

constexpr dla_machine kAnyMachine = {6, 8, 12, 48, 16, 65536, 2048, 4, 1, 4, 4, 128};
using Words = std::array<uint32_t, DLA_LAYER_WORDS>;

/// The bits that belong to a field.
Words bits_of_fields() {
  Words bits{};
  for (const dla_field_group& group : dla_layer_groups) {
    for (const dla_field* field = group.fields; field != group.fields + group.count; ++field) {
      const bool is_region = field->kind == kDlaFieldRegion;
      bits[field->word] |= is_region ? UINT32_MAX : dla_field_max(field) << field->lsb;
    }
  }
  return bits;
}

TEST(LayerWords, GoToACommandAndBack) {
  const Words used = bits_of_fields();
  std::mt19937 source(1);
  for (int i = 0; i < 1000; ++i) {
    Words words;
    std::generate(words.begin(), words.end(), source);
    for (size_t w = 0; w < words.size(); ++w) {
      // Banks beyond 4 GiB are no bytes: at most 15 bits of them here.
      words[w] &= w >= 10 && w < 14 ? 0x7fff7fffu : used[w];
    }
    const dla_layer layer = dla_unpack_layer(&kAnyMachine, words.data());
    Words again;
    ASSERT_TRUE(dla_pack_layer(&kAnyMachine, &layer, again.data()));
    ASSERT_EQ(again, words);
  }
}

TEST(LayerWords, KnowTheirReservedBits) {
  const Words used = bits_of_fields();
  for (size_t w = 0; w < used.size(); ++w) {
    for (uint32_t bit = 0; bit < 32; ++bit) {
      Words words{};
      words[w] = 1u << bit;
      EXPECT_EQ(dla_has_reserved_bits(words.data()), (used[w] >> bit & 1) == 0) << "word " << w << " bit " << bit;
    }
  }
}

TEST(LayerWords, NeedABankSize) {
  const dla_machine no_banks{};
  const dla_layer layer{};
  Words words;
  EXPECT_FALSE(dla_pack_layer(&no_banks, &layer, words.data()));
}

/// Each number in turn at the largest value of its bits, and one above.
TEST(Fields, AreRefusedAboveWhatTheirBitsHold) {
  for (const dla_field_group& group : dla_layer_groups) {
    for (const dla_field* field = group.fields; field != group.fields + group.count; ++field) {
      if ((field->kind != kDlaFieldNumber && field->kind != kDlaFieldChoice) || field->is_byte || field->width == 32) {
        continue;
      }
      dla_layer layer{};
      Words words;
      void* of = reinterpret_cast<char*>(&layer) + group.offset;
      dla_set_field(field, of, dla_field_max(field));
      EXPECT_TRUE(dla_pack_layer(&kAnyMachine, &layer, words.data())) << group.name << "." << field->name;
      EXPECT_EQ(dla_get_field(field, of), dla_field_max(field));
      dla_set_field(field, of, dla_field_max(field) + 1);
      EXPECT_FALSE(dla_pack_layer(&kAnyMachine, &layer, words.data())) << group.name << "." << field->name;
    }
  }
}

TEST(Fields, SayHowTextNamesThem) {
  const dla_field_group& mapping = dla_layer_groups[kDlaLayerMapping];
  EXPECT_STREQ(mapping.name, "mapping");
  EXPECT_TRUE(mapping.fields[1].is_fixed) << "n";
  EXPECT_STREQ(mapping.fields[8].text_off, "streamed");
  EXPECT_STREQ(mapping.fields[10].choices[0], "kDlaLoopOrderRowsFiltersChannels");
}

}  // namespace
