"""Kernels of the compiled core as torch operators: how tensors get there and back.

In eager mode an operator is a `torch.autograd.Function`, which torch's dispatcher never sees: on a
small graph the dispatcher's Python frames cost as much as the kernel. Compilers, `torch.export`,
autocast and tensor subclasses get the same function as a `torch.library` operator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import Function
from torch.nn import Parameter
from torch.utils.weak import WeakTensorKeyDictionary

from fastgat import _core
from fastgat.check import InputError

if TYPE_CHECKING:
    from fastgat.nn.arcs import SortedArcs

Value = TypeVar("Value")

CORE_DTYPES = (torch.float32, torch.float64)
_PLAIN = (Tensor, Parameter)
# Torch binds the arguments of every call to the signature of `forward`: a short one costs least.
_ANY = inspect.Signature([inspect.Parameter("inputs", inspect.Parameter.VAR_POSITIONAL)])


@dataclass(frozen=True)
class Shown:
    """How messages speak of an operator.

    Args:
        name: what they call it.
        under_vmap: the way out there.
        twice: the way out where it is differentiated twice, if it cannot be.
    """

    name: str
    under_vmap: str
    twice: str = ""

    @classmethod
    def attention(cls, name: str) -> Shown:
        """For the operators of a score family."""
        return cls(
            name,
            under_vmap="give it more heads, or one graph of several parts",
            twice="use fastgat.nn.attention.reference, or torch_geometric's layer, where second "
            "derivatives are needed",
        )

    def refuse_vmap(self, *_: object) -> NoReturn:
        """Raise, in place of a rule for vmap."""
        raise NotImplementedError(f"{self.name} cannot be used under vmap: {self.under_vmap}")

    def refuse_second_derivative(self, *_: object) -> NoReturn:
        """Raise, in place of a gradient."""
        raise NotImplementedError(f"{self.name} cannot be differentiated twice: {self.twice}")


class Operator:
    """A function of tensors, registered with torch under `name`; its results alias nothing.

    It is differentiated once: the operator of a backward pass has no gradient of its own.

    Args:
        name: "namespace::name" for torch.library.
        function: takes and returns tensors; numbers and None besides.
        shown: how messages speak of it.
    """

    def __init__(self, name: str, function: Callable[..., Any], shown: Shown) -> None:
        """Register it; see the class."""
        self.name = name
        self.definition = torch.library.custom_op(name, function, mutates_args=())
        self._function = function
        self._num_inputs = len(inspect.signature(function).parameters)
        self._node_name = name.replace("::", "_").title().replace("_", "")  # seen in grad_fn
        self.shown = shown
        self.differentiate_with(shown.refuse_second_derivative, lambda *_: None)
        self.definition.register_autocast("cpu", torch.float32)
        self.definition.register_vmap(shown.refuse_vmap)

    def __call__(self, *inputs: Any) -> Any:
        """Compute, and keep for the backward pass what its `save` keeps."""
        if torch.compiler.is_compiling() or not _is_plain_call(inputs):
            return self.definition(*inputs)
        return self._node.apply(*inputs)

    def differentiate_with(
        self, backward: Callable[..., Any], save: Callable[[Any, Any, Any], None]
    ) -> None:
        """Say how the autograd function and the operator are differentiated.

        Args:
            backward: called as `backward(ctx, *gradients)`, it returns a tuple of the gradients of
                the first inputs; those it leaves out have none.
            save: called as `save(ctx, inputs, output)` after the forward pass.
        """
        function, num_inputs = self._function, self._num_inputs

        def forward(*inputs: Any) -> Any:
            return function(*inputs)

        def differentiate(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
            found = backward(ctx, *gradients)
            return *found, *(None,) * (num_inputs - len(found))

        forward.__signature__ = _ANY  # type: ignore[attr-defined]
        methods: dict[str, Callable[..., Any]] = {
            "forward": forward,
            "setup_context": save,
            "backward": differentiate,
            "vmap": self.shown.refuse_vmap,
        }
        members = {name: staticmethod(method) for name, method in methods.items()}
        self._node: Any = type(self._node_name, (Function,), members)
        self.definition.register_autograd(differentiate, setup_context=save)

    def register_fake(self, fake: Callable[..., Any]) -> Callable[..., Any]:
        """Say what shapes come out, for compilers. A decorator."""
        self.definition.register_fake(fake)
        return fake


def operator(name: str, shown: Shown) -> Callable[[Callable[..., Any]], Operator]:
    """Make an operator of the function below."""
    return lambda function: Operator(f"fastgat::{name}", function, shown)


def _is_plain_call(inputs: tuple[Any, ...]) -> bool:
    return not (torch.is_autocast_enabled("cpu") or is_script_traced()) and all(
        not isinstance(value, Tensor) or (type(value) in _PLAIN and value.is_cpu)
        for value in inputs
    )


def is_script_traced() -> bool:
    """Whether torch.jit.trace writes down what is called."""
    return bool(torch.jit.is_tracing())  # type: ignore[attr-defined,no-untyped-call]


# -- Numbers on their way to the core, and back --


def array(tensor: Tensor) -> NDArray[Any]:
    """A tensor's numbers for the core, without a copy if they are contiguous."""
    numbers: NDArray[Any] = tensor.detach().contiguous().numpy()
    return numbers


def optional_array(tensor: Tensor | None) -> NDArray[Any] | None:
    """The same for what may be left out."""
    return None if tensor is None else array(tensor)


def seed_number(seed: Tensor | None) -> int:
    """The 64 bits of a dropout seed as the core takes them, 0 where none is needed."""
    return 0 if seed is None else int(seed.item()) % 2**64


@dataclass(frozen=True)
class Layout:
    """The rows the attention kernels read: a node's channels one after the other, heads innermost.

    Heads are padded to a power of two and rows to whole vectors; the core says how many that is.

    Args:
        heads: at most as many as a kernel takes; see `head_groups`.
        channels: of every head.
        allows_half: short rows of one head may be half a vector.
    """

    heads: int
    channels: int
    allows_half: bool = True

    @property
    def padded_heads(self) -> int:
        """Heads, with padding."""
        return _core.padded_heads(int(self.heads))

    @property
    def row_size(self) -> int:
        """Numbers per node, with padding."""
        return _core.row_size(int(self.heads), int(self.channels), self.allows_half)

    @classmethod
    def whole(cls, values: Tensor) -> Layout:
        """Of (nodes, heads, channels), in whole vectors."""
        return cls(values.shape[1], values.shape[2], allows_half=False)

    def pack(self, values: Tensor) -> NDArray[Any]:
        """(nodes, heads, channels) -> (nodes, row_size); without a copy if the memory fits."""
        swapped = values.detach().transpose(1, 2)
        if self.row_size == self.heads * self.channels:
            packed: NDArray[Any] = swapped.contiguous().view(-1, self.row_size).numpy()
            return packed
        rows = values.new_zeros(values.size(0), self.row_size)
        used = rows[:, : self.padded_heads * self.channels]
        used.view(-1, self.channels, self.padded_heads)[:, :, : self.heads].copy_(swapped)
        numbers: NDArray[Any] = rows.numpy()
        return numbers

    def pack_row(self, values: Tensor) -> NDArray[Any]:
        """(heads, channels) as one packed row."""
        row: NDArray[Any] = self.pack(values[None])[0]
        return row

    def pad_heads(self, values: Tensor) -> NDArray[Any]:
        """(rows, heads) -> (rows, padded_heads)."""
        more = self.padded_heads - self.heads
        return array(torch.nn.functional.pad(values.detach(), (0, more)) if more else values)

    def unpack(self, rows: NDArray[Any]) -> Tensor:
        """(nodes, row_size) -> (nodes, heads, channels), in the same memory."""
        # Taken apart by NumPy: what autograd takes for a view could not be written to.
        used = rows[:, : self.padded_heads * self.channels]
        apart = used.reshape(-1, self.channels, self.padded_heads)[:, :, : self.heads]
        return torch.from_numpy(apart.swapaxes(1, 2))

    def unpack_row(self, row: NDArray[Any]) -> Tensor:
        """One packed row -> (heads, channels), in memory of its own."""
        return self.unpack(row[None])[0].clone(memory_format=torch.contiguous_format)

    def empty(self, like: Tensor, num_nodes: int) -> Tensor:
        """What `unpack` returns, without numbers."""
        rows = like.new_empty(num_nodes, self.row_size)[:, : self.padded_heads * self.channels]
        return rows.view(-1, self.channels, self.padded_heads)[:, :, : self.heads].mT


def head_groups(heads: int) -> list[slice]:
    """The heads in groups of as many as a kernel takes."""
    most = _core.most_heads
    return [slice(i, min(i + most, heads)) for i in range(0, heads, most)]


class KernelScores:
    """What a family of `Scores` with a kernel has besides: it attends by that where it can.

    Such a family gives `fits_kernel` and `attend_heads`, and inherits from this class first.
    """

    value: Tensor

    @property
    def fits_kernel(self) -> bool:
        """Whether the kernel takes the fields besides `value`."""
        raise NotImplementedError

    def attend_heads(
        self,
        arcs: SortedArcs,
        head_offset: int,
        weight: Tensor | None,
        dropout: float,
        seed: Tensor | None,
    ) -> Tensor:
        """Run the kernel, on no more heads than it takes.

        Args:
            arcs: as in `attend`, like all but
            head_offset: the number of the first head, which decides the masks of dropout.
            weight: see there.
            dropout: see there.
            seed: see there.
        """
        raise NotImplementedError

    def attend(
        self,
        arcs: SortedArcs,
        *,
        weight: Tensor | None = None,
        dropout: float = 0.0,
        seed: Tensor | None = None,
    ) -> Tensor:
        """Sum of the values, weighted by attention; see `Scores`."""
        value, options = self.value, (weight, dropout, seed)
        is_taken = value.is_cpu and value.dtype in CORE_DTYPES and 0 not in value.shape[1:]
        if not is_taken or not self.fits_kernel:
            plain: Tensor = super().attend(arcs, weight=weight, dropout=dropout, seed=seed)  # type: ignore[misc]
            return plain
        if value.size(1) <= _core.most_heads:
            return self.attend_heads(arcs, 0, *options)
        parts = [
            self.of_heads(heads).attend_heads(arcs, heads.start, *options)  # type: ignore[attr-defined]
            for heads in head_groups(value.size(1))
        ]
        return torch.cat(parts, dim=1)


def is_traced(tensor: Tensor) -> bool:
    """Whether a compiler or a transform follows a tensor, so that its numbers cannot be read."""
    if torch.compiler.is_compiling():
        return True
    try:
        tensor.data_ptr()
    except RuntimeError:
        return True
    return False


def check_edge_index_form(edge_index: object) -> None:
    """Refuse an edge_index that is not two rows of whole numbers. Looks at no entry."""
    if not isinstance(edge_index, Tensor):
        raise InputError(
            f"edge_index is a {type(edge_index).__name__}, but must be a tensor of shape (2, arcs)"
        )
    if edge_index.layout != torch.strided:
        raise InputError(
            f"edge_index has layout {edge_index.layout}, but must be dense of shape (2, arcs), or "
            "an adjacency of layout torch.sparse_csr: edge_index.to_dense().to_sparse_csr()"
        )
    kind = edge_index.dtype
    if kind.is_floating_point or kind.is_complex or kind == torch.bool:
        raise InputError(
            f"edge_index has dtype {edge_index.dtype}, but node numbers are whole: "
            "edge_index.long()"
        )
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        hint = "; transpose it" if edge_index.dim() == 2 and edge_index.size(1) == 2 else ""
        raise InputError(f"edge_index has shape {tuple(edge_index.shape)}, needs (2, arcs){hint}")


def check_has_numbers(name: str, values: Tensor) -> None:
    """Refuse a tensor without numbers."""
    if values.device.type == "meta":
        raise InputError(
            f"{name} is on meta, where tensors have no entries, but attention needs the node "
            "numbers; use another device"
        )


# -- The cache of what was made from a tensor --

# The only global store here: weak, and outside of all modules, so no pickle or copy takes it along.
_cache: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


def cached(tensor: Tensor, key: object, make: Callable[[], Value]) -> Value:
    """What `make` returns, made once for every `key` and version of a tensor.

    It is found by weak reference to the tensor, never by its address alone. Every change in place
    raises the tensor's version, and `tensor.data = other` changes address or shape. Like autograd
    it does not see what is written through `tensor.data` or NumPy.

    Args:
        tensor: what the value is made from; the value is dropped with it.
        key: tells apart several values of one tensor.
        make: called where the value is not there yet, or the tensor has changed.
    """
    if tensor.is_inference():  # has no version: a change could not be seen
        return make()
    address = tensor.data_ptr() if tensor.layout == torch.strided else None
    version = (tensor._version, address, tensor.shape)
    known: tuple[Any, dict[object, Any]] | None = _cache.get(tensor)  # type: ignore[no-untyped-call]
    if known is None or known[0] != version:
        known = _cache[tensor] = (version, {})
    if key not in known[1]:
        known[1][key] = make()
    value: Value = known[1][key]
    return value
