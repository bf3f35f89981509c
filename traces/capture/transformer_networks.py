# SPDX-License-Identifier: GPL-2.0-only
"""Transformers for profile_model.py and import_model.py, each layer a node of its own.

Written from the papers: bert_base of J. Devlin et al., "BERT: Pre-training of Deep Bidirectional
Transformers for Language Understanding", NAACL 2019; gpt2_small of A. Radford et al., "Language Models
are Unsupervised Multitask Learners", 2019; vit_b_16 of A. Dosovitskiy et al., "An Image is Worth 16x16
Words", ICLR 2021. Tokens are whole numbers: --input-below takes the size of the vocabulary.
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
    """norm_first: norms before attention and before the two linear layers; else behind their sums."""

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
    """Embeddings of tokens and of positions, of which there are more than are used.

    more: further embeddings, of which all tokens get the first.
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
    """Scores of the vocabulary, by the weights of the embedding."""

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


def bert_base():
    """BERT-base without a head but its pooler, 128 tokens of a vocabulary of 30,522."""
    return nn.Sequential(Tokens(30522, 512, 768, 128, more=2), nn.LayerNorm(768),
                         *(Block(768, 12, False) for _ in range(12)), FirstOf(), nn.Linear(768, 768),
                         nn.Tanh()), (128,)


def gpt2_small():
    """GPT-2 small, 1,024 tokens of a vocabulary of 50,257, the head by the embedding's weights."""
    tokens = Tokens(50257, 1024, 768, 1024)
    return nn.Sequential(tokens, *(Block(768, 12, True) for _ in range(12)), nn.LayerNorm(768),
                         Head(tokens.tokens.weight)), (1024,)


def vit_b_16():
    """ViT-B/16, images of 224 x 224, 1,000 classes."""
    return nn.Sequential(Patches(224, 16, 768), *(Block(768, 12, True) for _ in range(12)),
                         nn.LayerNorm(768), FirstOf(), nn.Linear(768, 1000)), (3, 224, 224)
