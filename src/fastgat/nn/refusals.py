"""What no operator does, refused by name."""

from __future__ import annotations

from typing import Any, NoReturn

from torch._library.custom_ops import CustomOpDef


def refuse_vmap(operator: CustomOpDef, name: str) -> None:
    """Let vmap end in a sentence."""

    def refuse(*_: object) -> NoReturn:
        raise NotImplementedError(
            f"{name} cannot be used under vmap: give it more heads, or one graph of several parts"
        )

    operator.register_vmap(refuse)


def refuse_second_derivative(backward: CustomOpDef, name: str) -> None:
    """Let the derivative of a backward operator end in a sentence."""

    def refuse(context: Any, *gradients: Any) -> NoReturn:
        raise NotImplementedError(
            f"{name} cannot be differentiated twice: use fastgat.nn.portable, or torch_geometric's "
            "layer, where second derivatives are needed"
        )

    backward.register_autograd(refuse)
