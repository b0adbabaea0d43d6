"""The models of the comparison as people write them in PyTorch, layer for layer ours.

Each is a list of blocks, so that a pipeline can be cut between any two of them. `load`
gives a block its weights out of our file, in the order in which our layers keep them.
"""

import itertools

import numpy
import torch
from torch import nn
from torch.nn import functional


class Weights:
    """All our parameters in model order, taken one tensor after the other."""

    def __init__(self, path):
        self.values = numpy.fromfile(path, dtype=numpy.float32)
        self.at = 0

    def take(self, *shape):
        count = int(numpy.prod(shape))
        values = self.values[self.at : self.at + count]
        self.at += count
        return torch.from_numpy(values.copy()).reshape(shape)

    def linear(self, layer):
        """Ours are inputs x outputs, theirs outputs x inputs."""
        weight = self.take(layer.in_features, layer.out_features)
        layer.weight.data = weight.t().contiguous()
        layer.bias.data = self.take(layer.out_features)

    def norm(self, layer):
        layer.weight.data = self.take(*layer.weight.shape)
        layer.bias.data = self.take(*layer.bias.shape)

    def convolution(self, layer):
        """Ours are height x width x inputs x outputs, theirs begin with the outputs."""
        outputs, inputs, height, width = layer.weight.shape
        weight = self.take(height, width, inputs, outputs)
        layer.weight.data = weight.permute(3, 2, 0, 1).contiguous()

    def is_used_up(self):
        return self.at == len(self.values)


# The network of the chapters.


class LinearRelu(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return functional.relu(self.linear(x))

    def load(self, weights):
        weights.linear(self.linear)


class Logits(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x)

    def load(self, weights):
        weights.linear(self.linear)


def mlp(shape):
    widths = shape["widths"]
    hidden = [LinearRelu(a, b) for a, b in itertools.pairwise(widths[:-1])]
    return [*hidden, Logits(*widths[-2:])]


# The residual network.


def convolution(inputs, outputs, stride):
    return nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)


class Entry(nn.Module):
    """Into a level: half as high and wide."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.convolution = convolution(inputs, outputs, stride=2)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return functional.relu(self.norm(self.convolution(x)))

    def load(self, weights):
        weights.convolution(self.convolution)
        weights.norm(self.norm)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.convolution1 = convolution(channels, channels, stride=1)
        self.norm1 = nn.BatchNorm2d(channels)
        self.convolution2 = convolution(channels, channels, stride=1)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = functional.relu(self.norm1(self.convolution1(x)))
        return functional.relu(x + self.norm2(self.convolution2(y)))

    def load(self, weights):
        weights.convolution(self.convolution1)
        weights.norm(self.norm1)
        weights.convolution(self.convolution2)
        weights.norm(self.norm2)


class Pooled(Logits):
    def forward(self, x):
        return self.linear(x.mean(dim=(2, 3)))


class ToImage(nn.Module):
    def __init__(self, channels, height, width):
        super().__init__()
        self.shape = (height, width, channels)

    def forward(self, x):
        return x.reshape(-1, *self.shape).permute(0, 3, 1, 2)

    def load(self, weights):
        pass


def residual(shape):
    channels = shape["channels"]
    blocks = [ToImage(channels, shape["height"], shape["width"])]
    for level in shape["levels"]:
        blocks.append(Entry(channels, level))
        blocks += [Residual(level) for _ in range(shape["blocks"])]
        channels = level
    return [*blocks, Pooled(channels, shape["classes"])]


# The transformer.


class Embedding(nn.Module):
    def __init__(self, vocabulary, context, width):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(context, width)
        self.register_buffer("positions", torch.arange(context), persistent=False)

    def forward(self, ids):
        return self.tokens(ids) + self.places(self.positions[: ids.shape[-1]])

    def load(self, weights):
        self.tokens.weight.data = weights.take(*self.tokens.weight.shape)
        self.places.weight.data = weights.take(*self.places.weight.shape)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def attention(self, x):
        samples, positions, width = x.shape
        q, k, v = (
            part.view(samples, positions, self.heads, -1).transpose(1, 2)
            for part in self.qkv(x).split(width, dim=2)
        )
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(samples, positions, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        y = functional.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + self.down(y)

    def load(self, weights):
        weights.norm(self.norm1)
        weights.linear(self.qkv)
        weights.linear(self.out)
        weights.norm(self.norm2)
        weights.linear(self.up)
        weights.linear(self.down)


class Unembedding(nn.Module):
    def __init__(self, width, vocabulary):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.tokens = nn.Linear(width, vocabulary, bias=False)

    def forward(self, x):
        return self.tokens(self.norm(x))

    def load(self, weights):
        weights.norm(self.norm)
        self.tokens.weight.data = weights.take(*self.tokens.weight.shape)


def transformer(shape):
    return [
        Embedding(shape["vocabulary"], shape["context"], shape["width"]),
        *(Block(shape["width"], shape["heads"]) for _ in range(shape["blocks"])),
        Unembedding(shape["width"], shape["vocabulary"]),
    ]


MODELS = {"mlp": mlp, "residual": residual, "transformer": transformer}


def make(setting, weights_path):
    """The blocks of the model with our starting weights."""
    blocks = MODELS[setting["model"]](setting["shape"])
    weights = Weights(weights_path)
    for block in blocks:
        block.load(weights)
    assert weights.is_used_up(), "our model has more parameters than this one"
    return blocks


def tied(blocks):
    """The one table that both embeddings share, as either end has it."""
    for block in blocks:
        if isinstance(block, (Embedding, Unembedding)):
            yield block.tokens


def loss_of(logits, labels):
    """Mean cross-entropy over all rows."""
    return functional.cross_entropy(logits.flatten(0, -2), labels.flatten())
