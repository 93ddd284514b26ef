"""What the operators share: arguments on their way to the core, and what they refuse by name."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch._library.custom_ops import CustomOpDef

from fastgat.nn.edges import Edges


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
    """The dropout seed as the core takes it: 64 bits without a sign."""
    return 0 if seed is None else int(np.int64(seed.item()).view(np.uint64))


def edges_of(key: Tensor, num_sources: int, num_targets: int, flags: int) -> Edges:
    """The arcs of a call from an operator's arguments."""
    return Edges(key, num_sources, num_targets, bool(flags & 1), bool(flags & 2))


def flags_of(edges: Edges) -> int:
    """The options of a call's arcs as one number, which operators take sooner than many."""
    return edges.add_loops + 2 * edges.reverse


def register_forward(forward: CustomOpDef, name: str) -> None:
    """Run in float32 under autocast; refuse vmap."""
    forward.register_autocast("cpu", torch.float32)
    _refuse_vmap(forward, name)


def register_backward(backward: CustomOpDef, name: str) -> None:
    """Refuse to be differentiated again, and vmap."""

    def refuse(context: Any, *gradients: Any) -> NoReturn:
        raise NotImplementedError(
            f"{name} cannot be differentiated twice: use fastgat.nn.portable, or torch_geometric's "
            "layer, where second derivatives are needed"
        )

    backward.register_autograd(refuse)
    _refuse_vmap(backward, name)


def _refuse_vmap(operator: CustomOpDef, name: str) -> None:
    def refuse(info: Any, in_dims: Any, *arguments: Any) -> NoReturn:
        raise NotImplementedError(
            f"{name} cannot be mapped by vmap: give it more heads, or one graph of several parts"
        )

    operator.register_vmap(refuse)
