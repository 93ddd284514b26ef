"""A method of the paper's tables, told by plain values, so that a record can say what it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from experiments.baselines import BASELINES, baseline_plan
from experiments.paper_sampling import paper_sparsifier
from fastgat.data import NodeTask
from fastgat.nn.fastgat import Resample
from fastgat.sparsify import SPARSIFIERS
from fastgat.train import AdaptiveDensity, Plan, TrainConfig, recommended_training
from fastgat.train.plan import number_kept

PYG, RESISTANCE = "PyG", "resistance"
# Raise it when a network or a recommended setting changes: older rows are then run again.
REVISION = 1


@dataclass(frozen=True)
class Method:
    """A network and the edges it is trained on. Equal labels mean equal methods everywhere."""

    label: str
    epsilon: float | None = None  # None: every edge, unless a share is given
    edges: str = RESISTANCE  # or as many chosen otherwise: a name of SPARSIFIERS
    resample: Resample = "const"
    attention: str = "gat"
    network: str = "FastGAT"  # or PyG, or a baseline's name
    is_adaptive: bool = False
    # Arguments of the sparsifier, and fields of TrainConfig, where they differ.
    sparsifier: Mapping[str, Any] = field(default_factory=dict, hash=False)
    training: Mapping[str, Any] = field(default_factory=dict, hash=False)
    share: float | None = None  # of the edges, instead of epsilon

    def settings(self) -> dict[str, Any]:
        """Plain values that decide what is trained, but for the dataset's recommended settings."""
        # The defaults too: a row that was trained with others is run again.
        defaults = TrainConfig().to_json()
        facts = {**dataclasses.asdict(self), "revision": REVISION, "defaults": defaults}
        if self.share is None:  # rows from before there were shares serve still
            del facts["share"]
        if self.network in BASELINES:
            facts["training"] = {**BASELINES[self.network].training, **self.training}
        return facts

    def plan(self, task: NodeTask, seed: int, **training: Any) -> Plan:
        """How to train it; `training` are fields of TrainConfig that shall differ."""
        training = {**self.training, **training}
        if self.network in BASELINES:
            return baseline_plan(task, self.network, seed=seed, **training)
        options = {"seed": seed, **recommended_training(task), **training}
        if self.network == PYG:
            from fastgat.pyg import PyGGAT

            return Plan(self.label, TrainConfig(**options), network=PyGGAT)
        if self.epsilon is not None or self.share is not None:
            options["sparsifier"] = self._sparsifier(task, seed)
        if self.is_adaptive:
            options["adaptive"] = AdaptiveDensity()
        network = {"attention": self.attention, "resample": self.resample}
        return Plan(self.label, TrainConfig(**options), network)

    def _sparsifier(self, task: NodeTask, seed: int) -> Any:
        if self.share is not None:
            return SPARSIFIERS[self.edges](keep=self.share, **self.sparsifier)
        if self.edges == RESISTANCE:
            return paper_sparsifier(self.epsilon, **self.sparsifier)
        keep = number_kept(paper_sparsifier(self.epsilon), task, seed)
        return SPARSIFIERS[self.edges](keep=keep, **self.sparsifier)


def const(epsilon: float) -> Method:
    """One sparse graph for every layer, head and epoch."""
    return Method(f"FastGAT-const-{epsilon}", epsilon)


def independent(epsilon: float) -> Method:
    """As many edges by resistance, but sampled independently: our own default."""
    options = {"sampling": "independent"}
    return Method(f"FastGAT-const-{epsilon}, independent", epsilon, sparsifier=options)


def per_head(epsilon: float) -> Method:
    """Algorithm 1: a fresh sparse graph for every head of every layer at every step."""
    return Method(f"FastGAT-{epsilon}", epsilon, resample="head")


def random_edges(epsilon: float) -> Method:
    """As many edges as FastGAT keeps, chosen uniformly."""
    return Method(f"GAT rand {epsilon}", epsilon, edges="uniform")


def degree_edges(epsilon: float) -> Method:
    """As many edges as FastGAT keeps, chosen by the degrees of their ends."""
    return Method(f"GAT degree {epsilon}", epsilon, edges="degree")


def judged_on_all_edges(method: Method) -> Method:
    """Trained on the sparse graph as before, but chosen by and tested on the full one."""
    training = {**method.training, "evaluate_on": "full"}
    return dataclasses.replace(method, label=f"{method.label}, full", training=training)


GAT = Method("GAT")
PEER = Method("PyG's GAT", network=PYG)
FAST_GCN_400, FAST_GCN_800 = (Method(name, network=name) for name in ("FastGCN-400", "FastGCN-800"))
SPARSE_GAT = Method("sparseGAT", network="SparseGAT")
