# SPDX-License-Identifier: GPL-2.0-only
"""Transformers for profile_model.py and import_model.py, each layer a node of its own.

Written from the papers: bert_base of J. Devlin et al., "BERT: Pre-training of Deep Bidirectional
Transformers for Language Understanding", NAACL 2019; gpt2_small of A. Radford et al., "Language Models
are Unsupervised Multitask Learners", 2019; vit_b_16 of A. Dosovitskiy et al., "An Image is Worth 16x16
Words", ICLR 2021; swin_t of Z. Liu et al., "Swin Transformer: Hierarchical Vision Transformer using
Shifted Windows", ICCV 2021. Tokens are whole numbers: --input-below takes the size of the vocabulary.
"""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.width = heads, width
        self.projections = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(self, x):
        length = x.size(1)
        query, key, value = [project(x).view(-1, length, self.heads, self.width // self.heads)
                             .transpose(1, 2) for project in self.projections]
        scores = torch.matmul(query, key.transpose(-2, -1)) / (self.width // self.heads) ** 0.5
        mixed = torch.matmul(scores.softmax(-1), value)
        return self.out(mixed.transpose(1, 2).reshape(-1, length, self.width))


class Block(nn.Module):
    """norm_first: norms before attention and the two linear layers, else after their residual sums."""

    def __init__(self, width, heads, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attention = Attention(width, heads)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attention(self.norm1(x))
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed(x))


class Tokens(nn.Module):
    """Embeddings of tokens and positions; only the first length positions are used.

    more: number of further embeddings, the first of which is added to all tokens.
    """

    def __init__(self, vocabulary, positions, width, length, more=0):
        super().__init__()
        self.length = length
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.zeros(positions, width))
        self.more = nn.Parameter(torch.zeros(more, width)) if more else None

    def forward(self, x):
        x = self.tokens(x) + self.positions[:self.length]
        return x if self.more is None else x + self.more[0]


class Head(nn.Module):
    """Scores of the vocabulary, with the weights of the embedding."""

    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return torch.matmul(x, self.weight.t())


class FirstOf(nn.Module):
    def forward(self, x):
        return x[:, 0]


class Patches(nn.Module):
    def __init__(self, size, patch, width):
        super().__init__()
        self.width, self.count = width, (size // patch) ** 2
        self.project = nn.Conv2d(3, width, patch, patch)
        self.kind = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.zeros(1, self.count + 1, width))

    def forward(self, x):
        x = self.project(x).reshape(-1, self.width, self.count).transpose(1, 2)
        return torch.cat([self.kind.expand(x.size(0), -1, -1), x], 1) + self.positions


class WindowAttention(nn.Module):
    """Attention within windows of window x window positions, shifted by shift, on a map of size x size.

    Each score has a learnt bias for the relative position. A mask separates positions from opposite edges
    that a shift has brought together.
    """

    def __init__(self, width, heads, size, window, shift):
        super().__init__()
        self.width, self.heads, self.size, self.window, self.shift = width, heads, size, window, shift
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        rows, columns = torch.arange(window ** 2) // window, torch.arange(window ** 2) % window
        apart = [one[:, None] - one[None] + window - 1 for one in (rows, columns)]
        self.register_buffer("apart", (apart[0] * (2 * window - 1) + apart[1]).view(-1))
        if shift:
            edges = torch.arange(size)
            part = (edges >= size - window).int() + (edges >= size - shift).int()
            parts = self.windows((3 * part[:, None] + part[None])[None, :, :, None], 1)[..., 0]
            self.register_buffer("mask", torch.where(
                parts[:, None] == parts[:, :, None], 0.0, -100.0)[None, :, None])

    def windows(self, x, width):
        across = self.size // self.window
        x = x.view(-1, across, self.window, across, self.window, width).permute(0, 1, 3, 2, 4, 5)
        return x.reshape(-1, self.window ** 2, width)

    def forward(self, x):
        across, positions = self.size // self.window, self.window ** 2
        if self.shift:
            x = x.roll((-self.shift, -self.shift), (1, 2))
        x = self.project(self.windows(x, self.width))
        x = x.view(-1, positions, 3, self.heads, self.width // self.heads).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(x[0] / (self.width // self.heads) ** 0.5, x[1].transpose(-2, -1))
        scores = scores + self.bias[self.apart].view(positions, positions, -1).permute(2, 0, 1)
        if self.shift:
            scores = scores.view(-1, across ** 2, self.heads, positions, positions) + self.mask
            scores = scores.view(-1, self.heads, positions, positions)
        x = torch.matmul(scores.softmax(-1), x[2])
        x = self.out(x.transpose(1, 2).reshape(-1, positions, self.width))
        x = x.view(-1, across, across, self.window, self.window, self.width).permute(0, 1, 3, 2, 4, 5)
        x = x.reshape(-1, self.size, self.size, self.width)
        return x.roll((self.shift, self.shift), (1, 2)) if self.shift else x


class WindowBlock(Block):
    """A block with norms first, on a map of size x size positions."""

    def __init__(self, width, heads, size, window, shift):
        super().__init__(width, heads, True)
        self.attention = WindowAttention(width, heads, size, window, shift)


class Merge(nn.Module):
    """Merges four neighbours into one of twice the width."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.project = nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x):
        x = torch.cat([x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)], -1)
        return self.project(self.norm(x))


class ChannelsLast(nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 3, 1)


class MeanOfPositions(nn.Module):
    def forward(self, x):
        return x.mean((1, 2))


def bert_base():
    """BERT-base with its pooler but no other head, 128 tokens, vocabulary of 30,522."""
    return nn.Sequential(Tokens(30522, 512, 768, 128, more=2), nn.LayerNorm(768),
                         *(Block(768, 12, False) for _ in range(12)), FirstOf(), nn.Linear(768, 768),
                         nn.Tanh()), (128,)


def gpt2_small():
    """GPT-2 small, 1,024 tokens, vocabulary of 50,257, head with the weights of the embedding."""
    tokens = Tokens(50257, 1024, 768, 1024)
    return nn.Sequential(tokens, *(Block(768, 12, True) for _ in range(12)), nn.LayerNorm(768),
                         Head(tokens.tokens.weight)), (1024,)


def vit_b_16():
    """ViT-B/16, images of 224 x 224, 1,000 classes."""
    return nn.Sequential(Patches(224, 16, 768), *(Block(768, 12, True) for _ in range(12)),
                         nn.LayerNorm(768), FirstOf(), nn.Linear(768, 1000)), (3, 224, 224)


def swin_t():
    """Swin-T, images of 224 x 224, windows of 7 x 7, 1,000 classes."""
    width, size, parts = 96, 56, []
    for depth, heads in ((2, 3), (2, 6), (6, 12), (2, 24)):
        if parts:
            parts.append(Merge(width))
            width, size = 2 * width, size // 2
        parts += [WindowBlock(width, heads, size, 7, 3 * (number % 2 and size > 7))
                  for number in range(depth)]
    return nn.Sequential(nn.Conv2d(3, 96, 4, 4), ChannelsLast(), nn.LayerNorm(96), *parts,
                         nn.LayerNorm(width), MeanOfPositions(), nn.Linear(width, 1000)), (3, 224, 224)
