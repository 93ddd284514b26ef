from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[float], object] | None
Nodes = NDArray[np.int32] | NDArray[np.int64]

vector_bytes: int

def num_threads() -> int: ...
def set_num_threads(threads: int) -> None: ...
def release_memory() -> None: ...

# Seconds spent in each function of the core since it was loaded, by its name.
def kernel_seconds() -> dict[str, float]: ...
def largest_node(source: Nodes, target: Nodes) -> int: ...
def canonical_edges(
    num_nodes: int, source: Nodes, target: Nodes, weight: NDArray[np.float64] | None
) -> tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.float64] | None, tuple[int, int, int, int]
]: ...

class Adjacency:
    def __init__(
        self,
        num_nodes: int,
        source: NDArray[np.int32],
        target: NDArray[np.int32],
        weight: NDArray[np.float64] | None,
    ) -> None: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_edges(self) -> int: ...
    @property
    def is_weighted(self) -> bool: ...
    @property
    def offset(self) -> NDArray[np.int64]: ...
    @property
    def neighbor(self) -> NDArray[np.int32]: ...
    @property
    def weight(self) -> NDArray[np.float64] | None: ...
    @property
    def degree(self) -> NDArray[np.float64]: ...

def connected_components(adjacency: Adjacency) -> tuple[int, NDArray[np.int32]]: ...
def find_bridges(adjacency: Adjacency) -> tuple[NDArray[np.int64], int]: ...
def maximum_spanning_forest(
    num_nodes: int,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    score: NDArray[np.float64],
) -> NDArray[np.int64]: ...

sketch_width: int
Columns = NDArray[np.float32] | NDArray[np.float64]

class Factor:
    def __init__(self, adjacency: Adjacency, seed: int, progress: Progress = None) -> None: ...
    @property
    def num_entries(self) -> int: ...

def solve(
    adjacency: Adjacency,
    factor: Factor | None,
    b: Columns,
    x: Columns,
    tolerance: float,
    max_iterations: int,
    stall_limit: int,
    in_energy: bool,
    progress: Progress = None,
) -> tuple[NDArray[np.int32], NDArray[np.float64], bool]: ...
def sketch_right_side(
    adjacency: Adjacency, gaussian: bool, single: bool, seed: int, block: int
) -> Columns: ...
def walk_product(adjacency: Adjacency, x: Columns) -> Columns: ...
def walk_energy(adjacency: Adjacency, x: Columns, y: Columns, z: Columns) -> float: ...
def add_edge_distances(adjacency: Adjacency, y: Columns, out: NDArray[np.float64]) -> None: ...
def measure_estimate(
    adjacency: Adjacency,
    local: NDArray[np.float64] | None,
    shift: float,
    is_bridge: NDArray[np.uint8] | None,
    columns: float,
    distance: NDArray[np.float64],
) -> tuple[float, float]: ...
def finish_estimate(
    adjacency: Adjacency,
    local: NDArray[np.float64] | None,
    shift: float,
    is_bridge: NDArray[np.uint8] | None,
    columns: float,
    distance: NDArray[np.float64],
) -> tuple[float, float]: ...
def edge_zeros(adjacency: Adjacency) -> NDArray[np.float64]: ...
def two_step_returns(adjacency: Adjacency) -> float: ...
def clip_resistances(adjacency: Adjacency, resistance: NDArray[np.float64]) -> None: ...
def walk_terms(
    adjacency: Adjacency, steps: int, progress: Progress = None
) -> NDArray[np.float64]: ...
def estimate_walk_work(adjacency: Adjacency, steps: int, samples: int, limit: float) -> float: ...

class AliasTable:
    def __init__(self, score: NDArray[np.float64]) -> None: ...

Draw = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]

def draw_with_replacement(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    table: AliasTable,
    score: NDArray[np.float64],
    always: NDArray[np.uint8] | None,
    num_samples: int,
    seed: int,
) -> Draw: ...
def draw_independently(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    probability: NDArray[np.float64],
    seed: int,
) -> Draw: ...
def dense_products(adjacency: Adjacency, features: NDArray[np.float32]) -> NDArray[np.float64]: ...
def sparse_products(
    adjacency: Adjacency,
    offset: NDArray[np.int64],
    column: NDArray[np.int32],
    value: NDArray[np.float32],
    num_columns: int,
) -> NDArray[np.float64]: ...
def jaccard_index(adjacency: Adjacency) -> NDArray[np.float64]: ...
def rank_edges(
    adjacency: Adjacency, score: NDArray[np.float64], best_first: bool, seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...

# Rows as (offset, column, value), then columns, one band of rows after another, as (offset, row,
# value): line b * num_columns + c is column c in band b. No values are stored if all are 1.
def sort_features(
    num_rows: int,
    num_columns: int,
    offset: NDArray[np.int64],
    column: Nodes,
    value: Columns,
) -> tuple[
    NDArray[np.int64], NDArray[np.int32], Columns, NDArray[np.int64], NDArray[np.int32], Columns
]: ...
def sparse_project(
    row_offset: NDArray[np.int64],
    column: NDArray[np.int32],
    value: Columns,
    weight: Columns,
    heads: int,
    probability: float,
    seed: int,
) -> Columns: ...
def sparse_project_weight_grad(
    band_offset: NDArray[np.int64],
    band_row: NDArray[np.int32],
    band_value: Columns,
    num_columns: int,
    grad: Columns,
    heads: int,
    probability: float,
    seed: int,
) -> Columns: ...

narrow_most_rows: int  # of the weight
narrow_step: int  # its rows have a multiple of so many entries

def narrow_project(x: Columns, weight: Columns) -> Columns: ...
def narrow_project_gradient(
    gradient: Columns, x: Columns, weight: Columns
) -> tuple[Columns, Columns]: ...
def dropout(x: Columns, probability: float, seed: int) -> Columns: ...
def elu_dropout(x: Columns, gradient: Columns | None, probability: float, seed: int) -> Columns: ...
def threefry(counter: NDArray[np.uint32], seed: int) -> NDArray[np.uint32]: ...

# Arcs by target and by source: offset, other ends, ids; then whether the two sides are the same.
def sort_arcs(
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    num_sources: int,
    num_targets: int,
    drop_loops: bool,
    with_ids: bool,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int32] | None,
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int32] | None,
    bool,
]: ...

class ArcDraws:
    def __init__(self, adjacency: Adjacency) -> None: ...
    def independently(
        self, probability: NDArray[np.float64], seed: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
    def with_replacement(
        self, table: AliasTable, always: NDArray[np.uint8] | None, num_samples: int, seed: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...

# How the attention kernels lay out a node's values: heads are padded to a power of two and are
# innermost; rows are padded to `row_size` numbers. One kernel call takes `most_heads` at most.
most_heads: int

def row_size(heads: int, channels: int, allows_half: bool) -> int: ...
def padded_heads(heads: int) -> int: ...

# Arguments of one call all have the same type, single or double precision. Arcs are by target in
# forward functions, by source in additive_backward. With `has_loops` every row has one more arc, to
# itself, with the id len(other) + row. Ids are needed where something has an entry per arc.
def head_scores(value: Columns, att: Columns, heads: int, channels: int) -> Columns: ...
def additive_forward(
    offset: NDArray[np.int64],
    other: NDArray[np.int32],
    id: NDArray[np.int32] | None,
    has_loops: bool,
    heads: int,
    channels: int,
    head_offset: int,
    value: Columns,
    source_score: Columns,
    target_score: Columns,
    weight: Columns | None,
    term: Columns | None,
    bias: Columns | None,
    slope: float,
    dropout: float,
    seed: int,
    training: bool,
) -> tuple[Columns, Columns, Columns, Columns, Columns, Columns]: ...
def additive_backward(
    offset: NDArray[np.int64],
    other: NDArray[np.int32],
    id: NDArray[np.int32] | None,
    has_loops: bool,
    heads: int,
    channels: int,
    head_offset: int,
    gradient: Columns,
    value: Columns,
    source_score: Columns,
    target_score: Columns,
    top: Columns,
    inverse_sum: Columns,
    sums: Columns,
    positive: Columns,
    positive_share: Columns,
    att_source: Columns,
    att_target: Columns | None,
    weight: Columns | None,
    term: Columns | None,
    slope: float,
    dropout: float,
    seed: int,
) -> tuple[Columns, Columns, Columns, Columns, Columns, Columns]: ...
def dot_forward(
    offset: NDArray[np.int64],
    other: NDArray[np.int32],
    id: NDArray[np.int32] | None,
    has_loops: bool,
    heads: int,
    score_channels: int,
    value_channels: int,
    head_offset: int,
    query: Columns,
    key: Columns,
    value: Columns,
    weight: Columns | None,
    dropout: float,
    seed: int,
) -> tuple[Columns, Columns, Columns]: ...
def dot_backward(
    target_offset: NDArray[np.int64],
    target_other: NDArray[np.int32],
    target_id: NDArray[np.int32] | None,
    source_offset: NDArray[np.int64],
    source_other: NDArray[np.int32],
    source_id: NDArray[np.int32] | None,
    has_loops: bool,
    heads: int,
    score_channels: int,
    value_channels: int,
    head_offset: int,
    gradient: Columns,
    out: Columns,
    query: Columns,
    key: Columns,
    value: Columns,
    top: Columns,
    inverse_sum: Columns,
    weight: Columns | None,
    dropout: float,
    seed: int,
) -> tuple[Columns, Columns, Columns, Columns]: ...
def gatv2_forward(
    offset: NDArray[np.int64],
    other: NDArray[np.int32],
    id: NDArray[np.int32] | None,
    has_loops: bool,
    heads: int,
    channels: int,
    head_offset: int,
    source: Columns,
    target: Columns,
    att: Columns,
    weight: Columns | None,
    attr: Columns | None,
    projection: Columns | None,
    slope: float,
    dropout: float,
    seed: int,
) -> tuple[Columns, Columns, Columns]: ...
def gatv2_backward(
    target_offset: NDArray[np.int64],
    target_other: NDArray[np.int32],
    target_id: NDArray[np.int32] | None,
    source_offset: NDArray[np.int64],
    source_other: NDArray[np.int32],
    source_id: NDArray[np.int32] | None,
    has_loops: bool,
    heads: int,
    channels: int,
    head_offset: int,
    gradient: Columns,
    out: Columns,
    source: Columns,
    target: Columns,
    att: Columns,
    top: Columns,
    inverse_sum: Columns,
    weight: Columns | None,
    attr: Columns | None,
    projection: Columns | None,
    slope: float,
    dropout: float,
    seed: int,
) -> tuple[Columns, Columns, Columns, Columns, Columns, Columns]: ...
def unit_heads(value: Columns, heads: int, channels: int) -> tuple[Columns, Columns]: ...
def unit_heads_gradient(
    gradient: Columns, unit: Columns, inverse: Columns, heads: int, channels: int
) -> Columns: ...
