#!/usr/bin/env python3
"""Writes the golden values that golden_test.cpp holds the layers against.

Every layer, the loss, and a transformer of two blocks are computed by PyTorch in
float64, from numbers that the test draws again by itself: SplitMix64, uniform, rounded
to float32, as `random_matrix` in reference.cpp. So the files hold results only:

    # a comment
    NAME COUNT        a tensor, row by row, in the layout of layer.hpp
    number ...

    python3 make_golden.py [--folder FOLDER]      needs torch; the tests do not
"""

import argparse
import math
import pathlib

import numpy
import torch
import torch.nn.functional as F

FOLDER = pathlib.Path(__file__).resolve().parent
DIGITS = 7  # of a result; the tests ask for five
WORD = (1 << 64) - 1


def draw(count, bound, seed):
    """`random_matrix(1, count, bound, seed)` as a float64 tensor."""
    values = []
    state = seed
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & WORD
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        z ^= z >> 31
        values.append(numpy.float32((2 * ((z >> 11) * 2.0**-53) - 1) * bound))
    return torch.tensor(numpy.array(values, dtype=numpy.float64))


def some_ids(rows, below):
    """Token ids and labels of the tests: row * row + 3, some of them more than once."""
    return torch.tensor([(i * i + 3) % below for i in range(rows)])


def leaf(values, *shape):
    return values.reshape(shape).clone().requires_grad_(True)


def split(parameters, *shapes):
    """The parameters as leaves of these shapes, one after the other."""
    tensors = []
    first = 0
    for shape in shapes:
        count = math.prod(shape)
        tensors.append(leaf(parameters[first : first + count], *shape))
        first += count
    assert first == len(parameters)
    return tensors


class File:
    """Tensors by name, in the order in which they were added."""

    def __init__(self, comment):
        self.lines = [f"# {comment}"]

    def add(self, name, *tensors):
        values = torch.cat([t.detach().reshape(-1) for t in tensors]).tolist()
        self.lines.append(f"{name} {len(values)}")
        words = [f"{v:.{DIGITS}g}" for v in values]
        for i in range(0, len(words), 8):
            self.lines.append(" ".join(words[i : i + 8]))

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n")


def layer_file(comment, function, x, parameters, dy, layout=lambda gradients: gradients):
    """y, dx and gradients of y = function(x, *parameters). `layout` brings gradients
    into ours."""
    y = function(x, *parameters)
    assert y.numel() == dy.numel()
    (y * dy.reshape(y.shape)).sum().backward()
    file = File(comment)
    file.add("y", y)
    if x.requires_grad:
        file.add("dx", x.grad)
    if parameters:
        file.add("gradients", *layout([p.grad for p in parameters]))
    return file


def linear():
    rows, inputs, outputs, seed = 6, 7, 5, 100
    x = leaf(draw(rows * inputs, 2, seed), rows, inputs)
    dy = draw(rows * outputs, 1, seed + 1)
    w = split(draw((inputs + 1) * outputs, 0.5, seed + 2), (inputs, outputs), (outputs,))
    return layer_file(
        "linear 7 -> 5, 6 rows", lambda x, w, b: F.linear(x, w.T, b), x, w, dy
    )


def activation(name, function, seed):
    rows, width = 4, 9
    x = leaf(draw(rows * width, 2, seed), rows, width)
    return layer_file(
        f"{name} 9, 4 rows", function, x, [], draw(rows * width, 1, seed + 1)
    )


def loss():
    rows, classes, seed = 6, 7, 130
    logits = leaf(draw(rows * classes, 3, seed), rows, classes)
    total = F.cross_entropy(logits, some_ids(rows, classes), reduction="sum")
    (total / rows).backward()
    file = File("softmax and cross-entropy, 6 rows of 7 logits; gradient of the mean")
    file.add("loss", total)
    file.add("dlogits", logits.grad)
    return file


def embed(ids, tokens, places):
    """ids: samples x positions."""
    return F.embedding(ids, tokens) + places[: ids.shape[1]]


def embedding():
    samples, positions, vocabulary, width, seed = 2, 5, 11, 4, 140
    ids = some_ids(samples * positions, vocabulary).reshape(samples, positions)
    count = (vocabulary + positions) * width
    tables = split(draw(count, 0.5, seed + 2), (vocabulary, width), (positions, width))
    dy = draw(samples * positions * width, 1, seed + 1)
    return layer_file("embedding 11 -> 4, 2 samples of 5", embed, ids, tables, dy)


def unembedding():
    rows, width, vocabulary, seed = 6, 4, 11, 150
    x = leaf(draw(rows * width, 2, seed), rows, width)
    tokens = split(draw(vocabulary * width, 0.5, seed + 2), (vocabulary, width))
    dy = draw(rows * vocabulary, 1, seed + 1)
    return layer_file("unembedding 4 -> 11, 6 rows", lambda x, e: x @ e.T, x, tokens, dy)


def norm(x, scale, shift):
    return F.layer_norm(x, (x.shape[-1],), scale, shift, eps=1e-5)


def layer_norm():
    rows, width, seed = 5, 8, 160
    x = leaf(draw(rows * width, 2, seed), rows, width)
    parameters = split(draw(2 * width, 0.5, seed + 2), (width,), (width,))
    dy = draw(rows * width, 1, seed + 1)
    return layer_file("layer norm 8, 5 rows", norm, x, parameters, dy)


def attend(x, heads):
    """x: samples x positions x 3 width."""
    samples, positions, columns = x.shape
    q, k, v = (
        part.reshape(samples, positions, heads, -1).transpose(1, 2)
        for part in x.split(columns // 3, dim=2)
    )
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return y.transpose(1, 2).reshape(samples, positions, columns // 3)


def attention():
    samples, positions, width, heads, seed = 2, 5, 12, 3, 170
    x = leaf(draw(samples * positions * 3 * width, 2, seed), samples, positions, 3 * width)
    dy = draw(samples * positions * width, 1, seed + 1)
    return layer_file(
        "causal attention 12, 3 heads, 2 samples of 5",
        lambda x: attend(x, heads), x, [], dy,
    )


def convolution(height, width, channels, filters, stride, bias, rows, seed):
    """Ours are images by rows, positions, channels, and filters by kernel row, kernel
    column, channel, filter."""
    x = leaf(draw(rows * height * width * channels, 2, seed), rows, height, width, channels)
    shapes = [(3, 3, channels, filters)] + ([(filters,)] if bias else [])
    count = sum(math.prod(shape) for shape in shapes)
    parameters = split(draw(count, 0.5, seed + 2), *shapes)

    def function(x, w, b=None):
        y = F.conv2d(
            x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), b, stride=stride, padding=1
        )
        return y.permute(0, 2, 3, 1)

    outputs = rows * math.ceil(height / stride) * math.ceil(width / stride) * filters
    comment = (
        f"convolution of {rows} images {height}x{width}x{channels}, {filters} filters "
        f"3x3, stride {stride}, {'a' if bias else 'no'} bias"
    )
    return layer_file(comment, function, x, parameters, draw(outputs, 1, seed + 1))


def batch_norm():
    rows, height, width, channels, seed = 3, 2, 3, 4, 200
    count = rows * height * width * channels
    x = leaf(draw(count, 2, seed), rows, height, width, channels)
    parameters = split(draw(2 * channels, 0.5, seed + 2), (channels,), (channels,))
    mean = torch.zeros(channels, dtype=torch.float64)
    variance = torch.ones(channels, dtype=torch.float64)

    def function(x, scale, shift):
        y = F.batch_norm(
            x.permute(0, 3, 1, 2), mean, variance, scale, shift, True, 0.1, 1e-5
        )
        return y.permute(0, 2, 3, 1)

    file = layer_file(
        "batch norm of 3 images 2x3x4, in training; the running statistics afterwards",
        function, x, parameters, draw(count, 1, seed + 1),
    )
    file.add("state", mean, variance)
    return file


def transformer():
    """The network of transformer.hpp. Layer i of it draws its parameters from the seed
    300 + i; the table of the tied ends is the first layer's."""
    samples, context, vocabulary, width, heads, blocks = 2, 5, 11, 12, 3, 2
    seed = 300
    layers = []  # the parameters of each layer that has any, by its index
    index = 0

    def layer(*shapes):
        nonlocal index
        tensors = split(draw(sum(math.prod(s) for s in shapes), 0.5, seed + index), *shapes)
        layers.append((index, tensors))
        index += 1
        return tensors

    def residual(x, hidden_columns, between, final_columns):
        nonlocal index
        h = norm(x, *layer((width,), (width,)))
        w, b = layer((width, hidden_columns), (hidden_columns,))
        h = between(h @ w + b)
        index += 1  # what lies between has no parameters
        w, b = layer((final_columns, width), (width,))
        return x + h @ w + b

    rows = samples * context
    ids = some_ids(rows, vocabulary).reshape(samples, context)
    labels = some_ids(rows + 2, vocabulary)[2:]
    tokens, places = layer((vocabulary, width), (context, width))
    x = embed(ids, tokens, places)
    for _ in range(blocks):
        x = residual(x, 3 * width, lambda h: attend(h, heads), width)
        x = residual(x, 4 * width, lambda h: F.gelu(h, approximate="tanh"), 4 * width)
    logits = norm(x, *layer((width,), (width,))) @ tokens.T
    total = F.cross_entropy(logits.reshape(rows, vocabulary), labels)
    total.backward()
    file = File(
        "transformer: width 12, 3 heads, 2 blocks, context 5, 11 tokens, tied; the mean "
        "loss of 2 samples, and its gradients by the parameters of each layer"
    )
    file.add("loss", total)
    file.add("logits", logits)
    for number, tensors in layers:
        file.add(f"gradients_{number}", *[t.grad for t in tensors])
    return file


def main():
    parser = argparse.ArgumentParser(
        description="Writes the golden values of golden_test.cpp, by PyTorch in float64."
    )
    parser.add_argument(
        "--folder", type=pathlib.Path, default=FOLDER, help="where to (default: here)"
    )
    folder = parser.parse_args().folder
    files = {
        "linear": linear(),
        "relu": activation("relu", F.relu, 110),
        "gelu": activation("gelu", lambda x: F.gelu(x, approximate="tanh"), 120),
        "loss": loss(),
        "embedding": embedding(),
        "unembedding": unembedding(),
        "layer_norm": layer_norm(),
        "attention": attention(),
        "convolution": convolution(4, 5, 3, 2, 1, True, 2, 180),
        "convolution_stride": convolution(5, 4, 2, 3, 2, False, 2, 190),
        "batch_norm": batch_norm(),
        "transformer": transformer(),
    }
    for name, file in files.items():
        file.write(folder / f"{name}.txt")


if __name__ == "__main__":
    main()
