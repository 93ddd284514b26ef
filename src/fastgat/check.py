"""Checks of arguments: what is wrong is one sentence with argument, value, need and way out."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_NODES = 2**31 - 1  # node numbers are 32-bit
MIN_WEIGHT, MAX_WEIGHT = 1e-300, 1e300  # beyond, inverses of weights and sums of them overflow

# What takes long calls this with the fraction of the work that is done; raising stops the work.
Progress = Callable[[float], object]
# What may surprise calls this with one sentence: what was read, and how it was understood.
Say = Callable[[str], object]


class InputError(ValueError):
    """What the caller gave cannot be used; the message says what to change."""


def one_line(text: object) -> str:
    r"""The text without what breaks a line, what a terminal would obey or what XML forbids.

    >>> one_line("two\nlines")
    'two\\nlines'
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(text))


def check_between(
    name: str, value: object, low: float, high: float, *, hint: str = "", closed: bool = False
) -> float:
    """Return `value` if it is a finite number between `low` and `high`.

    Args:
        name: of the argument, for the message.
        value: what was given.
        low: must be less than the value.
        high: must be more.
        hint: the way out, which ends the message.
        closed: whether the value may be `low` or `high` itself.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name}={value!r} must be a number{_tail(hint)}")
    number = float(value)
    inside = low <= number <= high if closed else low < number < high
    if not inside or abs(number) == math.inf:  # torch.compile follows this, but not isinf
        ends = ("[" if closed else "("), ("]" if closed and math.isfinite(high) else ")")
        interval = f"{ends[0]}{low}, {high}{ends[1]}"
        raise InputError(f"{name}={value} must lie in {interval}{_tail(hint)}")
    return number


def check_count(
    name: str, value: object, low: int = 0, high: int | None = None, *, hint: str = ""
) -> int:
    """Return `value` if it is a whole number of at least `low`.

    Args:
        name: of the argument, for the message.
        value: what was given.
        low: the least that will do.
        high: the most, if there is one.
        hint: the way out, which ends the message.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    number = int(value) if isinstance(value, numbers.Integral) else 0
    if not whole or number < low:
        raise InputError(f"{name}={value!r} must be a whole number of at least {low}{_tail(hint)}")
    if high is not None and number > high:
        raise InputError(f"{name}={number} must be at most {high}{_tail(hint)}")
    return number


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name}={value!r} must be one of {listed}")
    return value


def check_seed(seed: object) -> int:
    """Return a seed the core takes: a whole number of 64 bits."""
    number = check_count("seed", seed)
    if number >= 2**64:
        raise InputError(f"seed={seed} must lie in [0, 2**64 - 1]")
    return number


def node_array(name: str, values: ArrayLike) -> NDArray[np.int32] | NDArray[np.int64]:
    """Return node numbers as a contiguous int32 or int64 vector, without loss."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}, but needs one dimension")
    if array.size == 0:
        return np.zeros(0, np.int32)
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise InputError(f"{name} names node {int(array.max())}, beyond {MAX_NODES - 1}")
    if array.dtype.kind not in "iu":
        raise InputError(f"{name} has dtype {array.dtype}, but node numbers are whole: cast it")
    wide = array.dtype.itemsize > 4 or array.dtype == np.uint32
    if wide:
        return np.require(array, np.int64, ["C", "A"])
    return np.require(array, np.int32, ["C", "A"])


def edge_ends(edge_index: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the two rows of an `edge_index`: where arcs begin and where they end."""
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise InputError(f"edge_index has shape {edge_index.shape}, but needs (2, arcs)")
    return edge_index[0], edge_index[1]


def weight_array(name: str, values: ArrayLike, size: int) -> NDArray[np.float64]:
    """Return `size` positive finite weights as a contiguous float64 vector."""
    try:
        array = np.require(values, np.float64, ["C", "A"])
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers: {error}") from None
    if array.shape != (size,):
        raise InputError(f"{name} has shape {array.shape}, but the number of edges is {size}")
    bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if bad.size:
        where, value = int(bad[0]), float(array[bad[0]])
        raise InputError(
            f"{name}[{where}]={value} must be positive and finite; "
            "leave out edges without weight, use the absolute value of negative ones"
        )
    return array


def check_weight_range(weight: NDArray[np.float64] | None) -> tuple[float, float]:
    """Return the least and the greatest weight of a graph, if sums and inverses stay numbers."""
    if weight is None or weight.size == 0:
        return 1.0, 1.0
    least, greatest = float(weight.min()), float(weight.max())
    if least < MIN_WEIGHT or greatest > MAX_WEIGHT:
        value = least if least < MIN_WEIGHT else greatest
        raise InputError(
            f"weight={value:.3g} must lie in [{MIN_WEIGHT}, {MAX_WEIGHT}] to be computed with; "
            "multiply all weights by one number, which divides resistances by it"
        )
    return least, greatest


def check_memory(what: str, needed: int, *, hint: str) -> None:
    """Refuse work that needs more memory than the machine has free."""
    free = available_memory()
    if needed > free:
        raise InputError(
            f"{what} needs {needed / 1e9:.1f} GB of memory, but {free / 1e9:.1f} GB are free; "
            f"{hint}"
        )


def available_memory() -> float:
    """Bytes of memory that can be had without swapping; infinite where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:  # noqa: PTH123
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024.0 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return math.inf


def _tail(hint: str) -> str:
    return f"; {hint}" if hint else ""
