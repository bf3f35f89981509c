# SPDX-License-Identifier: GPL-2.0-only
"""Networks that torchvision does not have, written from their published layer tables.

Each function returns (module, input shape); profile_model.py takes them as networks.py:NAME.
"""

import collections
import functools
import math

import torch
from torch import nn

leaky = functools.partial(nn.LeakyReLU, 0.1)


def conv_norm(inputs, outputs, kernel, activation, stride=1, groups=1):
    """Convolution without bias, batch norm and, unless it is None, an activation."""
    parts = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
             nn.BatchNorm2d(outputs)]
    return parts + ([activation()] if activation else [])


def named(layers):
    """A sequence whose parts are named by kind and number, such as conv1, norm1, relu1."""
    short = {"Conv2d": "conv", "BatchNorm2d": "norm", "LeakyReLU": "relu", "MaxPool2d": "pool",
             "AdaptiveAvgPool2d": "avgpool", "ReplicationPad2d": "pad",
             "LocalResponseNorm": "lrn", "RegNetBlock": "block", "ResidualUnit": "unit"}
    parts, count = collections.OrderedDict(), collections.Counter()
    for layer in layers:
        kind = short.get(type(layer).__name__, type(layer).__name__.lower())
        count[kind] += 1
        parts["%s%d" % (kind, count[kind])] = layer
    return nn.Sequential(parts)


class RegNetBlock(nn.Module):
    """Bottleneck of ratio 1: 1x1, grouped 3x3, 1x1, with a shortcut."""

    def __init__(self, inputs, outputs, stride, group_width):
        super().__init__()
        self.body = nn.Sequential(
            *conv_norm(inputs, outputs, 1, nn.ReLU),
            *conv_norm(outputs, outputs, 3, nn.ReLU, stride, outputs // group_width),
            *conv_norm(outputs, outputs, 1, None))
        self.shortcut = nn.Sequential(*conv_norm(inputs, outputs, 1, None, stride)) \
            if inputs != outputs or stride != 1 else None
        self.relu = nn.ReLU()

    def forward(self, x):
        skip = self.shortcut(x) if self.shortcut is not None else x
        return self.relu(skip + self.body(x))


def regnet_x_200mf():
    """RegNetX-200MF, Radosavovic et al., "Designing Network Design Spaces", CVPR 2020: depth 13,
    w0 24, wa 36.44, wm 2.49, group width 8 (parameters as in pycls' model zoo)."""
    depth, w_0, w_a, w_m, group_width = 13, 24, 36.44, 2.49, 8
    # Equations 2 to 4: widths on a line, then the nearest power of wm, then multiples of 8.
    widths = []
    for block in range(depth):
        power = round(math.log((w_0 + w_a * block) / w_0) / math.log(w_m))
        widths.append(int(round(w_0 * w_m ** power / 8)) * 8)
    layers, inputs = conv_norm(3, 32, 3, nn.ReLU, 2), 32
    for width in widths:
        stride = 1 if inputs == width else 2  # a stage is a run of equal widths
        layers.append(RegNetBlock(inputs, width, stride, group_width))
        inputs = width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000)]
    return named(layers), (3, 224, 224)


def mobilenet_v1():
    """MobileNet, Howard et al., arXiv 1704.04861, table 1: width 1, 224 pixels."""
    layers, inputs = conv_norm(3, 32, 3, nn.ReLU, 2), 32
    for outputs, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
                            *[(512, 1)] * 5, (1024, 2), (1024, 1)]:
        layers += conv_norm(inputs, inputs, 3, nn.ReLU, stride, inputs)
        layers += conv_norm(inputs, outputs, 1, nn.ReLU)
        inputs = outputs
    return named([*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000)]), \
        (3, 224, 224)


def resnext101_32x4d():
    """ResNeXt-101 32x4d, Xie et al., "Aggregated Residual Transformations for Deep Neural
    Networks", CVPR 2017."""
    from torchvision.models.resnet import Bottleneck, ResNet
    return ResNet(Bottleneck, [3, 4, 23, 3], groups=32, width_per_group=4), (3, 224, 224)


class FaceUnit(nn.Module):
    """ArcFace's improved residual unit: norm, 3x3, norm, PReLU, 3x3, norm, with a shortcut."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(nn.BatchNorm2d(inputs), *conv_norm(inputs, outputs, 3, nn.PReLU),
                                  *conv_norm(outputs, outputs, 3, None, stride))
        self.shortcut = nn.Sequential(*conv_norm(inputs, outputs, 1, None, stride)) \
            if stride > 1 else nn.Identity()

    def forward(self, x):
        return self.body(x) + self.shortcut(x)


def resnet100_arcface():
    """ResNet-100 for faces, Deng et al., "ArcFace", CVPR 2019: units of 64 to 512 channels on
    112x112, 512 features."""
    layers, inputs = conv_norm(3, 64, 3, nn.PReLU), 64
    for units, outputs in ((3, 64), (13, 128), (30, 256), (3, 512)):
        for unit in range(units):
            layers.append(FaceUnit(inputs, outputs, 1 if unit else 2))
            inputs = outputs
    return named([*layers, nn.BatchNorm2d(512), nn.Dropout(), nn.Flatten(),
                  nn.Linear(512 * 49, 512), nn.BatchNorm1d(512)]), (3, 112, 112)


def darknet19():
    """DarkNet-19, Redmon and Farhadi, "YOLO9000: Better, Faster, Stronger", CVPR 2017, table 6."""
    layers, inputs = [], 3
    for stage in ([(32, 3)], [(64, 3)], [(128, 3), (64, 1), (128, 3)],
                  [(256, 3), (128, 1), (256, 3)],
                  [(512, 3), (256, 1), (512, 3), (256, 1), (512, 3)],
                  [(1024, 3), (512, 1), (1024, 3), (512, 1), (1024, 3)]):
        if layers:
            layers.append(nn.MaxPool2d(2))
        for outputs, kernel in stage:
            layers += conv_norm(inputs, outputs, kernel, leaky)
            inputs = outputs
    layers += [nn.Conv2d(inputs, 1000, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
               nn.Softmax(dim=1)]
    return named(layers), (3, 224, 224)


def tiny_yolo():
    """Tiny YOLOv2 for VOC on 416x416, darknet's yolov2-tiny-voc: 9 convolutions, 125 outputs per
    cell of a 13x13 grid."""
    layers, inputs = [], 3
    for outputs in (16, 32, 64, 128, 256, 512):
        layers += conv_norm(inputs, outputs, 3, leaky)
        # The last pooling keeps its size: window 2, stride 1, the border repeated.
        layers += [nn.MaxPool2d(2)] if outputs < 512 else \
            [nn.ReplicationPad2d((0, 1, 0, 1)), nn.MaxPool2d(2, 1)]
        inputs = outputs
    layers += conv_norm(512, 1024, 3, leaky) + conv_norm(1024, 1024, 3, leaky)
    layers.append(nn.Conv2d(1024, 125, 1))
    return named(layers), (3, 416, 416)


class TwoTowers(nn.Module):
    """The halves of Krizhevsky's two GPUs, as two branches of the graph."""

    def __init__(self, classes):
        super().__init__()

        def towers(*parts):
            return nn.ModuleList(named([part() for part in parts]) for _ in range(2))

        def norm():
            return nn.LocalResponseNorm(5, 1e-4, 0.75, 2)

        def pool():
            return nn.MaxPool2d(3, 2)

        self.alone = towers(lambda: nn.Conv2d(3, 48, 11, 4, 2), nn.ReLU, norm, pool,
                            lambda: nn.Conv2d(48, 128, 5, 1, 2), nn.ReLU, norm, pool)
        self.joined = towers(lambda: nn.Conv2d(256, 192, 3, 1, 1), nn.ReLU,
                             lambda: nn.Conv2d(192, 192, 3, 1, 1), nn.ReLU,
                             lambda: nn.Conv2d(192, 128, 3, 1, 1), nn.ReLU, pool, nn.Flatten)
        self.fc6 = towers(lambda: nn.Linear(9216, 2048), nn.ReLU, nn.Dropout)
        self.fc7 = towers(lambda: nn.Linear(4096, 2048), nn.ReLU, nn.Dropout)
        self.fc8 = nn.Linear(4096, classes)

    def forward(self, x):
        a, b = self.alone[0](x), self.alone[1](x)
        for pair in (self.joined, self.fc6, self.fc7):
            both = torch.cat([a, b], 1)
            a, b = pair[0](both), pair[1](both)
        return self.fc8(torch.cat([a, b], 1))


def alexnet_parallel():
    """AlexNet in its original two towers, Krizhevsky et al., "ImageNet Classification with Deep
    Convolutional Neural Networks", NIPS 2012, figure 2: the towers exchange data before conv3,
    fc6, fc7 and fc8."""
    return TwoTowers(1000), (3, 224, 224)


def mnist_cnn():
    """A small CNN for MNIST: two 3x3 convolutions of 32 and 64 channels, linear 128 and 10."""
    return named([
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, 10)]), (1, 28, 28)


class ResidualUnit(nn.Module):
    """IMPALA's: ReLU, 3x3, ReLU, 3x3, plus the input."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1),
                                  nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1))

    def forward(self, x):
        return x + self.body(x)


class Actor(nn.Module):
    def __init__(self, actions):
        super().__init__()
        layers, inputs = [], 4
        for outputs in (16, 32, 32):
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.MaxPool2d(3, 2, 1),
                       ResidualUnit(outputs), ResidualUnit(outputs)]
            inputs = outputs
        self.features = named(layers + [nn.ReLU(), nn.Flatten(), nn.Linear(32 * 11 * 11, 256),
                                        nn.ReLU()])
        self.policy = nn.Linear(256, actions)
        self.value = nn.Linear(256, 1)

    def forward(self, x):
        x = self.features(x)
        return self.policy(x), self.value(x)


def atari_cnn():
    """The 15-layer convolutional network of IMPALA's actor, Espeholt et al., ICML 2018, figure 3,
    for Atari: feed-forward (no LSTM), 18 actions and a value."""
    return Actor(18), (4, 84, 84)
