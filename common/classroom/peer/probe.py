"""Prints the version of PyTorch, or fails where it cannot be imported."""

import torch
import torch.distributed.pipelining  # noqa: F401  (since 2.4)

print(torch.__version__)
