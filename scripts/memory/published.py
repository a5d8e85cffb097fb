# SPDX-License-Identifier: Apache-2.0
"""Figures of other machines, as their makers or their programs gave them."""

# The AI-on-Chip lab's package on alexnetbn_v2-power2.onnx, one picture, by its own dla_info.csv: cycles, bytes read
# from DRAM.
LAB = {
    "conv1": (409_685, 16_768),
    "conv2": (3_878_716, 277_248),
    "conv3": (6_721_669, 701_952),
    "conv4": (8_880_251, 934_912),
    "conv5": (5_901_435, 623_616),
}
LAB_BURST_CYCLES, LAB_BEAT_CYCLES = 2, 7

# The Eyeriss chip: Chen et al., JSSC 52(1) 2017, table V: a batch of four pictures, milliseconds in all and while
# processing, core clock 200 MHz.
CHIP_MS = {
    "conv1": (20.9, 16.5),
    "conv2": (41.9, 39.2),
    "conv3": (23.6, 21.8),
    "conv4": (18.4, 16.0),
    "conv5": (10.5, 10.0),
}
CHIP_ALL_MS = (115.3, 103.5)
CHIP_BATCH, CHIP_MHZ, CHIP_DRAM_MB = 4, 200, 15.4

# The same chip on VGG-16's convolutions: a batch of three pictures, likewise; not every convolution's times are known
# here.
VGG16_MS = {
    "conv1_1": (76.2, 38.0),
    "conv1_2": (910.3, 810.6),
    "conv2_1": (470.3, 405.3),
    "conv2_2": (894.3, 810.8),
    "conv3_1": (241.1, 204.0),
    "conv3_2": (460.9, 408.1),
    "conv3_3": (457.7, 408.1),
    "conv4_1": (135.8, 105.1),
    "conv4_2": (254.8, 210.0),
}
VGG16_ALL_MS = (4309.5, 3755.2)
VGG16_BATCH, VGG16_DRAM_MB = 3, 321.1
# What it did of its MACs while processing, in percent, by block of convolutions.
VGG16_PROCESSING = {1: 20.4, 2: 20.4, 3: 40.5, 4: 78.6, 5: 85}
