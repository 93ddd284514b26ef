"""How a model is trained: every choice that changes the result, and nothing else."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError, check_between, check_choice, check_count, check_seed
from fastgat.data import NodeTask
from fastgat.sparsify import (
    SPARSIFIERS,
    GuidedSparsifier,
    PreparedSparsifier,
    ScoreSparsifier,
    Sparsifier,
)
from fastgat.spectral import Cache
from fastgat.train.adaptive import AdaptiveDensity

# The graph that the model is judged on; better: at the end that of higher validation score.
EvaluateOn = Literal["sparse", "full", "better"]
EdgeWeight = Literal["ignore", "prior"]  # what the weights of a sparse graph are for
NodeOrder = Literal["close", "given"]  # close: neighbours lie near each other in memory


@dataclass(frozen=True)
class TrainConfig:
    """The GAT paper's recipe, which FastGAT's adopts, unless told otherwise.

    `sparsifier` is one of fastgat's or any object that is a `fastgat.sparsify.Sparsifier`. One of
    your own needs a repr that tells its options, as a dataclass has: it is all that is written of
    it, and what a resumed run is compared by.

    >>> from fastgat import EffectiveResistanceSparsifier
    >>> TrainConfig(sparsifier=EffectiveResistanceSparsifier(epsilon=0.5), epochs=100).epochs
    100
    """

    epochs: int = 1000  # at most; patience ends most runs sooner
    learning_rate: float = 0.005
    weight_decay: float = 5e-4
    patience: int | None = 100  # epochs without a better validation score; None: never stop early
    sparsifier: Sparsifier | None = None  # None: every edge
    adaptive: AdaptiveDensity | None = None  # change the number of edges on the way
    evaluate_on: EvaluateOn = "sparse"
    edge_weight: EdgeWeight = "ignore"
    # Nodes are numbered so that neighbours lie close together, which is faster. Dropout goes by
    # their numbers: as they were given, it is the same on every graph of the same nodes.
    node_order: NodeOrder = "close"
    batch_size: int = 2  # graphs per step, where a task has several
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every choice."""
        plain: dict[str, Any] = {  # numbers of Python, which JSON takes
            "epochs": check_count("epochs", self.epochs, 1),
            "learning_rate": check_between("learning_rate", self.learning_rate, 0, math.inf),
            "weight_decay": check_between(
                "weight_decay", self.weight_decay, 0, math.inf, closed=True
            ),
            "batch_size": check_count("batch_size", self.batch_size, 1),
            "seed": check_seed(self.seed),
        }
        if self.patience is not None:
            hint = "None never stops early"
            plain["patience"] = check_count("patience", self.patience, 1, hint=hint)
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        check_choice("evaluate_on", self.evaluate_on, get_args(EvaluateOn))
        check_choice("edge_weight", self.edge_weight, get_args(EdgeWeight))
        check_choice("node_order", self.node_order, get_args(NodeOrder))
        if self.seed >= 2**63:
            raise InputError(f"seed={self.seed} must be below 2**63, which torch takes")
        if self.sparsifier is not None:
            self._check_sparsifier()
        if self.adaptive is not None:
            self._check_adaptive()

    def _check_sparsifier(self) -> None:
        given: Any = self.sparsifier
        if isinstance(given, type):  # a class has the method too
            name = given.__name__
            raise InputError(f"sparsifier={name} is a class, but an object is needed: {name}()")
        if not isinstance(given, Sparsifier):
            raise InputError(
                f"sparsifier={given!r} must have a method prepare(graph), "
                "as EffectiveResistanceSparsifier() has"
            )
        if isinstance(given, GuidedSparsifier) and given.warm_up >= self.epochs:
            raise InputError(
                f"epochs={self.epochs} must be more than the warm_up={given.warm_up} of the "
                "sparsifier, which chooses edges after it"
            )

    def _check_adaptive(self) -> None:
        if not isinstance(self.adaptive, AdaptiveDensity):
            raise InputError(f"adaptive={self.adaptive!r} must be an AdaptiveDensity")
        if not isinstance(self.sparsifier, ScoreSparsifier):
            raise InputError(
                "adaptive needs a sparsifier with a score per edge, "
                "such as EffectiveResistanceSparsifier()"
            )
        if self.sparsifier.spanning_forest:
            raise InputError(
                "spanning_forest=True goes with draws, but adaptive takes edges one by one; "
                "leave it out"
            )
        if self.sparsifier.per_node and not isinstance(self.sparsifier, GuidedSparsifier):
            raise InputError(
                "per_node=True gives every node its share, but adaptive takes edges one by one; "
                "use per_node=False"
            )
        if self.edge_weight == "prior":
            raise InputError(
                "edge_weight='prior' needs the weights of one draw, which adaptive has not; "
                "use edge_weight='ignore'"
            )

    def prepare(
        self, task: NodeTask, cache: Cache = None, predictions: NDArray[np.float32] | None = None
    ) -> PreparedSparsifier:
        """The sparsifier prepared for a task's graph, with the config's seed; there must be one.

        Args:
            task: whose graph, and whose features where the sparsifier looks at them.
            cache: where resistances are kept, as `effective_resistances` takes it.
            predictions: class probabilities of the nodes, for a sparsifier guided by them.
        """
        assert self.sparsifier is not None
        known = self._known(task, cache)
        if predictions is not None:
            known["predictions"] = predictions
        return self.sparsifier.prepare(task.graph, **known)

    def score(self, task: NodeTask, cache: Cache = None) -> NDArray[np.float64]:
        """The score of every edge by which `adaptive` takes them."""
        assert isinstance(self.sparsifier, ScoreSparsifier)
        return self.sparsifier.score(task.graph, **self._known(task, cache))

    def _known(self, task: NodeTask, cache: Cache) -> dict[str, Any]:
        """What the sparsifier is told beside the graph: never a label."""
        known: dict[str, Any] = {"seed": self.seed, "cache": cache}
        if "features" in getattr(self.sparsifier, "takes", ()):
            known["features"] = task.features
        return known

    def to_json(self) -> dict[str, Any]:
        """Plain values, from which `from_json` makes an equal config.

        A sparsifier that is not fastgat's is told by its repr, which makes none again.
        """
        facts = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if self.sparsifier is not None:
            kind = type(self.sparsifier)
            ours = _registered().get(kind.__name__) is kind
            options = vars(self.sparsifier) if ours else {"repr": repr(self.sparsifier)}
            facts["sparsifier"] = {"kind": kind.__name__, **options}
        if self.adaptive is not None:
            facts["adaptive"] = dict(vars(self.adaptive))
        return facts

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> TrainConfig:
        """The config of `to_json`."""
        try:
            given = dict(facts)
            if given.get("sparsifier") is not None:
                given["sparsifier"] = _make_again(dict(given["sparsifier"]))
            if given.get("adaptive") is not None:
                given["adaptive"] = AdaptiveDensity(**given["adaptive"])
            return cls(**given)
        except InputError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"the configuration cannot be read: {error}") from None


def _make_again(options: dict[str, Any]) -> Sparsifier:
    if "repr" in options:
        raise InputError(
            f"the sparsifier {options['repr']} is not one of fastgat's and cannot be made again "
            "from a file; give the same config again"
        )
    kind = options.pop("kind")
    if kind not in _registered():
        raise InputError(
            f"the configuration cannot be read: no sparsifier {kind} is registered; import the "
            "module that adds it to fastgat.sparsify.SPARSIFIERS first"
        )
    made: Sparsifier = _registered()[kind](**options)
    return made


def _registered() -> dict[str, type[Sparsifier]]:
    """Those that can be made again from their options in a file, by the names of their classes."""
    return {kind.__name__: kind for kind in SPARSIFIERS.values()}
