// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where tensors lie against a map of all bytes, put down one by one; and what is refused against that map.
#include "dla_planes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "drawn_layers.h"

namespace {

using Address = uint64_t;

/// The bytes of the GLB, column by column: which of them is a column's n-th.
std::vector<std::vector<Address>> columns_of(const dla_machine& machine) {
  std::vector<std::vector<Address>> columns(machine.ifmap_bytes_per_cycle);
  const unsigned banks = machine.glb_bytes / machine.glb_bank_bytes;
  const unsigned whole = banks / machine.ifmap_bytes_per_cycle * machine.ifmap_bytes_per_cycle;
  for (unsigned bank = 0; bank < whole; ++bank) {
    for (unsigned byte = 0; byte < machine.glb_bank_bytes; ++byte) {
      columns[bank % columns.size()].push_back(Address{bank} * machine.glb_bank_bytes + byte);
    }
  }
  return columns;
}

/// Where the first byte of each row of a tensor lies: in DRAM, or in the GLB. Rows that leave it are left out.
using Rows = std::map<std::pair<unsigned, unsigned>, Address>;  // By channel and row.

Rows rows_in_dram(const dla_planes& of) {
  Rows rows;
  Address at = of.addr;
  for (unsigned channel = 0; channel < of.channels; ++channel) {
    for (unsigned row = 0; row < of.plane_rows; ++row, at += of.cols) {
      if (row < of.rows) {
        rows[{channel, row}] = at;
      }
    }
  }
  return rows;
}

/// Deals planes to the columns from the first one's on, each behind the one that the column had before.
Rows rows_on_chip(const dla_machine& machine, const dla_planes& of) {
  const std::vector<std::vector<Address>> columns = columns_of(machine);
  std::vector<size_t> ends(columns.size(), of.addr % (1u << kDlaColumnLsb));
  const unsigned first_column = of.addr >> kDlaColumnLsb;
  Rows rows;
  for (unsigned dealt = 0; dealt < first_column + of.channels; ++dealt) {
    size_t& end = ends[dealt % columns.size()];
    for (unsigned row = 0; row < of.rows && dealt >= first_column; ++row) {
      unsigned plane_row = of.first_row;
      for (unsigned i = 0; i < row; ++i) {
        plane_row = plane_row + 1 == of.plane_rows ? 0 : plane_row + 1;
      }
      const size_t byte = end + size_t{plane_row} * of.cols;
      if (byte < columns[dealt % columns.size()].size()) {
        rows[{dealt - first_column, row}] = columns[dealt % columns.size()][byte];
      }
    }
    end += size_t{of.plane_rows} * of.cols;
    end += (machine.bus_bytes - end % machine.bus_bytes) % machine.bus_bytes;
  }
  return rows;
}

/// Every byte of a tensor, whose rows on chip may go on in a column's next bank.
std::multiset<Address> bytes_of(const dla_machine& machine, const dla_planes& of) {
  std::multiset<Address> bytes;
  const Address next_bank = Address{machine.glb_bank_bytes} * (machine.ifmap_bytes_per_cycle - 1);
  for (const auto& [place, first] : of.on_chip ? rows_on_chip(machine, of) : rows_in_dram(of)) {
    Address at = first;
    for (unsigned x = 0; x < of.cols; ++x, ++at) {
      at += of.on_chip && x != 0 && at % machine.glb_bank_bytes == 0 ? next_bank : 0;
      bytes.insert(at);
    }
  }
  return bytes;
}

dla_layer with_places(const Drawn& d, unsigned seed) {
  dla_layer layer{};
  layer.shape = d.shape;
  layer.mapping = d.mapping;
  layer.quant.scale = layer.quant.conv_scale = layer.quant.residual_scale = 1;
  draw_places(d.machine, seed, layer);
  return layer;
}

TEST(Planes, RowsLieWhereTheMapHasThem) {
  unsigned seed = 0;
  for (const Drawn& d : draw_legal(40, 400)) {
    const dla_layer layer = with_places(d, seed++);
    for (const dla_layer_tensor tensor : {kDlaIfmap, kDlaOfmap, kDlaResidual}) {
      const dla_planes of = dla_planes_of(&d.machine, &layer, tensor);
      for (const auto& [place, at] : of.on_chip ? rows_on_chip(d.machine, of) : rows_in_dram(of)) {
        const uint32_t addr = dla_row_addr(&of, place.first, place.second);
        ASSERT_EQ(of.on_chip ? dla_glb_byte(&d.machine, addr) : addr, at) << place.first << ", " << place.second;
      }
    }
  }
}

TEST(Planes, RowsBeforeTheWrapFollowEachOther) {
  unsigned seed = 1000, wraps = 0;
  for (const Drawn& d : draw_legal(41, 300)) {
    const dla_layer layer = with_places(d, seed++);
    const dla_planes of = dla_planes_of(&d.machine, &layer, kDlaIfmap);
    for (uint32_t row = 0; row < of.rows; ++row) {
      uint32_t rows = 1;
      while (row + rows < of.rows && dla_row_addr(&of, 0, row + rows) > dla_row_addr(&of, 0, row + rows - 1)) {
        ++rows;
      }
      ASSERT_EQ(dla_rows_before_wrap(&of, row, of.rows), rows);
      wraps += row + rows != of.rows;
    }
  }
  EXPECT_GT(wraps, 100u);
}

TEST(Planes, BanksAreThoseOfTheirBytes) {
  unsigned seed = 2000, on_chip = 0;
  for (const Drawn& d : draw_legal(42, 300)) {
    const dla_layer layer = with_places(d, seed++);
    const dla_planes of = dla_planes_of(&d.machine, &layer, kDlaOfmap);
    const std::multiset<Address> bytes = bytes_of(d.machine, of);
    if (!of.on_chip || bytes.size() != size_t{of.channels} * of.rows * of.cols || of.plane_rows != of.rows) {
      continue;  // In DRAM; leaves the GLB; or begins and ends with rows of others.
    }
    const dla_region banks = dla_banks_of(&d.machine, &of);
    const Address row = Address{d.machine.glb_bank_bytes} * of.columns;
    const Address first = *bytes.begin() / row * row, end = (*bytes.rbegin() / row + 1) * row;
    // A column that planes begin in later has none in the first bank, perhaps.
    EXPECT_LE(banks.base_bytes, first);
    EXPECT_EQ(banks.base_bytes + banks.size_bytes, end);
    EXPECT_EQ(banks.base_bytes % row, 0u);
    ++on_chip;
  }
  EXPECT_GT(on_chip, 50u);
}

/// What is accepted has no byte twice, none outside of the GLB, and none in a region but an ifmap's in its own.
TEST(Planes, WhatIsAcceptedMeetsNothing) {
  unsigned seed = 3000, accepted = 0, refused = 0;
  for (const Drawn& d : draw_legal(43, 3000)) {
    dla_layer layer = with_places(d, seed++);
    if (!plan_around(d.machine, layer)) {
      continue;
    }
    const dla_error error = dla_check_layer(&d.machine, &layer);
    refused += error == kDlaErrorBadOnChip || error == kDlaErrorBadPlane || error == kDlaErrorBadResidual;
    if (error != kDlaErrorNone) {
      continue;
    }
    ++accepted;
    std::map<dla_layer_tensor, std::multiset<Address>> bytes;
    for (const dla_layer_tensor tensor : {kDlaIfmap, kDlaOfmap, kDlaResidual}) {
      const dla_planes of = dla_planes_of(&d.machine, &layer, tensor);
      if (!of.on_chip || (tensor == kDlaResidual && !layer.shape.residual)) {
        continue;
      }
      bytes[tensor] = bytes_of(d.machine, of);
      ASSERT_EQ(bytes[tensor].size(), size_t{of.channels} * of.rows * of.cols) << "leaves the GLB";
      ASSERT_EQ(std::set<Address>(bytes[tensor].begin(), bytes[tensor].end()).size(), bytes[tensor].size());
      const auto meets = [&](const dla_region& region) {
        const auto at = bytes[tensor].lower_bound(region.base_bytes);
        return region.size_bytes != 0 && at != bytes[tensor].end() && *at < region.base_bytes + region.size_bytes;
      };
      for (const dla_region& region : {layer.glb.filter, layer.glb.psum, layer.glb.out, layer.glb.residual}) {
        EXPECT_FALSE(meets(region));
      }
      EXPECT_TRUE(!meets(layer.glb.ifmap) || (layer.shape.ifmap_on_chip && tensor != kDlaResidual));
    }
    for (const Address byte : bytes[kDlaOfmap]) {
      ASSERT_EQ(bytes[kDlaIfmap].count(byte), 0u);
    }
    for (const Address byte : bytes[kDlaIfmap]) {
      ASSERT_GE(byte, layer.glb.ifmap.base_bytes);
      ASSERT_LT(byte, layer.glb.ifmap.base_bytes + layer.glb.ifmap.size_bytes);
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(accepted, 200u);
  EXPECT_GT(refused, 50u);
}

}  // namespace
