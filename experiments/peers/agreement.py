"""No figures for peers that compute something else."""

from __future__ import annotations

import torch
from torch import Tensor, nn

TOLERANCE = 1e-4


def require_equal(what: str, found: Tensor, expected: Tensor) -> None:
    """End the run if two tensors differ; `what` they are begins the sentence."""
    if not torch.allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE):
        largest = float((found - expected).abs().max())
        raise SystemExit(f"{what} differ by up to {largest:.2g}: not the same model, no figures")


def require_equal_gradients(what: str, ours: nn.Module, theirs: nn.Module) -> None:
    """Relative to a gradient's largest entry: sums over many arcs, in another order.

    A gradient that is zero but for rounding (a bias that softmax cancels) is held against the
    largest of all instead.
    """
    peers = {name: gradient_of(parameter) for name, parameter in theirs.named_parameters()}
    floor = 0.01 * max(float(gradient.abs().max()) for gradient in peers.values())
    for name, parameter in ours.named_parameters():
        scale = max(float(peers[name].abs().max()), floor)
        found, expected = gradient_of(parameter) / scale, peers[name] / scale
        require_equal(f"{what}: gradients of {name}", found, expected)


def gradient_of(parameter: Tensor) -> Tensor:
    """The gradient, which a backward pass has just made."""
    assert parameter.grad is not None
    return parameter.grad
