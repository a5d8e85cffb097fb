// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapes and mappings are read as they are written, and a field that is missing or of another type is named.
#include "command_json.h"

#include <gtest/gtest.h>

#include "spec/json_file.h"

namespace fovea {
namespace {

constexpr dla_shape kShape = {64, 16, 17, 192, 3, 5, 2, 1, 4, 3, 2, 0, true, true, false};
constexpr dla_mapping kMapping = {16, 1, 8, 4, 3, 2, 1, 12, false, 5, kDlaLoopOrderRowsFiltersChannels};

TEST(CommandJson, HasTheMembersInTheirOrder) {
  EXPECT_EQ(
      to_json(kShape).dump(),
      R"({"C":64,"H":16,"W":17,"M":192,"R":3,"S":5,"U":2,"V":1,"pad_top":4,"pad_left":3,"pad_bottom":2,"pad_right":0,"pool":true,"scaled":true,"filter_scales":false})");
  EXPECT_EQ(to_json(kMapping).dump(),
            R"({"m":16,"n":1,"e":8,"p":4,"q":3,"r":2,"t":1,"e_glb":12,"ifmap_resident":false,"filter_buffers":5})");
  EXPECT_EQ(to_json(dla_glb_plan{{0, 8192}, {8192, 2048}, {10240, 0}, {12288, 2048}}).dump(),
            R"({"ifmap":[0,8192],"filter":[8192,2048],"psum":[10240,0],"out":[12288,2048]})");
}

TEST(CommandJson, IsReadAsWritten) {
  EXPECT_EQ(to_json(shape_from_json(to_json(kShape))), to_json(kShape));
  EXPECT_EQ(to_json(mapping_from_json(to_json(kMapping))), to_json(kMapping));
}

TEST(CommandJson, HasTheGroupsOfAGroupedConvolutionAlone) {
  dla_shape shape = kShape;
  dla_mapping mapping = kMapping;
  EXPECT_EQ(shape_from_json(to_json(shape)).G, 0u);
  shape.G = 7;
  mapping.g = 2;
  EXPECT_EQ(to_json(shape)["G"], 7);
  EXPECT_EQ(to_json(mapping)["g"], 2);
  EXPECT_EQ(shape_from_json(to_json(shape)).G, 7u);
  EXPECT_EQ(mapping_from_json(to_json(mapping)).g, 2u);
}

TEST(CommandJson, RefusesWhatIsMissingOrOfAnotherType) {
  nlohmann::ordered_json without = to_json(kShape), other = to_json(kMapping);
  without.erase("pool");
  EXPECT_THROW(shape_from_json(without), nlohmann::json::out_of_range);
  other["e"] = "eight";
  EXPECT_THROW(mapping_from_json(other), JsonError);
  other["e"] = -1;
  EXPECT_THROW(mapping_from_json(other), JsonError);
}

}  // namespace
}  // namespace fovea
