"""Hard-concrete gates: numbers in [0, 1] that are often exactly 0 or 1, yet can be learned.

From "Learning Sparse Neural Networks through L0 Regularization" (Louizos, Welling, Kingma), whose
constants these are. With u uniform in (0, 1),

    z = clip((zeta - gamma) sigmoid((log u - log(1 - u) + log_alpha) / beta) + gamma, 0, 1)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

BETA = 2 / 3  # temperature
GAMMA, ZETA = -0.1, 1.1  # stretched beyond [0, 1], so that clipping makes exact zeros and ones


def draw_gates(log_alpha: Tensor) -> Tensor:
    """One draw of every gate, by torch's generator; gradients reach `log_alpha`."""
    uniform = torch.rand_like(log_alpha)
    return _stretch(torch.logit(uniform, eps=torch.finfo(uniform.dtype).eps) + log_alpha)


def fixed_gates(log_alpha: Tensor) -> Tensor:
    """Gates without noise, for evaluation: the median draw.

    >>> fixed_gates(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return _stretch(log_alpha)


def open_probability(log_alpha: Tensor) -> Tensor:
    """Probability that a draw is not 0; summed over the gates, their expected L0 norm."""
    return torch.sigmoid(log_alpha - BETA * math.log(-GAMMA / ZETA))


def _stretch(noisy: Tensor) -> Tensor:
    return (torch.sigmoid(noisy / BETA) * (ZETA - GAMMA) + GAMMA).clamp(0, 1)
