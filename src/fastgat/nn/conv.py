"""What every attention layer shares: reading its inputs, its heads, when it passes messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.amp.autocast_mode import is_autocast_available
from torch_geometric.nn import MessagePassing
from torch_geometric.typing import SparseTensor

from fastgat.check import InputError, check_between
from fastgat.nn.attention import Scores
from fastgat.nn.dropout import draw_seed
from fastgat.nn.edge_index import EdgeIndexLike, GraphInput, LayerArcs, read_arcs
from fastgat.nn.operator import is_script_traced
from fastgat.nn.projection import Features, LayerLinear, check_features
from fastgat.nn.sparse_features import SparseFeatures

_SUMS = ("add", "sum", "SumAggregation()")
_HOOKS = ("propagate", "message", "aggregate", "message_and_aggregate", "edge_update")


class AttentionConv(MessagePassing):  # type: ignore[misc]
    """Base of the attention layers. Runs over arcs without storing anything per arc."""

    heads: int
    concat: bool
    dropout: float
    add_self_loops: bool
    bias: Tensor | None

    # A PyG layer, once made, puts code generated for its own class here; start from the original.
    propagate = MessagePassing.propagate
    edge_updater = MessagePassing.edge_updater

    def check_options(self) -> None:
        """Refuse, when the layer is made, what its attention cannot do; take its Linears over."""
        LayerLinear.adopt(self)
        if self.aggr not in _SUMS:
            raise InputError(
                f"aggr={self.aggr!r} is not what attention does: it sums; leave aggr out, "
                "or use the layer of torch_geometric.nn"
            )
        check_between("dropout", self.dropout, 0, 1, closed=True)
        if hasattr(self, "negative_slope"):
            check_between("negative_slope", self.negative_slope, -math.inf, math.inf)

    @property
    def reverse(self) -> bool:
        """Whether arcs run from the second row of edge_index to the first."""
        return bool(self.flow == "target_to_source")

    def passes_messages(self, plain: type[MessagePassing]) -> bool:
        """Whether someone looks at single messages: an explainer, a hook, or an override."""
        hooked = any(
            getattr(self, f"_{name}_forward_{kind}")
            for name in _HOOKS
            for kind in ("hooks", "pre_hooks")
        )
        steps = ("message", "aggregate", "update", "edge_update")
        changed = any(getattr(type(self), step) is not getattr(plain, step) for step in steps)
        return bool(self.explain) or hooked or changed

    def plain_inputs(self, x: Any, edge_index: Any, edge_weight: Any) -> Any:
        """Return `x` as PyG's own forward takes it, and refuse what only ours takes."""
        if edge_weight is not None or not isinstance(edge_index, Tensor | SparseTensor):
            raise InputError(
                "edge_weight and SortedArcs have no place where messages are passed one by "
                "one: in an explainer or with a hook; give edge_index as a tensor, without weights"
            )
        ends = x if isinstance(x, tuple) else (x,)
        if any(isinstance(end, SparseFeatures) for end in ends):
            raise InputError(
                "x is SparseFeatures, which is only multiplied; an explainer or a hook looks at x "
                "itself: give the torch.sparse_csr tensor, or a dense one"
            )
        dense = [
            end.to_dense() if isinstance(end, Tensor) and end.layout == torch.sparse_csr else end
            for end in ends
        ]
        return tuple(dense) if isinstance(x, tuple) else dense[0]

    def read_ends(self, x: Any) -> tuple[Features, Features | None]:
        """Features of sources and targets; the latter may be absent."""
        if not isinstance(x, tuple | list):
            x = check_features("x", x)
            return x, x
        if len(x) != 2:
            raise InputError(f"x is a tuple of {len(x)}, but a bipartite graph has two sides")
        x_src = check_features("x[0]", x[0])
        x_dst = None if x[1] is None else check_features("x[1]", x[1])
        return x_src, x_dst

    def read_graphs(
        self,
        graph: EdgeIndexLike,
        num_sources: int,
        num_targets: int | None,
        like: Tensor,
        *,
        edge_weight: Any = None,
        edge_attr: Tensor | None = None,
        size: tuple[int, int] | None = None,
        fill_value: float | Tensor | str = "mean",
        needs_ids: bool = False,
    ) -> list[LayerArcs]:
        """Read one graph for all heads, or a list with one per head.

        Args:
            graph: in any of its forms, or a list of these.
            num_sources: rows of the features of sources.
            num_targets: rows of those of targets, if there are any.
            like: has the dtype and device that values per arc must have.
            edge_weight: a prior per arc; a list of them where `graph` is one.
            edge_attr: attributes per arc, of one graph for all heads.
            size: how many sources and targets an edge_index is said to have.
            fill_value: how the attributes of added loops follow from those of arcs, as in PyG.
            needs_ids: keep the order of arcs in any case.
        """

        def read(one: GraphInput, weight: Any, attr: Tensor | None = None) -> LayerArcs:
            return read_arcs(
                one, num_sources, num_targets, like, size=size,
                add_loops=bool(self.add_self_loops), reverse=self.reverse, weight=weight,
                attr=attr, fill_value=fill_value, needs_ids=needs_ids,
            )  # fmt: skip

        if not isinstance(graph, list | tuple):
            return [read(graph, edge_weight, edge_attr)]
        weights = [None] * len(graph) if edge_weight is None else edge_weight
        if len(graph) != self.heads:
            raise InputError(
                f"edge_index lists {len(graph)} graphs, but the layer has {self.heads} heads; "
                "give one graph per head, or one for all"
            )
        if not isinstance(weights, list | tuple) or len(weights) != self.heads:
            raise InputError(
                f"edge_weight must be a list of {self.heads}, one per head, as edge_index is"
            )
        graphs = [read(one, weight) for one, weight in zip(graph, weights, strict=True)]
        if edge_attr is not None or any(arcs.attr is not None for arcs in graphs):
            raise InputError("edge_attr goes with one graph for all heads; leave it out")
        return graphs

    def attend(
        self, scores: Scores, graphs: Sequence[LayerArcs], with_coefficients: bool | None = False
    ) -> tuple[Tensor, list[Tensor]]:
        """Attend over one graph with all heads, or over each head's own: (nodes, heads, channels).

        Args:
            scores: of all heads.
            graphs: one for all heads, or one per head.
            with_coefficients: give those of each graph in the list, which is empty otherwise.
        """
        dropout = self.dropout if self.training else 0.0
        seed = draw_seed() if dropout > 0 else None
        outputs, coefficients = [], []
        parts = [scores] if len(graphs) == 1 else scores.split()
        for head, (part, graph) in enumerate(zip(parts, graphs, strict=True)):
            options: dict[str, Any] = {
                "dropout": dropout,
                "seed": None if seed is None else seed + head,
                "weight": graph.weight,
            }
            if with_coefficients:
                coefficients.append(part.coefficients(graph.arcs, **options))
                outputs.append(part.weighted_sum(coefficients[-1], graph.arcs))
            else:
                outputs.append(part.attend(graph.arcs, **options))
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs, dim=1), coefficients

    def merge_heads(
        self, out: Tensor, residual: Tensor | None = None, *, has_bias: bool = False
    ) -> Tensor:
        """Concatenate or average the heads, then add residual and bias.

        Args:
            out: (nodes, heads, channels).
            residual: as wide as the result.
            has_bias: `out` has the bias already.
        """
        # One head is its own mean, but without a bias the caller must get a tensor to write to.
        is_mean = out.size(1) == 1 and self.bias is not None
        out = out.flatten(1) if self.concat or is_mean else out.mean(dim=1)
        if residual is not None:
            out = out + residual
        return out if self.bias is None or has_bias else out + self.bias

    def with_coefficients(
        self, out: Tensor, graphs: Sequence[LayerArcs], coefficients: list[Tensor]
    ) -> Any:
        """Give `out` alone, or with (edge_index, coefficients), one pair per graph if several."""
        if not coefficients:
            return out
        pairs = [
            graph.coefficients_on_graph(alpha)
            for graph, alpha in zip(graphs, coefficients, strict=True)
        ]
        return out, pairs[0] if len(pairs) == 1 else pairs

    def __prepare_scriptable__(self) -> None:
        """Refuse TorchScript, which cannot see into the operators."""
        raise NotImplementedError(
            f"{type(self).__name__} does not compile to TorchScript; use torch.compile instead"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the layer; refuse torch.jit.trace, which would write one graph down as a constant."""
        if not torch.compiler.is_compiling() and is_script_traced():
            raise NotImplementedError(
                f"{type(self).__name__} cannot be traced by torch.jit.trace; "
                "use torch.export or torch.compile instead"
            )
        return super().__call__(*args, **kwargs)


def in_full_precision(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Leave autocast, since a sum over arcs loses too much in half precision.

    The arguments come in at the parameters' dtype, the result stays there.
    """

    @wraps(forward)
    def run(self: torch.nn.Module, x: Any, *args: Any, **kwargs: Any) -> Any:
        ends = x if isinstance(x, list | tuple) else (x,)
        device = next((end.device.type for end in ends if isinstance(end, Tensor)), "cpu")
        if not (is_autocast_available(device) and torch.is_autocast_enabled(device)):
            return forward(self, x, *args, **kwargs)
        with torch.autocast(device, enabled=False):
            wide = [_widen(value) for value in (x, *args)]
            return forward(self, *wide, **{name: _widen(value) for name, value in kwargs.items()})

    return run


def _widen(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_widen(one) for one in value)
    if isinstance(value, Tensor) and value.dtype in (torch.float16, torch.bfloat16):
        return value.float()
    return value
