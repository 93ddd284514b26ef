"""Options: what the repr says, what is refused."""

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, TemporalData

import fastgat as fg
from fastgat.pyg import Sparsify

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])

DIFFERENT = [
    Sparsify(),
    Sparsify(0.4),
    Sparsify(keep=1),
    Sparsify(keep=1.0),
    Sparsify(sampling="replacement"),
    Sparsify(weight=None),
    Sparsify(weight="None"),
    Sparsify(seed=1),
    Sparsify(seed=None),
    Sparsify(sparsifier=fg.EffectiveResistanceSparsifier(relative_error=0.1)),
    Sparsify(sparsifier=fg.EffectiveResistanceSparsifier(estimator="plain")),
    Sparsify(sparsifier=fg.EffectiveResistanceSparsifier(spanning_forest=True)),
    Sparsify(sparsifier=fg.UniformSparsifier()),
    Sparsify(sparsifier=fg.DegreeSparsifier()),
    Sparsify(sparsifier=fg.KNeighborSparsifier(2)),
    Sparsify(sparsifier=fg.KNeighborSparsifier(3)),
]
EQUAL = [
    (Sparsify(), Sparsify(0.5, sampling="independent", weight="edge_weight", seed=0)),
    (Sparsify(), Sparsify(sparsifier=fg.EffectiveResistanceSparsifier())),
    (Sparsify(np.float64(0.25), seed=np.int64(3)), Sparsify(0.25, seed=3)),
    (
        Sparsify(sparsifier=fg.KNeighborSparsifier(np.int32(2))),
        Sparsify(sparsifier=fg.KNeighborSparsifier(neighbors=2)),
    ),
    (
        Sparsify(sparsifier=fg.EffectiveResistanceSparsifier(relative_error=np.float64(0.125))),
        Sparsify(sparsifier=fg.EffectiveResistanceSparsifier(relative_error=0.125)),
    ),
]


def test_transforms_that_differ_show_it() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert repr(one) != repr(other)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_transforms_look_equal(one: Sparsify, other: Sparsify) -> None:
    assert repr(one) == repr(other)


@pytest.mark.parametrize("transform", DIFFERENT, ids=repr)
def test_pickling(transform: Sparsify) -> None:
    again = pickle.loads(pickle.dumps(transform))
    assert repr(again) == repr(transform)


class Unknown:
    def prepare(self, graph: fg.Graph, **options: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 2}, r"epsilon=2 must lie in \(0, 1\)"),
        ({"epsilon": 0.5, "keep": 0.5}, "exclude each other"),
        ({"keep": 0}, "keep=0 must be at least one edge"),
        ({"sampling": "both"}, "sampling='both' must be one of"),
        ({"sparsifier": fg.UniformSparsifier(), "epsilon": 0.5}, "leave out epsilon"),
        (
            {"sparsifier": fg.UniformSparsifier(), "sampling": "independent"},
            "a sampling of its own",
        ),
        ({"sparsifier": "uniform"}, "sparsifier='uniform' must be a sparsifier, such as"),
        ({"sparsifier": fg.UniformSparsifier}, "must be a sparsifier, such as"),
        ({"sparsifier": Unknown()}, "Unknown whose repr does not show its options"),
        ({"weight": "edge_index"}, "weight='edge_index' must name the attribute"),
        ({"weight": 3}, "weight=3 must name the attribute for the new weights, or be None"),
        ({"seed": -1}, "seed=-1 must be a whole number of at least 0"),
        ({"seed": 2**64}, r"must lie in \[0, 2\*\*64 - 1\]"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(fg.InputError, match=message):
        Sparsify(**options)


def made(**fields: Any) -> Data:
    return Data(**{"edge_index": EDGES, "num_nodes": 3, **fields})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "data is a int, but Sparsify needs a Data, HeteroData or Batch"),
        (TemporalData(), "data is a TemporalData, but"),
        (Data(x=torch.eye(3)), "data has no edge_index; put Sparsify after the transform"),
        (made(adj_t=torch.eye(3).to_sparse_csr()), "data has adj_t, a matrix,.* ToSparseTensor"),
        (Data(adj=torch.eye(3).to_sparse()), "data has adj, a matrix"),
        (made(edge_index=torch.eye(3).to_sparse()), "tensor of torch.sparse_coo and torch.float32"),
        (made(edge_index=EDGES * 1j), "edge_index has dtype torch.complex64, but node numbers"),
        (made(edge_index=[[0], [1]]), "edge_index is a list, but Sparsify needs a tensor"),
        (made(edge_index=EDGES.T), r"edge_index has shape \(4, 2\), but needs \(2, arcs\)"),
        (made(edge_index=EDGES.float()), "edge_index has dtype torch.float32, but node numbers"),
        (made(edge_index=EDGES - 1), r"edge_index\[0, 0\] names node -1, but num_nodes=3"),
        (made(num_nodes=2), r"edge_index\[0, 3\] names node 2, but num_nodes=2"),
        (made(num_nodes=3.5), "num_nodes=3.5 must be a whole number"),
        (made(edge_weight="heavy"), "edge_weight is a str, but weights are a tensor of real"),
        (made(edge_weight=EDGES[0] * 1j), "edge_weight is a tensor of .*complex64, but weights"),
        (made(edge_weight=torch.zeros(4)), r"edge_weight\[0\]=0.0 must be positive and finite"),
        (made(edge_weight=torch.ones(4) / 0), r"edge_weight\[0\]=inf must be positive and finite"),
        (made(edge_weight=torch.ones(4, 1)), r"edge_weight has shape \(4, 1\), but"),
        (made(edge_weight=torch.ones(3)), r"edge_weight has shape \(3,\), but"),
    ],
)
def test_data_is_checked(data: Any, message: str) -> None:
    with pytest.raises(fg.InputError, match=message) as caught:
        Sparsify()(data)
    assert "\n" not in str(caught.value)


def test_weights_do_not_overwrite_what_is_no_weight() -> None:
    with pytest.raises(fg.InputError, match="weight='x' names an attribute that does not belong"):
        Sparsify(weight="x")(made(x=torch.eye(3)))


def test_arcs_are_as_many_as_pyg_counts() -> None:
    data = Data(num_nodes=3)
    data.edge_attr = torch.ones(5)  # PyG counts by what is there first
    data.edge_index = EDGES
    with pytest.raises(fg.InputError, match="edge_index has 4 arcs, but num_edges=5; give every"):
        Sparsify()(data)
