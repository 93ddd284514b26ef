"""Records of runs that never were: shaped like real ones, made from a seed."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastgat
from fastgat import fit
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import Epoch, RunRecord, TrainConfig

PHOTO = {
    "name": "photo", "num_nodes": 7650, "num_edges": 119081, "num_features": 745,
    "num_classes": 8, "is_multi_label": False, "num_graphs": 1,
    "train": 765, "validation": 1530, "test": 5355,
    "class_names": ["Film", "Digital", "Binoculars", "Lenses", "Tripods", "Video", "Light", "Bags"],
}  # fmt: skip
PPI = {
    "name": "ppi", "num_nodes": 56944, "num_edges": 793632, "num_features": 50,
    "num_classes": 121, "is_multi_label": True, "num_graphs": 24,
    "train": 44906, "validation": 6514, "test": 5524, "class_names": None,
}  # fmt: skip
ENVIRONMENT = {
    "fastgat": "0.1.0", "python": "3.11.9", "torch": "2.13.0", "numpy": "2.4.6", "threads": 2,
    "processor": "Imaginary Processor 9000 at 2.60 GHz", "system": "Linux",
}  # fmt: skip
# name of the model, sparsifier, share of the edges, seconds per epoch, final score, peak bytes
METHODS: dict[str, tuple[str, str | None, float, float, float, int]] = {
    "PyG GAT, full graph": ("PyG GAT", None, 1.0, 0.356, 0.931, 1_480_000_000),
    "GAT, full graph": ("FastGAT", None, 1.0, 0.0123, 0.932, 655_000_000),
    "FastGAT eps=0.5": ("FastGAT", "EffectiveResistanceSparsifier", 0.31, 0.0098, 0.926, 602000000),
    "random, same count as eps=0.5": ("FastGAT", "UniformSparsifier", 0.31, 0.0097, 0.914, 6e8),
    "FastGAT adaptive": ("FastGAT", "EffectiveResistanceSparsifier", 0.14, 0.0094, 0.917, 6e8),
}  # type: ignore[dict-item]  # fmt: skip


def make_record(
    label: str = "FastGAT eps=0.5", *, seed: int = 1, epochs: int = 100, pictures: bool = True,
    task: dict[str, Any] = PHOTO, like: str | None = None, **changes: Any,
) -> RunRecord:  # fmt: skip
    """A run under `label`, like that method of METHODS (its own unless told)."""
    name, kind, share, epoch_seconds, score, peak = METHODS[like or label]
    rng = np.random.default_rng([seed, len(label)])
    before = int(task["num_edges"])
    edges = before if share == 1 else round(share * before) + int(rng.integers(-40, 40))
    history = _history(rng, epochs, epoch_seconds, score, edges)
    adaptive = (like or label) == "FastGAT adaptive"
    decisions = _decide(history) if adaptive else []
    sparsifier = {"kind": kind, "epsilon": 0.5} if kind else None
    loop = sum(line.seconds for line in history)
    facts: dict[str, Any] = {
        "label": label,
        "task": dict(task),
        "model": {"name": name, "num_parameters": 50_000, "attention": "gat", "heads": 8},
        "config": {"epochs": epochs, "sparsifier": sparsifier, "seed": seed},
        "edges": {"trained_on": edges, "evaluated_on": edges, "before": before, "draws": 1,
                  "lost_nodes": 12},
        "history": history,
        "best_epoch": max(1, epochs - 3),
        "stopped": "epochs",
        "scores": {"train": 0.99, "validation": history[-1].validation_f1 if history else 0.5,
                   "test": score + float(rng.normal(0, 0.002)), "test_macro_f1": score - 0.01},
        "seconds": {"resistances": 0.021 if kind else 0.0, "sampling": 0.004 if kind else 0.0,
                    "forward": 0.3 * loop, "backward": 0.5 * loop, "optimiser": 0.05 * loop,
                    "evaluation": 0.15 * loop, "inference": 0.004},
        "peak_bytes": int(peak) + seed * 1_000_000,
        "resident_bytes_before": 410_000_000,
        "environment": dict(ENVIRONMENT),
        "decisions": decisions,
        "command": f"fastgat train {task['name']} --epsilon 0.5 --epochs {epochs} --seed {seed}",
        "pictures": make_pictures(rng, before, edges) if pictures and kind else {},
        "class_scores": make_class_scores(int(task["num_classes"])) if pictures else [],
    }  # fmt: skip
    return RunRecord(**{**facts, **changes})


def make_pictures(rng: np.random.Generator, before: int, edges: int) -> dict[str, Any]:
    bins = np.geomspace(0.004, 1.0, 25)
    height = np.exp(-(np.linspace(-1.5, 3, 24) ** 2))
    all_edges = np.round(before * height / height.sum()).astype(int)
    kept = np.round(all_edges * np.clip(0.15 * 40 ** np.linspace(0, 1, 24), 0, 1)).astype(int)
    return {
        "degrees": {"bins": [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
                    "before": [115, 215, 430, 731, 1204, 1650, 1720, 1050, 420, 97, 18],
                    "after": [122, 340, 912, 1820, 2105, 1470, 640, 190, 44, 7, 0]},
        "resistances": {"bins": bins.tolist(), "before": all_edges.tolist(),
                        "after": kept.tolist()},
        "certificate": {"lower": 0.0, "upper": 2.14, "lower_nonzero": 0.083, "epsilon": 1.14,
                        "isolated": 127, "lost": 12, "num_components": 151,
                        "num_components_before": 136},
        "neighbourhood": make_neighbourhood(rng),
        "confusion": {"nodes": [9, 8, 7, 6, 5, 4, 3, 0], "right": [8, 6, 7, 6, 5, 4, 3, 0],
                      "confused": [[1, 3, 2], [0, 2, 1]]},
    }  # fmt: skip


def make_class_scores(number: int) -> list[dict[str, Any]]:
    """The last class does not occur."""
    known = [
        {"f1": 0.9, "precision": 0.95, "recall": 0.855, "num_nodes": 7 + n} for n in range(number)
    ]
    return [*known[:-1], {"f1": None, "precision": None, "recall": None, "num_nodes": 0}]


def make_neighbourhood(rng: np.random.Generator, num_nodes: int = 32) -> dict[str, Any]:
    angle = rng.uniform(0, 2 * math.pi, num_nodes)
    radius = np.where(np.arange(num_nodes) == 0, 0, np.where(np.arange(num_nodes) < 12, 1, 2))
    radius = radius * rng.uniform(0.85, 1.15, num_nodes)
    kinds = rng.choice([1, 1, 1, 3, 3, 6, 0], num_nodes)
    nodes = [
        {"id": 100 + node, "class": int(kinds[node]) if node % 9 != 5 else None,
         "predicted": int(kinds[node]) if node % 7 else 2,
         "x": float(radius[node] * np.cos(angle[node])),
         "y": float(radius[node] * np.sin(angle[node]))}
        for node in range(num_nodes)
    ]  # fmt: skip
    pairs = [(0, node) for node in range(1, 12)]
    pairs += [(int(rng.integers(1, 12)), node) for node in range(12, num_nodes)]
    pairs += [(int(a), int(b)) for a, b in rng.integers(0, num_nodes, (60, 2)) if a < b]
    before = [[a, b, float(rng.beta(1, 6))] for a, b in pairs]
    after = [[a, b, min(1.0, 2 * width)] for a, b, width in before[::3]]
    return {"center": 0, "nodes": nodes, "before": before, "after": after}


def _history(
    rng: np.random.Generator, epochs: int, seconds: float, score: float, edges: int
) -> list[Epoch]:
    lines = []
    for epoch in range(1, epochs + 1):
        progress = 1 - math.exp(-epoch / 18)
        f1 = float(np.clip(0.12 + (score - 0.12) * progress + rng.normal(0, 0.006), 0, 1))
        took = seconds * float(rng.uniform(0.95, 1.1))
        lines.append(Epoch(epoch, 2.1 - 1.7 * progress, f1, 2.1 - 1.6 * progress, f1, took, edges))
    return lines


def _decide(history: list[Epoch]) -> list[dict[str, Any]]:
    decisions: list[dict[str, Any]] = []
    edges = history[0].num_edges
    for place, line in enumerate(history):
        history[place] = Epoch(**{**vars(line), "num_edges": edges})
        if line.epoch % 20 == 0:
            previous = decisions[-1]["slope"] if decisions else None
            edges += 357 if line.epoch % 60 else -357
            decisions.append({"epoch": line.epoch, "slope": 0.01 / line.epoch,
                              "previous_slope": previous, "num_edges": edges})  # fmt: skip
    return decisions


def write_records(folder: Path, records: list[RunRecord]) -> Path:
    """Each in a folder of its own, as runs write them."""
    for place, record in enumerate(records):
        target = folder / f"run{place}"
        target.mkdir(parents=True)
        record.write(target / "record.json")
    return folder


def make_many() -> list[RunRecord]:
    """Two tasks, up to five methods, two seeds; a warning, a long name, runs without pictures."""
    photo = [make_record(label, seed=seed) for label in METHODS for seed in (1, 3)]
    labels = ("GAT, full graph", "FastGAT eps=0.5")
    warning = "12 nodes lost every edge; epsilon=0.3 would keep more"
    photo.append(make_record("unbroken" * 12, like="GAT, full graph", command="fastgat " * 40))
    return photo + [
        make_record(label, seed=seed, task=PPI, pictures=False, epochs=60, warnings=[warning])
        for label in labels
        for seed in (1, 3)
    ]


@pytest.fixture
def record() -> Callable[..., RunRecord]:
    return make_record


@pytest.fixture
def many() -> list[RunRecord]:
    return make_many()


@pytest.fixture(scope="session")
def many_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of `many`, beside the folder `runs`."""
    from fastgat.report import write_report

    folder = tmp_path_factory.mktemp("many")
    return write_report([write_records(folder / "runs", make_many())], folder / "report.html")


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., str]:
    """Write records and their report, and give the page's text."""
    from fastgat.report import write_report

    def make(*records: RunRecord) -> str:
        runs = write_records(tmp_path / "runs", list(records))
        return write_report([runs], tmp_path / "report.html").read_text(encoding="utf-8")

    return make


@pytest.fixture(scope="module")
def blocks() -> NodeTask:
    return fastgat.load_dataset("synthetic", num_nodes=200, num_edges=2000, seed=3)


@pytest.fixture
def run(blocks: NodeTask, tmp_path: Path) -> Callable[..., Path]:
    """Give `run(task, ...)`: the folder of a short run, without pictures."""
    import torch

    def call(task: NodeTask = blocks, network: Any = FastGAT, **options: Any) -> Path:
        folder = tmp_path / "run"
        torch.manual_seed(7)
        model = network(task.num_features, 4, task.num_classes, heads=2, dropout=0.3)
        config = TrainConfig(**{"epochs": 2, "seed": 7, **options})
        record = fit(model, task, config, folder=folder)
        assert record.pictures == RunRecord.read(folder).pictures == {}
        return folder

    return call
