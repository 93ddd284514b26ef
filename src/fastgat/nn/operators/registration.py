"""What the operators share: arguments on their way to the core, and back."""

from __future__ import annotations

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from fastgat.nn.dropout import seed_number
from fastgat.nn.edges import Edges
from fastgat.nn.operator import Operator
from fastgat.nn.refusals import refuse_second_derivative, refuse_vmap


def array(tensor: Tensor) -> NDArray[Any]:
    """A tensor's numbers for the core, without a copy if they are contiguous."""
    numbers: NDArray[Any] = tensor.detach().contiguous().numpy()
    return numbers


def optional_array(tensor: Tensor | None) -> NDArray[Any] | None:
    """The same for what may be left out."""
    return None if tensor is None else array(tensor)


def tensors(arrays: tuple[NDArray[Any], ...]) -> list[Tensor]:
    """What the core returned, as tensors that share its memory."""
    return [torch.from_numpy(each) for each in arrays]


def seed_of(seed: Tensor | None) -> int:
    """The dropout seed as the core takes it, 0 where none is needed."""
    return 0 if seed is None else seed_number(seed)


def edges_of(key: Tensor, num_sources: int, num_targets: int, flags: int) -> Edges:
    """The arcs of a call from an operator's arguments."""
    return Edges(key, num_sources, num_targets, bool(flags & 1), bool(flags & 2))


def flags_of(edges: Edges) -> int:
    """The options of a call's arcs as one number, which operators take sooner than many."""
    return edges.add_loops + 2 * edges.reverse


def register_forward(forward: Operator, name: str) -> None:
    """Run in float32 under autocast; refuse vmap."""
    forward.definition.register_autocast("cpu", torch.float32)
    refuse_vmap(forward, name)


def register_backward(backward: Operator, name: str) -> None:
    """Refuse to be differentiated again, and vmap."""
    refuse_second_derivative(backward, name)
    refuse_vmap(backward, name)
