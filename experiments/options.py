"""How much of an experiment is run: seeds, datasets, device, repeats, and the quick way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastgat.check import InputError, check_choice, check_count
from fastgat.data.catalogue import find_key, task_names

FIRST_SEED = 1
SEEDS = 5
QUICK_EPOCHS = 20
# The order of the paper's columns.
PAPER_DATASETS = ("reddit", "physics", "github", "computers", "cs", "photo")
SMALL_DATASETS = ("cora", "citeseer", "pubmed")
TRAINING_CHOICES = ("seeds", "datasets", "epochs", "device")
CHOICES = (*TRAINING_CHOICES, "repeats", "dgl_python", "before", "before_python")
REPEATS, QUICK_REPEATS = 7, 1


@dataclass(frozen=True)
class Options:
    """What was asked for; None leaves the choice to the experiment."""

    seeds: int | None = None
    datasets: tuple[str, ...] | None = None
    epochs: int | None = None
    device: str = "cpu"
    quick: bool = False  # one seed, few epochs, small datasets: to see that everything runs
    repeats: int | None = None  # blocks of a benchmark's cases
    dgl_python: str | None = None  # interpreter that has DGL
    before: str | None = None  # folder of another fastgat to compare with
    before_python: str | None = None  # interpreter for that one, instead of our own

    def __post_init__(self) -> None:
        """Check every choice, before anything is run."""
        if self.seeds is not None:
            check_count("seeds", self.seeds, 1)
        if self.epochs is not None:
            check_count("epochs", self.epochs, 1)
        if self.repeats is not None:
            check_count("repeats", self.repeats, 1)
        check_choice("device", self.device, ("cpu", "cuda"))
        if self.device == "cuda":
            _check_cuda()
        if self.datasets is not None:
            if not self.datasets:
                raise InputError("datasets is empty: name one, or leave it out")
            named = tuple(find_key(name, task_names()) for name in self.datasets)
            object.__setattr__(self, "datasets", tuple(dict.fromkeys(named)))

    def chosen(self) -> dict[str, Any]:
        """What was not left to the experiment, but for `quick`, which all of them know."""
        values = {choice: getattr(self, choice) for choice in CHOICES}
        return {choice: value for choice, value in values.items() if value not in (None, "cpu")}

    def names(self, default: Sequence[str], quick: Sequence[str] = ("photo",)) -> tuple[str, ...]:
        """The datasets to run on."""
        return self.datasets or tuple(quick if self.quick else default)

    def numbers(self, default: int = SEEDS) -> range:
        """The seeds; the same one deals out the nodes, draws the edges and the first weights."""
        count = self.seeds or (1 if self.quick else default)
        return range(FIRST_SEED, FIRST_SEED + count)

    def rounds(self, default: int = REPEATS) -> int:
        """How often the cases of a benchmark take their turn."""
        return self.repeats or (QUICK_REPEATS if self.quick else default)

    def training(self) -> dict[str, Any]:
        """Fields of TrainConfig that differ from what is recommended."""
        epochs = self.epochs or (QUICK_EPOCHS if self.quick else None)
        return {} if epochs is None else {"epochs": epochs}

    def common(self) -> dict[str, Any]:
        """What a row stores of the options, so that it is run again when they change."""
        return {"device": self.device, "quick": self.quick, "training": self.training()}


def _check_cuda() -> None:
    import torch

    if not torch.cuda.is_available():
        raise InputError("device='cuda' needs a GPU that torch can use, but there is none")
