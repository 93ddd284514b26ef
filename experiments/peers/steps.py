"""What a training step, an inference and a layer's pass are: the same for every peer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def make_step(
    model: nn.Module, inputs: tuple[Any, ...], label: Tensor, train: Tensor
) -> Callable[[], Tensor]:
    """One full-graph training step, which returns its loss.

    Args:
        model: called with `inputs`.
        inputs: features and arcs, as the model takes them.
        label: class of every node.
        train: numbers of the training nodes.
    """
    adam = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4, fused=True)
    wanted = label[train]

    def step() -> Tensor:
        model.train()
        adam.zero_grad()
        loss = nn.functional.cross_entropy(model(*inputs)[train], wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        return loss.detach()

    return step


def make_inference(model: nn.Module, inputs: tuple[Any, ...]) -> Callable[[], Tensor]:
    """One forward pass without dropout and without gradients."""

    def infer() -> Tensor:
        model.eval()
        with torch.no_grad():
            return torch.as_tensor(model(*inputs))

    return infer


def make_pass(layer: nn.Module, x: Tensor, edges: Any) -> Callable[[], Tensor]:
    """Forward and backward of one layer, the features' gradient included."""
    with torch.no_grad():
        shape = layer(x, edges).flatten(1).shape
    upstream = torch.randn(shape, generator=torch.Generator().manual_seed(17))

    def run() -> Tensor:
        layer.zero_grad()
        x.grad = None
        out = layer(x, edges).flatten(1)
        out.backward(upstream)
        return torch.as_tensor(out.detach())

    return run
