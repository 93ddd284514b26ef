"""The README's tables of whole training runs, from their records."""

from __future__ import annotations

from typing import Any

Rows = list[dict[str, Any]]
EPSILONS = ("0.5", "0.9")


def training_accuracy(rows: Rows) -> list[str]:
    columns = [f"{name} {e}" for e in EPSILONS for name in ("FastGAT", "random", "degree")]
    lines = [
        "**Accuracy**: micro-F1 on the test nodes, mean ± deviation over seeds, each with its own "
        "10/20/70 split (`python benchmarks/training.py accuracy`). Random edges and edges by "
        "degree are as many as FastGAT's.",
        "",
        f"| graph | seeds | all edges | {' | '.join(columns)} |",
        "|---" * 9 + "|",
    ]
    found = {(row["dataset"], row["method"]): row for row in rows}
    for name in dict.fromkeys(row["dataset"] for row in rows):
        methods = ["full graph"]
        for epsilon in EPSILONS:
            methods += [f"FastGAT-const-{epsilon}", f"random-{epsilon}", f"degree-{epsilon}"]
        cells = [_score(found[name, method]) for method in methods]
        seeds = len(found[name, "full graph"]["seeds"])
        lines.append(f"| {name} | {seeds} | {' | '.join(cells)} |")
    return [*lines, "", *_as_good(found)]


def _score(row: dict[str, Any]) -> str:
    return f"{row['test F1']:.3f} ± {row['test F1 deviation']:.3f}"


def _as_good(found: dict[tuple[str, str], dict[str, Any]]) -> list[str]:
    """Where other edges do as well as those of high resistance: the mean no lower, or "
    "within noise."""
    lines = []
    for other, shown in (("random", "random edges"), ("degree", "edges by degree")):
        where = []
        for (name, method), ours in found.items():
            if not method.startswith("FastGAT-const"):
                continue
            epsilon = method.rpartition("-")[2]
            theirs = found[name, f"{other}-{epsilon}"]
            spread = max(ours["test F1 deviation"], theirs["test F1 deviation"])
            if theirs["test F1"] >= ours["test F1"] - spread:
                where.append(f"{name} at {epsilon}")
        if where:
            lines.append(f"As good with {shown}, within one deviation: {', '.join(where)}.")
    return lines


def training_speed(rows: Rows) -> list[str]:
    lines = [
        "**Whole runs** of the same epochs, evaluation, resistances and sampling "
        "included, medians of "
        f"{rows[0]['turns']} turns (`python benchmarks/training.py speed`): seconds, and "
        f"how many times faster.",
        "",
        "| graph | epochs | PyG, all edges | fastgat, all edges | fastgat, 0.5 | 0.5 over "
        "PyG | the engine's share "
        "| the sparsifier's |",
        "|---" * 8 + "|",
    ]
    for row in rows:
        peer, full, sparse = row["seconds"].values()
        lines.append(
            f"| {row['dataset']} | {row['epochs']} | {peer:.1f} | {full:.2f} | {sparse:.2f} "
            f"| {row['FastGAT-0.5 over PyG, full graph']:.0f}x "
            f"| {row['engine: full graph over PyG, full graph']:.0f}x "
            f"| {row['sparsifying: FastGAT-0.5 over full graph']:.2f}x |"
        )
    return lines


def training_adaptive(rows: Rows) -> list[str]:
    parts = []
    for name in dict.fromkeys(row["dataset"] for row in rows):
        const, changing = (row for row in rows if row["dataset"] == name)
        parts.append(
            f"{name} {_score(changing)} with "
            f"{changing['edge-epochs'] / const['edge-epochs']:.0%} of the edges "
            f"worked on at a constant 0.5, which gives {_score(const)}"
        )
    return [f"**Adaptive density**: {'; '.join(parts)} (`python benchmarks/training.py adaptive`)."]


def training_reddit(rows: Rows) -> list[str]:
    by_method = {row["method"]: row for row in rows}
    sparse, full = by_method["FastGAT-0.5"], by_method["full graph"]
    key = "seconds in attention kernels per epoch"
    return [
        f"**A Reddit-size graph**, trained ({full['edges']:,} edges, 602 dense features, "
        f"evaluation included): "
        f"{full['seconds per epoch']:.1f} s per epoch on all edges, "
        f"{sparse['seconds per epoch']:.2f} s at epsilon = "
        f"0.5; in the attention kernels {full[key]:.1f} and {sparse[key]:.2f} s. The "
        f"process peaked at "
        f"{full['peak bytes of the process'] / 1e9:.1f} GB, "
        f"{sparse['peak bytes while training'] / 1e9:.1f} GB while "
        "training on the sparse graph (`python benchmarks/training.py reddit`)."
    ]
