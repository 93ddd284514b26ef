"""Figure 2: how far the learned weights move when the graph is sparsified."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from experiments.experiment import Experiment, Results, Row
from experiments.figures import MARKERS, draw_panels
from experiments.options import Options
from experiments.records import Result
from experiments.table import BLANK, Table
from experiments.tasks import load_task
from experiments.training.method import GAT, Method, const
from experiments.training.scores import datasets_of, missing_files, show_score
from experiments.verdict import Finding, claim
from fastgat.data import NodeTask
from fastgat.report.figures.canvas import PALETTE
from fastgat.report.runs import Spread
from fastgat.train import Epoch, Plan, fit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "figure-2"
DATASETS = ("physics", "github", "cs", "computers", "photo")
EPSILONS = (0.25, 0.5, 0.75)
CONTROL = "full graph, other dropout"
KINDS = {"weight": "weight matrices W", "attention": "attention vectors a"}
EPOCHS = 200  # the same for all: weights of unequal epochs differ for that alone
OTHER_SEED = 1000
State = dict[str, torch.Tensor]


def rows(options: Options) -> list[Row]:
    """One trial per seed: the full graph once, every epsilon against it, and the control."""
    epochs = options.training().get("epochs", EPOCHS)
    return [
        Row(
            f"{name}/trial-{seed}",
            {
                **options.common(),
                "dataset": name,
                "seed": seed,
                "epochs": epochs,
                "of": EPSILONS,
                "node_order": "given",
            },
            partial(_trial, name, seed, epochs, options.device),
        )
        for name in options.names(DATASETS)
        for seed in options.numbers()
    ]


def _trial(name: str, seed: int, epochs: int, device: str) -> Result:
    task = load_task(name, seed)

    def learn(method: Method, *, other_dropout: bool = False) -> State:
        plan = method.plan(task, seed, epochs=epochs, patience=None)
        return last_weights(plan, task, device, OTHER_SEED * other_dropout)

    full = learn(GAT)
    found = {f"{epsilon}": relative_errors(full, learn(const(epsilon))) for epsilon in EPSILONS}
    return {**found, CONTROL: relative_errors(full, learn(GAT, other_dropout=True))}


def last_weights(plan: Plan, task: NodeTask, device: str, shift: int = 0) -> State:
    """The weights of the last epoch, from the plan's first weights.

    Args:
        plan: how to train.
        task: what to train for.
        device: where torch computes.
        shift: added to the seed once the model is made: the same weights, other dropout.
    """
    model = plan.make_model(task).to(device)
    # Numbered for its own graph, each run would have its own dropout.
    config = replace(plan.config, seed=plan.config.seed + shift, node_order="given")
    last: State = {}

    def keep(epoch: Epoch) -> None:
        if epoch.epoch == config.epochs:
            last.update({key: value.clone() for key, value in model.state_dict().items()})

    fit(model, task, config, on_epoch=keep)
    return last


def relative_errors(full: State, sparse: State) -> dict[str, float]:
    """Mean over layers and heads of the Frobenius norm of the difference, over the full one's."""
    errors: dict[str, list[float]] = {"weight": [], "attention": []}
    for key, value in full.items():
        if key.endswith(("att_src", "att_dst")):
            errors["attention"] += _per_head(value[0], sparse[key][0])
        elif key.endswith("lin.weight"):
            heads = full[key.replace("lin.weight", "att_src")].size(1)
            shape = (heads, -1)
            errors["weight"] += _per_head(value.reshape(shape), sparse[key].reshape(shape))
    return {kind: float(np.mean(found)) for kind, found in errors.items()}


def _per_head(full: torch.Tensor, sparse: torch.Tensor) -> list[float]:
    ratio: list[float] = ((full - sparse).norm(dim=1) / full.norm(dim=1)).tolist()
    return ratio


def tables(results: Results) -> list[Table]:
    """Errors over the trials."""
    lines = []
    for dataset in datasets_of(results):
        for which in (*map(str, EPSILONS), CONTROL):
            cells = [_error(results, dataset, which, kind) for kind in KINDS]
            shown = [BLANK if cell is None else show_score(cell) for cell in cells]
            if any(shown):
                lines.append([dataset, which, *shown])
    columns = ["dataset", "epsilon", *KINDS.values()]
    return [Table("Relative Frobenius error", columns, lines, missing_files(results))]


def _error(results: Results, dataset: str, which: str, kind: str) -> Spread | None:
    trials = [row for row in results.values() if row.settings["dataset"] == dataset and row.is_done]
    return Spread.of(row.result[which][kind] for row in trials)


def findings(results: Results) -> list[Finding]:
    """The claim: the error grows with epsilon."""
    found = []
    for dataset in datasets_of(results):
        for kind in KINDS:
            every = [_error(results, dataset, str(epsilon), kind) for epsilon in EPSILONS]
            means = [spread.mean for spread in every if spread is not None]
            if len(means) != len(EPSILONS):
                continue
            quick = any(r.is_quick for r in results.values() if r.settings["dataset"] == dataset)
            of = f"{NAME}/{dataset}/error of {kind} grows with epsilon"
            ours = ", ".join(f"{mean:.3f}" for mean in means)
            found.append(claim(of, ours, "grows", means == sorted(means), quick=quick))
    return found


def draw(results: Results, folder: Path) -> list[Path]:
    """Both errors against epsilon, with the control as a line."""
    names = [name for name in datasets_of(results) if _error(results, name, CONTROL, "weight")]

    def panel(axes: Axes, dataset: str) -> None:
        for place, (kind, shown) in enumerate(KINDS.items()):
            every = [_error(results, dataset, str(epsilon), kind) for epsilon in EPSILONS]
            means = [spread.mean for spread in every if spread is not None]
            bars = [spread.deviation or 0.0 for spread in every if spread is not None]
            axes.errorbar(
                EPSILONS, means, bars, capsize=2, label=shown,
                color=PALETTE[place], marker=MARKERS[place],
            )  # fmt: skip
            control = _error(results, dataset, CONTROL, kind)
            assert control is not None
            axes.axhline(
                control.mean, color=PALETTE[place], ls=":", lw=1, label=f"{kind}: {CONTROL}"
            )
        axes.set_xticks(EPSILONS)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("epsilon")
        axes.set_ylabel("relative error")

    return draw_panels(folder, NAME, names, panel) if names else []


EXPERIMENT = Experiment(
    NAME,
    "Figure 2: learned weights with and without sparsifying",
    f"The same first weights, dropout and {EPOCHS} epochs on the full graph and at epsilon 0.25, "
    "0.5, 0.75; errors of the last epoch's weights, per head. The control trains the full graph "
    "again with other dropout: what training's own noise moves.",
    rows,
    tables,
    findings,
    draw,
)
