"""The core refuses whatever it cannot use, and nothing it is given ends the process.

`CALLS` names every function with arguments it accepts; each argument knows what its function must
refuse. A new function of the core needs an entry there: one test counts them.
"""

import contextlib
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fastgat import _core

NODES, EDGES, WIDTH = 9, 12, 16
SOURCE = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5], np.int32)
TARGET = np.array([1, 2, 5, 2, 3, 4, 6, 4, 6, 5, 6, 7], np.int32)
WEIGHT = np.linspace(0.5, 2.0, EDGES)
ADJACENCY = _core.Adjacency(NODES, SOURCE, TARGET, WEIGHT)
UNWEIGHTED = _core.Adjacency(NODES, SOURCE, TARGET, None)
OTHER = _core.Adjacency(3, SOURCE[:2], TARGET[:2], None)
FACTOR = _core.Factor(ADJACENCY, 1)
TABLE = _core.AliasTable(WEIGHT)
OFFSET = np.array([0, 2, 2, 3, 4, 6, 8, 9, 11, EDGES])


@dataclass(frozen=True)
class Argument:
    """What a function accepts, made afresh for every call, and what it must refuse."""

    valid: Callable[[], Any]
    hostile: Callable[[], list[Any]]


def layouts(array: np.ndarray) -> list[Any]:
    """The same numbers as something else than a contiguous array of as many dimensions."""
    return [
        None, 3, "abc", object(), array.tolist(), np.array(3, array.dtype), [], {},
        np.repeat(array, 2, axis=0)[::2], array[::-1], array[None], array[..., None], array[:0],
        array.astype(object), np.broadcast_to(array[:1], array.shape),
    ]  # fmt: skip


def vector(
    array: np.ndarray,
    bad: tuple[float, ...] = (),
    *,
    optional: bool = False,
    any_size: bool = False,
) -> Argument:
    """A vector that is only read; `bad` are entries it may not have."""
    kinds = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u4", "u8", "?", "c16", "M8[s]")

    def hostile() -> list[Any]:
        values = layouts(array)[optional:]  # None comes first
        values += [array.astype(kind) for kind in kinds if np.dtype(kind) != array.dtype]
        if array.itemsize > 1:
            values.append(array.astype(array.dtype.newbyteorder(">")))
        if not any_size:
            values += [np.repeat(array, 2), array[:-1]]
        for place, entry in itertools.product((0, -1), bad):
            values.append(array.copy())
            values[-1][place] = entry
        return values

    return Argument(array.copy, hostile)


def writable(array: np.ndarray) -> Argument:
    read = vector(array)

    def hostile() -> list[Any]:
        frozen = array.copy()
        frozen.setflags(write=False)
        return [*read.hostile(), frozen]

    return Argument(array.copy, hostile)


def matrix(array: np.ndarray, *, is_written: bool = False, optional: bool = False) -> Argument:
    def hostile() -> list[Any]:
        frozen = array.copy()
        frozen.setflags(write=False)
        return [
            *layouts(array)[optional:],
            *(array.astype(kind) for kind in ("f2", "i4", "c16", ">f4", ">f8")),
            np.repeat(array, 2, axis=0), array[:-1], np.asfortranarray(array), array.T,
            array[:, ::-1], array[:, :-1], array[:, :0],
            np.concatenate([array, array], axis=1), np.concatenate([array, array], axis=1)[:, ::2],
            *([frozen] if is_written else []),
        ]  # fmt: skip

    return Argument(array.copy, hostile)


def except_for(given: Argument, is_fine: Callable[[np.ndarray], bool]) -> Argument:
    """The same without the plain arrays that this function takes after all."""

    def is_hostile(value: Any) -> bool:
        plain = isinstance(value, np.ndarray) and value.flags.c_contiguous and value.dtype.isnative
        return not (plain and is_fine(value))

    return Argument(given.valid, lambda: [value for value in given.hostile() if is_hostile(value)])


def whole(valid: int, *bad: int) -> Argument:
    return Argument(lambda: valid, lambda: [None, "3", 1.5, np.nan, [], 2**64, -(2**63) - 1, *bad])


def real(valid: float, *bad: float) -> Argument:
    return Argument(lambda: valid, lambda: [None, "3", [], 1j, *bad])


def flag(valid: bool) -> Argument:
    return Argument(lambda: valid, lambda: [None, "yes", 2.0, []])


def one_of(kind: type, valid: Any, *bad: Any) -> Argument:
    """An object of the core; one that was never initialised is none."""
    return Argument(lambda: valid, lambda: [3, "abc", object(), kind, kind.__new__(kind), *bad])


SOURCES = vector(SOURCE, (-1, NODES, 2**31 - 1, -(2**31)))
TARGETS = vector(TARGET, (-1, NODES, 2**31 - 1, -(2**31)))
UNCHECKED_SOURCES, UNCHECKED_TARGETS = vector(SOURCE), vector(TARGET)
WIDE = (-1, NODES, 2**31, 2**63 - 1, -(2**63))
WIDE_SOURCES = vector(SOURCE.astype(np.int64), WIDE)
WIDE_TARGETS = vector(TARGET.astype(np.int64), WIDE)
WEIGHTS = vector(WEIGHT, (0.0, -1.0, np.nan, np.inf, -np.inf), optional=True)
ANY_WEIGHTS = vector(WEIGHT, optional=True)
NUM_NODES = whole(NODES, -1, 0, NODES - 2, 2**31, 2**63 - 1)
GRAPHS = one_of(_core.Adjacency, ADJACENCY, None, FACTOR)
SEED = whole(7, -1)
BRIDGES = vector(np.zeros(EDGES, np.uint8), optional=True)
ESTIMATE = {
    "adjacency": GRAPHS,
    "local": ANY_WEIGHTS,
    "shift": real(0.5, -1.0, np.nan, np.inf, 1e7),
    "is_bridge": BRIDGES,
    "columns": real(16.0, 0.0, np.nan, np.inf, -3.0),
}
STEPS = whole(2, 0, -1, 17, 2**31)
SOLVE = {
    "adjacency": one_of(_core.Adjacency, ADJACENCY, None, OTHER),
    "factor": one_of(_core.Factor, FACTOR, ADJACENCY, _core.Factor(OTHER, 1)),
    "b": matrix(np.ones((NODES, WIDTH))),
    "x": matrix(np.zeros((NODES, WIDTH)), is_written=True),
    "tolerance": real(1e-3, 0.0, -1.0, 2.0, np.nan, np.inf),
    "max_iterations": whole(20, -1, 2**31),
    "stall_limit": whole(0, 2**31),
    "in_energy": flag(True),
}
COLUMNS = except_for(
    vector(TARGET, (-1, EDGES, 2**31 - 1, -(2**31))),
    lambda a: a.dtype == np.int64 and a.shape == (EDGES,),
)
VALUES = except_for(vector(WEIGHT), lambda a: a.dtype == np.float32 and a.shape == (EDGES,))
DROPOUT = {"probability": real(0.5, -0.1, 1.1, np.nan, np.inf), "seed": SEED}
HEADS = whole(4, 0, -1, 3, 2**31, 2**63 - 1)
OFFSETS = vector(OFFSET, (-1, EDGES + 1, 2**62, -(2**63)))


def offsets(array: np.ndarray, entries: int) -> Argument:
    """Offsets of compressed rows; they may end before the entries do."""
    made = vector(array, (-1, entries + 1, 2**62, -(2**63)))

    def hostile() -> list[Any]:
        falling, beyond = array.copy(), array.copy()
        falling[1] = entries
        falling[2:-1] = 0
        beyond[1:] = entries + 1
        return [*made.hostile(), falling, beyond, array[::-1].copy(), np.zeros(0, np.int64)]

    return Argument(made.valid, hostile)


def are_offsets(array: np.ndarray) -> bool:
    if array.dtype != np.int64 or array.ndim != 1 or len(array) == 0:
        return False
    return array[0] == 0 and array[-1] <= EDGES and bool((np.diff(array) >= 0).all())


def sparse(side: str, index: str, kind: type) -> dict[str, Argument]:
    """What sort_features returns for one side: offsets, indices in [0, EDGES), values."""
    line = np.array([0, 2, 2, 3, 4, 6, 8, 9, 11, EDGES])
    values = except_for(
        vector(WEIGHT.astype(kind)), lambda a: a.dtype == kind and a.shape in ((0,), (EDGES,))
    )
    places = vector(np.append(TARGET[1:], np.int32(EDGES - 1)), (-1, EDGES, 2**31 - 1, -(2**31)))
    # More entries than rows tell of are allowed.
    longer = except_for(places, lambda a: a.dtype == np.int32 and a.shape == (2 * EDGES,))
    value = {"column": "value", "band_row": "band_value"}[index]
    offset = offsets(line, EDGES)
    if side == "row":  # as many rows as offsets tell of
        offset = except_for(offset, are_offsets)
    return {f"{side}_offset": offset, index: longer, value: values}


def any_size(shape: tuple[int, int], kind: type) -> Argument:
    """A matrix that may also be twice as wide or twice as long."""
    twice = ((2 * shape[0], shape[1]), (shape[0], 2 * shape[1]))
    return except_for(matrix(np.ones(shape, kind)), lambda a: a.shape in twice)


def weights(kind: type) -> Argument:
    return any_size((WIDTH, EDGES), kind)


def grads(kind: type) -> Argument:
    return any_size((EDGES, WIDTH), kind)


def any_rows(rows: int, least: int) -> Argument:
    """A matrix of WIDTH columns that may have more or fewer rows."""
    return except_for(
        matrix(np.ones((rows, WIDTH))),
        lambda a: a.shape[1:] == (WIDTH,) and len(a) >= least and a.dtype == np.float64,
    )


# Three heads of five channels: rows of 4 * 5 numbers, padded to 32.
ROW, PADDED, ATTR = 32, 4, 2
ENDS = (SOURCE.astype(np.int64), TARGET.astype(np.int64))
SORTED = _core.sort_arcs(*ENDS, NODES, NODES, True, True)
DRAWS = one_of(_core.ArcDraws, _core.ArcDraws(ADJACENCY), None, _core.ArcDraws(OTHER), ADJACENCY)
NUM_ARCS = EDGES + NODES
SHAPE = {
    "heads": whole(3, 0, -1, 1, 5, 17, 2**31, -(2**31), 2**63 - 1),
    "head_offset": whole(16, -1, 8, 17, -16, 2**21, 2**31, 2**63 - 1),
}


def sides(*names: str) -> dict[str, Argument]:
    """Arcs by target or by source, or both; with weights, so that ids are looked at."""
    made: dict[str, Argument] = {"has_loops": Argument(lambda: True, lambda: [None, "yes", False])}
    for name in names:
        offset, other, ids = SORTED[3:6] if name == "source_" else SORTED[:3]
        made |= {
            f"{name}offset": offsets(offset, EDGES),
            f"{name}other": vector(other, (-1, NODES, 2**31 - 1, -(2**31))),
            f"{name}id": vector(ids, (-1, NUM_ARCS, 2**31 - 1, -(2**31))),
        }
    return made


CHANNELS = whole(5, 0, -1, 9, 2**20 + 1, 2**27, 2**31 - 1, 2**31, 2**63 - 1)
RANDOM = {"dropout": DROPOUT["probability"], "seed": SEED}
SLOPES = {"slope": real(0.2, -0.1, 1.1, np.nan, np.inf)}


def rows(kind: type, count: int, size: int, *, optional: bool = False) -> Argument:
    """A matrix among others of the same type: it may not be of another."""
    array = np.full((count, size), 0.5, kind)
    other = array.astype(np.float64 if kind is np.float32 else np.float32)
    made = matrix(array, optional=optional)
    return Argument(made.valid, lambda: [*made.hostile(), other, misaligned(array)])


def per_arc(kind: type) -> Argument:
    made = vector(np.ones(NUM_ARCS, kind), optional=True)
    return Argument(made.valid, lambda: [*made.hostile(), misaligned(made.valid())])


def one_row(kind: type, *, optional: bool = False) -> Argument:
    return vector(np.ones(ROW, kind), optional=optional)


def attention_calls(kind: type) -> list[tuple[str, dict[str, Argument]]]:
    """The functions of the three families, in one precision."""
    nodes, heads = rows(kind, NODES, ROW), rows(kind, NODES, PADDED)
    forward = {"out": rows(kind, NODES, 15), "top": heads, "inverse_sum": heads}
    backward = {"gradient": rows(kind, NODES, 15), **forward}
    target_side, both_sides = sides(""), sides("target_", "source_")
    additive = target_side | SHAPE | SLOPES | RANDOM | {
        "channels": CHANNELS, "value": nodes, "source_score": heads, "target_score": heads,
        "weight": per_arc(kind), "term": rows(kind, NUM_ARCS, PADDED, optional=True),
    }  # fmt: skip
    bias = {"bias": one_row(kind, optional=True)}
    additive_backward = {
        "gradient": backward["gradient"], "top": heads, "inverse_sum": heads, "sums": nodes,
        "positive": nodes, "positive_share": heads, "att_source": one_row(kind),
        "att_target": one_row(kind, optional=True),
    }  # fmt: skip
    dot = SHAPE | RANDOM | {
        "score_channels": CHANNELS, "value_channels": CHANNELS, "query": nodes, "key": nodes,
        "value": nodes, "weight": per_arc(kind),
    }  # fmt: skip
    gatv2 = SHAPE | SLOPES | RANDOM | {
        "channels": CHANNELS, "source": nodes, "target": nodes, "att": one_row(kind),
        "weight": per_arc(kind), "attr": rows(kind, NUM_ARCS, ATTR),
        "projection": rows(kind, ATTR, ROW),
    }  # fmt: skip
    scored = {"value": except_for(nodes, lambda a: a.dtype == kind and a.shape[1:] == (ROW,))}
    return [
        ("head_scores", scored | {
            "att": one_row(kind), "channels": CHANNELS, "heads": SHAPE["heads"],
        }),
        ("unit_heads", {  # alone, values of either type will do
            "value": except_for(nodes, lambda a: a.dtype.char in "fd" and a.shape[1:] == (ROW,)),
            "channels": CHANNELS, "heads": SHAPE["heads"],
        }),
        ("unit_heads_gradient", {
            "gradient": nodes, "unit": nodes, "inverse": heads,
            "channels": CHANNELS, "heads": SHAPE["heads"],
        }),
        ("additive_forward", additive | bias | {"training": flag(True)}),
        ("additive_forward", additive | bias | {"training": flag(False)}),
        ("additive_backward", additive | additive_backward),
        ("dot_forward", dot | target_side),
        ("dot_backward", dot | both_sides | backward),
        ("gatv2_forward", gatv2 | target_side),
        ("gatv2_backward", gatv2 | both_sides | backward),
    ]  # fmt: skip


DRAW = {"source": UNCHECKED_SOURCES, "target": UNCHECKED_TARGETS, "weight": ANY_WEIGHTS}

# (function, arguments); a function with two element types is there twice.
CALLS: list[tuple[str, dict[str, Argument]]] = [
    ("set_num_threads", {"threads": whole(_core.num_threads(), 0, -1, 4097, 2**31)}),
    ("largest_node", {"source": UNCHECKED_SOURCES, "target": UNCHECKED_TARGETS}),
    (
        "canonical_edges",
        {"num_nodes": NUM_NODES, "source": SOURCES, "target": TARGETS, "weight": WEIGHTS},
    ),
    (
        "canonical_edges",
        {"num_nodes": NUM_NODES, "source": WIDE_SOURCES, "target": WIDE_TARGETS, "weight": WEIGHTS},
    ),
    (
        "Adjacency",
        {"num_nodes": NUM_NODES, "source": SOURCES, "target": TARGETS, "weight": WEIGHTS},
    ),
    ("connected_components", {"adjacency": GRAPHS}),
    ("find_bridges", {"adjacency": GRAPHS}),
    (
        "maximum_spanning_forest",
        {
            "num_nodes": NUM_NODES,
            "source": SOURCES,
            "target": TARGETS,
            "score": vector(WEIGHT, (np.nan,)),
        },
    ),
    ("Factor", {"adjacency": GRAPHS, "seed": SEED}),
    ("solve", SOLVE),
    (
        "solve",
        SOLVE
        | {
            "b": matrix(np.ones((NODES, WIDTH), np.float32)),
            "x": matrix(np.zeros((NODES, WIDTH), np.float32), is_written=True),
        },
    ),
    (
        "sketch_right_side",
        {
            "adjacency": GRAPHS,
            "gaussian": flag(False),
            "single": flag(True),
            "seed": SEED,
            "block": whole(0, -1),
        },
    ),
    ("walk_product", {"adjacency": GRAPHS, "x": matrix(np.ones((NODES, WIDTH)))}),
    ("walk_product", {"adjacency": GRAPHS, "x": matrix(np.ones((NODES, WIDTH), np.float32))}),
    (
        "walk_energy",
        {
            "adjacency": GRAPHS,
            "x": matrix(np.ones((NODES, WIDTH), np.float32)),
            "y": matrix(np.ones((NODES, WIDTH), np.float32)),
            "z": matrix(np.ones((NODES, WIDTH), np.float32)),
        },
    ),
    (
        "add_edge_distances",
        {
            "adjacency": GRAPHS,
            "y": matrix(np.ones((NODES, WIDTH), np.float32)),
            "out": writable(np.zeros(EDGES)),
        },
    ),
    ("measure_estimate", ESTIMATE | {"distance": vector(np.ones(EDGES))}),
    ("finish_estimate", ESTIMATE | {"distance": writable(np.ones(EDGES))}),
    ("edge_zeros", {"adjacency": GRAPHS}),
    ("two_step_returns", {"adjacency": GRAPHS}),
    ("clip_resistances", {"adjacency": GRAPHS, "resistance": writable(np.ones(EDGES))}),
    ("walk_terms", {"adjacency": GRAPHS, "steps": STEPS}),
    (
        "estimate_walk_work",
        {"adjacency": GRAPHS, "steps": STEPS, "samples": whole(4, 0, -1), "limit": real(1e9)},
    ),
    ("AliasTable", {"score": vector(WEIGHT, (-1.0, np.nan, np.inf), any_size=True)}),
    (
        "draw_with_replacement",
        DRAW
        | {
            "table": one_of(_core.AliasTable, TABLE, None, _core.AliasTable(WEIGHT[:3])),
            "score": vector(WEIGHT),
            "always": BRIDGES,
            "num_samples": whole(20, 0, -1, 2**32),
            "seed": SEED,
        },
    ),
    ("draw_independently", DRAW | {"probability": vector(np.full(EDGES, 0.5)), "seed": SEED}),
    (
        "dense_products",
        {
            "adjacency": GRAPHS,
            "features": except_for(
                matrix(np.ones((NODES, 3), np.float32)),
                lambda a: a.dtype == np.float32 and a.ndim == 2 and len(a) == NODES,  # any width
            ),
        },
    ),
    (
        "sparse_products",
        {
            "adjacency": GRAPHS,
            "offset": OFFSETS,
            "column": vector(TARGET, (-1, EDGES, 2**31 - 1, -(2**31))),
            "value": vector(WEIGHT.astype(np.float32)),
            "num_columns": whole(EDGES, -1, 0, int(TARGET.max()), 2**31, 2**63 - 1),
        },
    ),
    ("jaccard_index", {"adjacency": GRAPHS}),
    (
        "rank_edges",
        {
            "adjacency": GRAPHS,
            "score": vector(WEIGHT, (-1.0, np.nan)),
            "best_first": flag(True),
            "seed": SEED,
        },
    ),
    (
        "sort_features",
        {
            "num_rows": whole(NODES, -1, 0, NODES - 1, NODES + 1, 2**31, 2**63 - 1),
            "num_columns": whole(EDGES, -1, 0, int(TARGET.max()), 2**31, 2**63 - 1),
            "offset": OFFSETS,
            "column": COLUMNS,
            "value": VALUES,
        },
    ),
    *(
        (
            "sparse_project",
            sparse("row", "column", kind) | DROPOUT | {"weight": weights(kind), "heads": HEADS},
        )
        for kind in (np.float32, np.float64)
    ),
    *(
        (
            "sparse_project_weight_grad",
            sparse("band", "band_row", kind)
            | DROPOUT
            | {
                "num_columns": whole(NODES, -1, 0, 2, NODES + 1, 2**31, 2**63 - 1),
                "grad": grads(kind),
                "heads": HEADS,
            },
        )
        for kind in (np.float32, np.float64)
    ),
    ("narrow_project", {"x": any_rows(NODES, 0), "weight": any_rows(3, 1)}),
    (
        "narrow_project_gradient",
        {
            "gradient": matrix(np.ones((NODES, 3))),
            "x": matrix(np.ones((NODES, WIDTH))),
            "weight": matrix(np.ones((3, WIDTH))),
        },
    ),
    (
        "dropout",
        DROPOUT
        | {
            "x": except_for(
                vector(WEIGHT, any_size=True), lambda a: a.ndim == 1 and a.dtype.char in "fd"
            )
        },
    ),
    (
        "elu_dropout",
        DROPOUT | {"x": vector(WEIGHT), "gradient": vector(np.ones_like(WEIGHT), optional=True)},
    ),
    ("threefry", {"counter": vector(np.arange(4, dtype=np.uint32)), "seed": SEED}),
    (
        "sort_arcs",
        {
            "source": WIDE_SOURCES,
            "target": WIDE_TARGETS,
            "num_sources": whole(NODES, -1, 0, 5, 2**31, 2**63 - 1),
            "num_targets": whole(NODES, -1, 0, 7, 2**31, 2**63 - 1),
            "drop_loops": flag(True),
            "with_ids": flag(True),
        },
    ),
    (
        "row_size",
        {
            "heads": whole(3, 0, -1, 17, 2**31),
            "channels": whole(5, 0, -1, 2**20 + 1),
            "allows_half": flag(True),
        },
    ),
    ("padded_heads", {"heads": whole(3, 0, -1, 17, 2**31)}),
    ("ArcDraws", {"adjacency": GRAPHS}),
    (
        "ArcDraws.independently",
        {"self": DRAWS, "probability": vector(np.full(EDGES, 0.5)), "seed": SEED},
    ),
    (
        "ArcDraws.with_replacement",
        {
            "self": DRAWS,
            "table": one_of(_core.AliasTable, TABLE, None, _core.AliasTable(WEIGHT[:3])),
            "always": BRIDGES,
            "num_samples": whole(20, 0, -1, 2**32),
            "seed": SEED,
        },
    ),
    *attention_calls(np.float32),
    *attention_calls(np.float64),
]
NAMES = [f"{name}-{index}" for index, (name, _) in enumerate(CALLS)]
NO_ARGUMENTS = {"num_threads", "release_memory", "kernel_seconds"}


def call(name: str, arguments: dict[str, Any]) -> Any:
    owner = [arguments["self"]] if "self" in arguments else []
    named = {key: value for key, value in arguments.items() if key != "self"}
    return attrgetter(name)(_core)(*owner, **named)


def accepted(arguments: dict[str, Argument]) -> dict[str, Any]:
    return {key: argument.valid() for key, argument in arguments.items()}


def pool() -> list[Any]:
    """Everything that is hostile to some argument, or fits one."""
    arguments = [argument for _, table in CALLS for argument in table.values()]
    values = [value for argument in arguments for value in argument.hostile()]
    values += [argument.valid() for argument in arguments]
    values += [*SORTED, *(array[:0] for array in SORTED[:6]), 2**64 - 1]
    values += [UNWEIGHTED, OTHER, _core.Adjacency(0, SOURCE[:0], TARGET[:0], None)]
    # Sizes that are allowed and take gigabytes are the callers' to refuse: check_memory.
    return [value for value in values if not (isinstance(value, int) and 10**6 < value < 2**31)]


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=NAMES)
def test_valid_arguments_are_accepted(name: str, arguments: dict[str, Argument]) -> None:
    call(name, accepted(arguments))


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized instance")
@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=NAMES)
def test_every_hostile_value_is_refused(name: str, arguments: dict[str, Argument]) -> None:
    missed = []
    for key, argument in arguments.items():
        for value in argument.hostile():
            try:
                call(name, accepted(arguments) | {key: value})
            except Exception:
                continue
            missed.append((key, value))
    assert not missed


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=NAMES)
def test_missing_and_unknown_arguments_are_refused(
    name: str, arguments: dict[str, Argument]
) -> None:
    with pytest.raises(TypeError):
        call(name, {})
    with pytest.raises(TypeError):
        call(name, accepted(arguments) | {"unknown": 1})


def hostile_values() -> st.SearchStrategy[Any]:
    """From the pool, or an array made up on the spot: any type, size, order and stride."""
    dtypes = st.sampled_from([np.int32, np.int64, np.uint8, np.float32, np.float64])
    shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=20)
    made = arrays.arrays(dtypes, shapes | st.just(EDGES) | st.just((NODES, WIDTH)))
    views = [
        lambda array: array,
        lambda array: array[..., ::-1] if array.ndim else array,
        lambda array: array[::2] if array.ndim else array,
        lambda array: array.T,
        lambda array: np.asfortranarray(array),
        misaligned,
        read_only,
    ]
    viewed = st.builds(lambda view, array: view(array), st.sampled_from(views), made)
    numbers = st.integers(-(2**70), 10**4) | st.integers(2**31) | st.floats()
    return st.sampled_from(pool()) | viewed | numbers


def misaligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins at an odd address."""
    copy = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


HOSTILE_VALUES = hostile_values()


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized instance")
@settings(max_examples=1500)
@given(data=st.data())
def test_any_mixture_returns_or_raises(data: st.DataObject) -> None:
    name, arguments = data.draw(st.sampled_from(CALLS), label="function")
    values = accepted(arguments)
    changed = data.draw(st.sets(st.sampled_from(sorted(values)), min_size=1), label="arguments")
    for key in sorted(changed):
        values[key] = data.draw(HOSTILE_VALUES, label=key)
    before = _core.num_threads()
    with contextlib.suppress(Exception):
        call(name, values)
    _core.set_num_threads(before)


def test_objects_of_the_core_keep_what_they_lend() -> None:
    """Views outlive the object they look into, and nobody writes through them."""
    offset = _core.Adjacency(NODES, SOURCE, TARGET, None).offset
    for _ in range(50):
        _core.Adjacency(NODES, SOURCE, TARGET, WEIGHT)
    assert offset[-1] == 2 * EDGES
    with pytest.raises(ValueError, match="read-only"):
        offset[0] = 7


def test_draws_keep_the_graph_they_look_into() -> None:
    draws = _core.ArcDraws(_core.Adjacency(NODES, SOURCE, TARGET, None))
    for _ in range(50):
        _core.Adjacency(NODES, SOURCE, TARGET, WEIGHT)
    offset, other = draws.independently(np.ones(EDGES), 7)
    assert np.array_equal(offset, ADJACENCY.offset)
    assert np.array_equal(other, ADJACENCY.neighbor)


def forward(name: str, arcs: tuple[Any, ...], rows: int, weight: np.ndarray | None) -> None:
    """Attention of one head of four channels, over arcs by target."""
    if name == "additive":
        values, score = np.ones((rows, 8)), np.ones((rows, 1))
        sizes = (1, 4, 0, values, score, np.ones((max(len(arcs[0]) - 1, 0), 1)))
        _core.additive_forward(*arcs, *sizes, weight, None, None, 0.2, 0.5, 7, True)
    elif name == "dot":
        query, key = np.ones((max(len(arcs[0]) - 1, 0), 16)), np.ones((rows, 16))
        _core.dot_forward(*arcs, 1, 4, 4, 0, query, key, key, weight, 0.5, 7)
    else:
        target, source = np.ones((max(len(arcs[0]) - 1, 0), 16)), np.ones((rows, 16))
        options = (weight, None, None, 0.2, 0.5, 7)
        _core.gatv2_forward(*arcs, 1, 4, 0, source, target, np.ones(16), *options)


FAR = {"additive": "value", "dot": "key", "gatv2": "source"}


@pytest.mark.parametrize("family", FAR)
@pytest.mark.parametrize("place", [0, 511, 512, 1700, -1])
@pytest.mark.parametrize("bad", [-1, 2708, 9000, 2**31 - 1, -(2**31)])
def test_a_node_out_of_range_is_named(family: str, place: int, bad: int) -> None:
    """Wherever it stands in a window of arcs, or behind the first."""
    offset, other = np.array([0, 700, 700, 2000]), np.zeros(2000, np.int32)
    forward(family, (offset, other, None, False), 2708, None)
    other[place] = bad
    message = f"other names node {bad}, but {FAR[family]} has 2708 rows"
    with pytest.raises(ValueError, match=message):
        forward(family, (offset, other, None, False), 2708, None)
    weight, ids = np.ones(2000), np.arange(2000, dtype=np.int32)
    with pytest.raises(ValueError, match=message):
        forward(family, (offset, other, ids, False), 2708, weight)


@pytest.mark.parametrize("family", FAR)
@pytest.mark.parametrize("bad", [-1, 2000, 2**31 - 1, -(2**31)])
def test_an_arc_out_of_range_is_named(family: str, bad: int) -> None:
    offset, other = np.array([0, 700, 700, 2000]), np.zeros(2000, np.int32)
    ids = np.arange(2000, dtype=np.int32)
    ids[1500] = bad
    with pytest.raises(ValueError, match=f"id names arc {bad}, but there are 2000"):
        forward(family, (offset, other, ids, False), 5, np.ones(2000))
    forward(family, (offset, other, ids, False), 5, None)  # nothing has an entry per arc


@pytest.mark.parametrize("family", FAR)
@pytest.mark.parametrize(
    ("offset", "message"),
    [
        ([0, 3, 2], r"offset\[2\] is smaller than the one before"),
        ([0, -1, 2], r"offset\[1\] is smaller than the one before"),
        ([1, 2, 3], "offset must begin with 0 and end within 3, the number of entries"),
        ([0, 2, 4], "offset must begin with 0 and end within 3, the number of entries"),
        ([0, 2**62, -(2**63)], "offset must begin with 0 and end within 3"),
        ([], "offset is empty, needs at least the entry 0"),
    ],
)
def test_offsets_that_lead_astray_are_refused(family: str, offset: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arcs = (np.array(offset, np.int64), np.zeros(3, np.int32), None, False)
        forward(family, arcs, 2, None)


@pytest.mark.parametrize("family", FAR)
def test_arcs_and_the_rows_they_need(family: str) -> None:
    offset, other = np.array([0, 1, 3]), np.zeros(3, np.int32)
    ids = np.arange(3, dtype=np.int32)
    forward(family, (offset[:2], other, None, False), 2, None)  # offsets may end before
    with pytest.raises(ValueError, match=f"other names nodes, but {FAR[family]} has no rows"):
        forward(family, (offset, other, None, False), 0, None)
    with pytest.raises(ValueError, match="loops need as many sources as targets, got 2 and 5"):
        forward(family, (offset, other, None, True), 5, None)
    with pytest.raises(ValueError, match="weight has an entry per arc, so it needs id"):
        forward(family, (offset, other, None, False), 2, np.ones(3))
    with pytest.raises(ValueError, match="weight has 3 entries, needs 5"):
        forward(family, (offset, other, ids, True), 2, np.ones(3))
    with pytest.raises(ValueError, match="id has 2 entries, needs 3"):
        forward(family, (offset, other, ids[:2], False), 2, np.ones(3))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        forward(family, (offset, np.zeros(6, np.int32)[::2], None, False), 2, None)


def test_both_sides_have_as_many_arcs() -> None:
    offset, other = np.array([0, 1, 3]), np.zeros(3, np.int32)
    fewer = np.array([0, 1, 2])
    rows, out, heads = np.ones((2, 16)), np.ones((2, 4)), np.ones((2, 1))
    with pytest.raises(ValueError, match="there are 3 arcs by target, but 2 by source"):
        _core.dot_backward(
            offset, other, None, fewer, other, None, False, 1, 4, 4, 0,
            out, out, rows, rows, rows, heads, heads, None, 0.5, 7,
        )  # fmt: skip


def test_arrays_may_change_while_kernels_read_them() -> None:
    """Another thread writes rubbish into the arcs and the features: nothing outside is read."""
    rng = np.random.default_rng(107)
    offset = np.arange(0, 60_001, 30)
    other = rng.integers(2000, size=60_000, dtype=np.int32)
    ids, weight = np.arange(60_000, dtype=np.int32), np.ones(60_000)
    source, target = rng.integers(2000, size=(2, 60_000))
    good = [array.copy() for array in (offset, other, ids, source, target)]
    done = threading.Event()

    def disturb() -> None:
        noise = np.random.default_rng(109)
        while not done.is_set():
            for array, copy in zip((offset, other, ids, source, target), good, strict=True):
                array[noise.integers(len(array), size=50)] = noise.choice(
                    [-1, 2**31 - 1, -(2**31)], 50
                )
                array[...] = copy

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(60):
            for family in FAR:
                with contextlib.suppress(ValueError):
                    forward(family, (offset, other, ids, False), 2000, weight)
            with contextlib.suppress(ValueError):
                _core.sort_arcs(source, target, 2000, 2000, True, True)
            for edge_weight in (None, weight):
                with contextlib.suppress(ValueError):
                    _core.canonical_edges(2000, source, target, edge_weight)
            for probability in (0.0, 0.5):
                with contextlib.suppress(ValueError):
                    _core.sparse_project(
                        offset, other, np.ones(0), np.ones((4, 2000)), 1, probability, 7
                    )
                with contextlib.suppress(ValueError):
                    _core.sparse_project_weight_grad(
                        offset, other, weight, 2000, np.ones((2000, 4)), 1, probability, 7
                    )
    finally:
        done.set()
        thread.join()


def test_kernels_tell_how_long_they_took() -> None:
    names = {"additive_forward", "dot_forward", "gatv2_forward"}
    before = _core.kernel_seconds()
    offset, other = np.array([0, 1, 3]), np.zeros(3, np.int32)
    for family in FAR:
        forward(family, (offset, other, None, False), 2, None)
    after = _core.kernel_seconds()
    assert {name for name in after if after[name] > before.get(name, 0.0)} == names
    assert all(0 < after[name] - before.get(name, 0.0) < 1 for name in names)


def test_the_layout_is_told() -> None:
    """Heads are padded to a power of two, rows to 16 numbers; one head may do with 8."""
    assert (_core.most_heads, _core.narrow_most_rows, _core.narrow_step) == (16, 16, 16)
    for heads in range(1, _core.most_heads + 1):
        padded = 1 << (heads - 1).bit_length()
        assert _core.padded_heads(heads) == padded
        for channels in range(1, 41):
            full = -(-padded * channels // 16) * 16
            assert _core.row_size(heads, channels, False) == full
            half = 8 if heads == 1 and channels <= 8 else full
            assert _core.row_size(heads, channels, True) == half


def test_what_progress_raises_comes_through() -> None:
    """Progress is asked for about 20 times a second: a graph that takes longer than that."""
    ends = np.random.default_rng(3).integers(100_000, size=(2, 800_000), dtype=np.int32)
    source, target, _, _ = _core.canonical_edges(100_000, *ends, None)
    graph = _core.Adjacency(100_000, source, target, None)

    def interrupt(fraction: float) -> None:
        raise KeyboardInterrupt(fraction)

    with pytest.raises(KeyboardInterrupt):
        _core.Factor(graph, 1, interrupt)
    with pytest.raises(TypeError, match="not callable"):
        _core.Factor(graph, 1, "text")


def test_every_function_has_an_entry() -> None:
    callables = {name for name in dir(_core) if callable(getattr(_core, name))}
    known = {name.split(".")[0] for name, _ in CALLS} | NO_ARGUMENTS
    assert {name for name in callables if not name.startswith("__")} == known


def test_a_process_survives_all_of_it() -> None:
    """The same in a process of its own, with freed and fresh memory filled with rubbish."""
    settings = {"MALLOC_PERTURB_": "165", "PYTHONFAULTHANDLER": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, __file__, "4000", "7"],
        env=os.environ | settings, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["survived", "4000"]


def storm(rounds: int, seed: int) -> None:
    """Call functions at random with one to three arguments from the pool."""
    rng = np.random.default_rng(seed)
    values = pool()
    threads = _core.num_threads()
    for _ in range(rounds):
        name, arguments = CALLS[rng.integers(len(CALLS))]
        given = accepted(arguments)
        for key in rng.permutation(sorted(given))[: rng.integers(1, 4)]:
            given[str(key)] = values[rng.integers(len(values))]
        with contextlib.suppress(Exception):
            call(name, given)
        _core.set_num_threads(threads)
    for name, arguments in CALLS:
        call(name, accepted(arguments))
    print("survived", rounds)


if __name__ == "__main__":
    storm(int(sys.argv[1]), int(sys.argv[2]))
