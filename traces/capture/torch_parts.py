# SPDX-License-Identifier: GPL-2.0-only
"""PyTorch's transformers and stacked recurrent networks in parts that torch.fx can trace.

The parts have the weights of the whole and compute the same. PyTorch's own code branches on its input, so that
torch.fx would keep a whole network as one layer, which no plan can cut.
"""

import math

import torch
import torch.fx
from torch import nn


@torch.fx.wrap
def add_mask(scores, mask):
    """Adds a mask to scores; where one of bool is true, the score does not count."""
    return scores.masked_fill(mask, -math.inf) if mask.dtype == torch.bool else scores + mask


def part_of_linear(weight, bias):
    part = nn.Linear(1, 1, bias=bias is not None)
    part.weight, part.out_features, part.in_features = weight, *weight.shape
    part.bias = bias
    return part


class Attention(nn.Module):
    """nn.MultiheadAttention: one product makes query, key and value of one tensor, three make them of several."""

    def __init__(self, of):
        super().__init__()
        self.heads, self.batch_first = of.num_heads, of.batch_first
        biases = [None] * 3 if of.in_proj_bias is None else list(map(nn.Parameter, of.in_proj_bias.detach().chunk(3)))
        weights = [of.q_proj_weight, of.k_proj_weight, of.v_proj_weight]
        if of.in_proj_weight is not None:
            self.in_proj = part_of_linear(of.in_proj_weight, of.in_proj_bias)
            weights = map(nn.Parameter, of.in_proj_weight.detach().chunk(3))
        else:
            self.in_proj = None
        self.query, self.key, self.value = map(part_of_linear, weights, biases)
        self.out_proj, self.drop = of.out_proj, nn.Dropout(of.dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        order = (0, 2, 1, 3) if self.batch_first else (1, 2, 0, 3)  # to batch, head, position, width
        if query is key is value and self.in_proj is not None:
            x = self.in_proj(query)
            x = x.view(x.size(0), x.size(1), 3, self.heads, x.size(2) // (3 * self.heads))
            query, key, value = x.permute(2, *(at + (at > 1) for at in order)).unbind(0)
        else:
            query, key, value = (
                x.view(x.size(0), x.size(1), self.heads, x.size(2) // self.heads).permute(order)
                for x in (self.query(query), self.key(key), self.value(value)))
        scores = torch.matmul(query * (1 / math.sqrt(self.out_proj.in_features // self.heads)),
                              key.transpose(-2, -1))
        if attn_mask is not None:
            scores = add_mask(scores, attn_mask)
        if key_padding_mask is not None:
            scores = add_mask(scores, key_padding_mask.unsqueeze(1).unsqueeze(1))
        weights = scores.softmax(-1)
        x = torch.matmul(self.drop(weights) if self.drop.p else weights, value)
        x = x.transpose(1, 2) if self.batch_first else x.permute(2, 0, 1, 3)
        x = self.out_proj(x.flatten(2))
        return x, (weights.mean(1) if average_attn_weights else weights) if need_weights else None


def feed(layer, x):
    return layer.linear2(layer.dropout(layer.activation(layer.linear1(x))))


class EncoderLayer(nn.TransformerEncoderLayer):
    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        def attend(x):
            return self.dropout1(self.self_attn(x, x, x, attn_mask=src_mask,
                                                key_padding_mask=src_key_padding_mask)[0])

        if self.norm_first:
            x = src + attend(self.norm1(src))
            return x + self.dropout2(feed(self, self.norm2(x)))
        x = self.norm1(src + attend(src))
        return self.norm2(x + self.dropout2(feed(self, x)))


class DecoderLayer(nn.TransformerDecoderLayer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        def attend(x):
            return self.dropout1(self.self_attn(x, x, x, attn_mask=tgt_mask,
                                                key_padding_mask=tgt_key_padding_mask)[0])

        def look(x):
            return self.dropout2(self.multihead_attn(x, memory, memory, attn_mask=memory_mask,
                                                     key_padding_mask=memory_key_padding_mask)[0])

        if self.norm_first:
            x = tgt + attend(self.norm1(tgt))
            x = x + look(self.norm2(x))
            return x + self.dropout3(feed(self, self.norm3(x)))
        x = self.norm1(tgt + attend(tgt))
        x = self.norm2(x + look(x))
        return self.norm3(x + self.dropout3(feed(self, x)))


class Encoder(nn.TransformerEncoder):
    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class Decoder(nn.TransformerDecoder):
    def forward(self, tgt, memory, *masks, **more):
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks, **more)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(nn.Transformer):
    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None):
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask)


class Stacked(nn.Module):
    """The layers of a recurrent network, one after the other."""

    def __init__(self, of):
        super().__init__()
        self.both, self.layers = 2 if of.bidirectional else 1, nn.ModuleList()
        self.drop = nn.Dropout(of.dropout)
        more = {"proj_size": of.proj_size} if of.proj_size else {"nonlinearity": of.nonlinearity} if isinstance(
            of, nn.RNN) else {}
        width = of.input_size
        for number in range(of.num_layers):
            layer = type(of)(width, of.hidden_size, 1, bias=of.bias, batch_first=of.batch_first,
                             bidirectional=of.bidirectional, **more)
            for name in layer._flat_weights_names:
                setattr(layer, name, getattr(of, name.replace("_l0", "_l%d" % number)))
            self.layers.append(layer)
            width = self.both * (of.proj_size or of.hidden_size)

    def forward(self, x, state=None):
        states = []
        for number, layer in enumerate(self.layers):
            first, last = number * self.both, (number + 1) * self.both
            if number and self.drop.p:
                x = self.drop(x)
            if state is None:
                x, after = layer(x)
            elif isinstance(layer, nn.LSTM):
                x, after = layer(x, (state[0][first:last], state[1][first:last]))
            else:
                x, after = layer(x, state[first:last])
            states.append(after)
        if isinstance(self.layers[0], nn.LSTM):
            return x, (torch.cat([one[0] for one in states]), torch.cat([one[1] for one in states]))
        return x, torch.cat(states)


SAME = {nn.TransformerEncoderLayer: EncoderLayer, nn.TransformerDecoderLayer: DecoderLayer,
        nn.TransformerEncoder: Encoder, nn.TransformerDecoder: Decoder, nn.Transformer: Transformer}


def in_parts(module):
    """The module with its transformers and recurrent networks in parts; only modules of exactly these classes."""
    made = {}

    def change(one):
        if id(one) in made:
            return made[id(one)][1]
        new = one
        if type(one) is nn.MultiheadAttention and one.bias_k is None and not one.add_zero_attn:
            new = Attention(one)
        elif isinstance(one, nn.RNNBase) and type(one) in (nn.LSTM, nn.GRU, nn.RNN) and one.num_layers > 1:
            new = Stacked(one)
        elif type(one) in SAME:
            one.__class__ = SAME[type(one)]
        made[id(one)] = one, new
        if new is one:
            for name, child in one._modules.items():
                if child is not None:
                    one._modules[name] = change(child)
        return new.train(one.training)

    return change(module)
