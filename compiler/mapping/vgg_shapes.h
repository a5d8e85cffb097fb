// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layers of VGG-8 (CIFAR-10) and VGG-16 (224x224), for tests and benchmarks of the mapper.
#pragma once

#include "spec/dla_layer.h"

namespace fovea {

/// Five convolutions, and three fully connected layers as convolutions whose filters are as large as the ifmap.
inline constexpr dla_shape kVgg8[] = {
    {3, 32, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1, true},   {64, 16, 16, 192, 3, 3, 1, 1, 1, 1, 1, 1, true},
    {192, 8, 8, 384, 3, 3, 1, 1, 1, 1, 1, 1, false}, {384, 8, 8, 256, 3, 3, 1, 1, 1, 1, 1, 1, false},
    {256, 8, 8, 256, 3, 3, 1, 1, 1, 1, 1, 1, true},  {256, 4, 4, 256, 4, 4, 1, 1, 0, 0, 0, 0, false},
    {64, 2, 2, 128, 2, 2, 1, 1, 0, 0, 0, 0, false},  {32, 2, 2, 10, 2, 2, 1, 1, 0, 0, 0, 0, false},
};

/// Convolutions of kVgg8.
inline constexpr int kVgg8Convolutions = 5;

/// Thirteen convolutions and three fully connected layers (Simonyan and Zisserman, configuration D).
inline constexpr dla_shape kVgg16[] = {
    {3, 224, 224, 64, 3, 3, 1, 1, 1, 1, 1, 1, false},   {64, 224, 224, 64, 3, 3, 1, 1, 1, 1, 1, 1, true},
    {64, 112, 112, 128, 3, 3, 1, 1, 1, 1, 1, 1, false}, {128, 112, 112, 128, 3, 3, 1, 1, 1, 1, 1, 1, true},
    {128, 56, 56, 256, 3, 3, 1, 1, 1, 1, 1, 1, false},  {256, 56, 56, 256, 3, 3, 1, 1, 1, 1, 1, 1, false},
    {256, 56, 56, 256, 3, 3, 1, 1, 1, 1, 1, 1, true},   {256, 28, 28, 512, 3, 3, 1, 1, 1, 1, 1, 1, false},
    {512, 28, 28, 512, 3, 3, 1, 1, 1, 1, 1, 1, false},  {512, 28, 28, 512, 3, 3, 1, 1, 1, 1, 1, 1, true},
    {512, 14, 14, 512, 3, 3, 1, 1, 1, 1, 1, 1, false},  {512, 14, 14, 512, 3, 3, 1, 1, 1, 1, 1, 1, false},
    {512, 14, 14, 512, 3, 3, 1, 1, 1, 1, 1, 1, true},   {512, 7, 7, 4096, 7, 7, 1, 1, 0, 0, 0, 0, false},
    {1024, 2, 2, 4096, 2, 2, 1, 1, 0, 0, 0, 0, false},  {1024, 2, 2, 1000, 2, 2, 1, 1, 0, 0, 0, 0, false},
};

}  // namespace fovea
