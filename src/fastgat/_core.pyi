from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[float], object] | None
Nodes = NDArray[np.int32] | NDArray[np.int64]

has_openmp: bool
vector_bytes: int

def num_threads() -> int: ...
def set_num_threads(threads: int) -> None: ...
def release_memory() -> None: ...
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

def connected_components(
    adjacency: Adjacency, progress: Progress = None
) -> tuple[int, NDArray[np.int32]]: ...
def find_bridges(
    adjacency: Adjacency, progress: Progress = None
) -> tuple[NDArray[np.int64], int]: ...
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
    @property
    def size(self) -> int: ...
    @property
    def total(self) -> float: ...

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
def neighbor_ranks(adjacency: Adjacency, seed: int) -> NDArray[np.int32]: ...

class FeatureMatrix:
    def __init__(
        self,
        num_rows: int,
        num_columns: int,
        offset: NDArray[np.int64],
        column: Nodes,
        value: Columns,
    ) -> None: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def num_columns(self) -> int: ...
    @property
    def num_entries(self) -> int: ...
    @property
    def num_bands(self) -> int: ...

def sparse_project(
    features: FeatureMatrix, weight: Columns, heads: int, probability: float, seed: int
) -> Columns: ...
def sparse_project_weight_grad(
    features: FeatureMatrix, grad: Columns, heads: int, probability: float, seed: int
) -> Columns: ...
def narrow_project(x: Columns, weight: Columns) -> Columns: ...
def narrow_project_gradient(
    gradient: Columns, x: Columns, weight: Columns
) -> tuple[Columns, Columns]: ...
def dropout(x: Columns, probability: float, seed: int) -> Columns: ...
def elu_dropout(x: Columns, gradient: Columns | None, probability: float, seed: int) -> Columns: ...
def threefry(counter: NDArray[np.uint32], seed: int) -> NDArray[np.uint32]: ...

class Arcs:
    @staticmethod
    def from_ends(
        source: NDArray[np.int64],
        target: NDArray[np.int64],
        num_sources: int,
        num_targets: int,
        add_loops: bool,
        with_ids: bool,
    ) -> Arcs: ...
    @staticmethod
    def from_adjacency(adjacency: Adjacency) -> Arcs: ...
    def variant(self, add_loops: bool, with_ids: bool) -> Arcs: ...
    def ends(self) -> NDArray[np.int64]: ...
    @property
    def num_sources(self) -> int: ...
    @property
    def num_targets(self) -> int: ...
    @property
    def num_arcs(self) -> int: ...
    @property
    def has_loops(self) -> bool: ...
    @property
    def has_ids(self) -> bool: ...
    @property
    def has_repeats(self) -> bool: ...
    @property
    def is_symmetric(self) -> bool: ...

class ArcDraws:
    def __init__(self, adjacency: Adjacency) -> None: ...
    def independently(self, probability: NDArray[np.float64], seed: int) -> Arcs: ...
    def with_replacement(
        self, table: AliasTable, always: NDArray[np.uint8] | None, num_samples: int, seed: int
    ) -> Arcs: ...

# Arguments of one call all have the same type, single or double precision.
def head_scores(value: Columns, att: Columns, heads: int, channels: int) -> Columns: ...
def additive_forward(
    arcs: Arcs,
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
    arcs: Arcs,
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
    arcs: Arcs,
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
    arcs: Arcs,
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
    arcs: Arcs,
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
    arcs: Arcs,
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
