"""What a step is, and how long one takes: the same for every peer, DGL's process included."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

TURN_SECONDS = 0.2  # short steps are repeated for so long: their caches are warm, as in training


def make_adam(model: nn.Module) -> torch.optim.Adam:
    return torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4, fused=True)


def make_step(
    model: nn.Module, inputs: tuple[Any, ...], label: Tensor, train: Tensor
) -> Callable[[], Tensor]:
    """One full-graph training step, which returns its loss."""
    adam, wanted = make_adam(model), label[train]

    def step() -> Tensor:
        model.train()
        adam.zero_grad()
        loss = nn.functional.cross_entropy(model(*inputs)[train], wanted)
        loss.backward()
        adam.step()
        return loss.detach()

    return step


def make_inference(model: nn.Module, inputs: tuple[Any, ...]) -> Callable[[], Tensor]:
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


def turn(run: Callable[[], Any]) -> float:
    """Median seconds of `run`, called for at least TURN_SECONDS."""
    taken: list[float] = []
    while sum(taken) < TURN_SECONDS:
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)
