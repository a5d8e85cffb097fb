# SPDX-License-Identifier: Apache-2.0
"""Networks that people use, layer by layer, at 224 x 224 with 1000 classes: NETWORKS, a function of a growing network
each.

Layers are those of the papers, and where these leave details open, of the reference code: torchvision's ResNets,
VGG-16, MobileNet-V2 and SqueezeNet 1.1 (without dropout, which does nothing here); of MobileNet-V1 that of its authors,
whose windows of stride 2 begin at the picture's edge. Batch normalization is part of the convolutions.
"""


def resnet18(net, x):
    """He et al., "Deep Residual Learning for Image Recognition", CVPR 2016."""
    x = net.max_pool("pool1", net.conv("conv1", x, 64, 7, stride=2), 3, stride=2, pad=1)
    for stage, (filters, stride) in enumerate([(64, 1), (128, 2), (256, 2), (512, 2)], 1):
        for block in range(2):
            name, stride = f"layer{stage}_{block}", stride if block == 0 else 1
            y = net.conv(f"{name}_conv1", x, filters, 3, stride)
            y = net.conv(f"{name}_conv2", y, filters, 3, act=None)
            if stride != 1:
                x = net.conv(f"{name}_downsample", x, filters, 1, stride, act=None)
            x = net.add(f"{name}_add", y, x, act="relu")
    return net.dense("fc", net.flatten("flatten", net.global_average_pool("avgpool", x)), 1000)


def resnet50(net, x):
    """The same paper's, with the stride in the 3x3 convolution, as in torchvision."""
    x = net.max_pool("pool1", net.conv("conv1", x, 64, 7, stride=2), 3, stride=2, pad=1)
    for stage, (filters, blocks, stride) in enumerate([(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)], 1):
        for block in range(blocks):
            name = f"layer{stage}_{block}"
            y = net.conv(f"{name}_conv1", x, filters, 1)
            y = net.conv(f"{name}_conv2", y, filters, 3, stride if block == 0 else 1)
            y = net.conv(f"{name}_conv3", y, 4 * filters, 1, act=None)
            if block == 0:
                x = net.conv(f"{name}_downsample", x, 4 * filters, 1, stride, act=None)
            x = net.add(f"{name}_add", y, x, act="relu")
    return net.dense("fc", net.flatten("flatten", net.global_average_pool("avgpool", x)), 1000)


def mobilenet_v1(net, x):
    """Howard et al., "MobileNets", arXiv 1704.04861, width 1."""
    x = net.conv("conv1", x, 32, 3, 2, act="relu6", pads=(0, 0, 1, 1))
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]
    for block, (filters, stride) in enumerate(blocks, 1):
        pads = (0, 0, 1, 1) if stride == 2 else None
        x = net.conv(f"block{block}_depthwise", x, None, 3, stride, act="relu6", pads=pads)
        x = net.conv(f"block{block}_pointwise", x, filters, 1, act="relu6")
    return net.dense("fc", net.flatten("flatten", net.global_average_pool("avgpool", x)), 1000)


def mobilenet_v2(net, x):
    """Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018, table 2."""
    x, channels, block = net.conv("conv1", x, 32, 3, 2, act="relu6"), 32, 0
    for expansion, filters, repeats, stride in [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]:
        for repeat in range(repeats):
            block += 1
            name, stride, y = f"block{block}", stride if repeat == 0 else 1, x
            if expansion != 1:
                y = net.conv(f"{name}_expand", y, expansion * channels, 1, act="relu6")
            y = net.conv(f"{name}_depthwise", y, None, 3, stride, act="relu6")
            y = net.conv(f"{name}_project", y, filters, 1, act=None)
            x = net.add(f"{name}_add", y, x) if stride == 1 and channels == filters else y
            channels = filters
    x = net.conv("conv2", x, 1280, 1, act="relu6")
    return net.dense("fc", net.flatten("flatten", net.global_average_pool("avgpool", x)), 1000)


def squeezenet(net, x):
    """Iandola et al., arXiv 1602.07360, version 1.1 of their repository."""
    x = net.conv("conv1", x, 64, 3, stride=2, pads=(0, 0, 0, 0))
    for fire, (squeeze, expand) in enumerate(
        [(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256)], 2
    ):
        if fire in (2, 4, 6):
            x = net.max_pool(f"pool{fire - 1}", x, 3, stride=2)
        x = net.conv(f"fire{fire}_squeeze", x, squeeze, 1)
        x = net.concat(
            f"fire{fire}_concat",
            [net.conv(f"fire{fire}_expand1x1", x, expand, 1), net.conv(f"fire{fire}_expand3x3", x, expand, 3)],
        )
    x = net.conv("conv10", x, 1000, 1)
    return net.flatten("flatten", net.global_average_pool("avgpool", x))


def vgg16(net, x):
    """Simonyan and Zisserman, arXiv 1409.1556, configuration D."""
    for block, (filters, convolutions) in enumerate([(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)], 1):
        for convolution in range(1, convolutions + 1):
            x = net.conv(f"conv{block}_{convolution}", x, filters, 3)
        x = net.max_pool(f"pool{block}", x, 2, stride=2)
    x = net.flatten("flatten", x)
    return net.dense("fc8", net.dense("fc7", net.dense("fc6", x, 4096, act="relu"), 4096, act="relu"), 1000)


NETWORKS = {f.__name__: f for f in (mobilenet_v1, mobilenet_v2, squeezenet, resnet18, resnet50, vgg16)}
