"""What no operator does, refused by name."""

from __future__ import annotations

from typing import Any, NoReturn

from fastgat.nn.operator import Operator


def refuse_vmap(operator: Operator, name: str) -> None:
    """Let vmap end in a sentence."""

    def refuse(*_: object) -> NoReturn:
        raise NotImplementedError(
            f"{name} cannot be used under vmap: give it more heads, or one graph of several parts"
        )

    operator.definition.register_vmap(refuse)


def refuse_second_derivative(backward: Operator, name: str) -> None:
    """Let the derivative of a backward operator end in a sentence."""

    def refuse(context: Any, *gradients: Any) -> NoReturn:
        raise NotImplementedError(
            f"{name} cannot be differentiated twice: use fastgat.nn.portable, or torch_geometric's "
            "layer, where second derivatives are needed"
        )

    backward.definition.register_autograd(refuse)
