"""What a fresh sparse graph costs beside one attention call on it, of one head of 8 channels."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import torch

import fastgat as fg
from attention_sections import Options
from fastgat.data import load_graph
from fastgat.nn import SortedArcs
from fastgat.nn.attention import additive_attention
from harness import take_turns
from peers.training import turn

DATASETS = ("physics",)
EPSILON = 0.5


def draw_structure(prepared: Any, seed: int) -> SortedArcs:
    """A fresh graph with all that the kernels read."""
    structure = SortedArcs.from_draw(prepared, seed)
    structure.edges(add_loops=True).arcs(with_ids=False)
    return structure


def make_call(structure: SortedArcs) -> Any:
    """Forward and backward of one head, dropout 0.6."""
    value = torch.randn(structure.num_sources, 1, 8, requires_grad=True)
    att_source, att_target = (torch.randn(1, 8, requires_grad=True) for _ in range(2))
    edges = structure.edges(add_loops=True)
    upstream = torch.randn(value.shape)
    seed = torch.tensor([41])

    def call() -> None:
        value.grad = att_source.grad = att_target.grad = None
        out = additive_attention(
            value, att_source, edges, att_target=att_target, dropout=0.6, seed=seed
        )
        out.backward(upstream)

    return call


def measure(dataset: str, sampling: Any, repeats: int) -> dict[str, Any]:
    sparsifier = fg.EffectiveResistanceSparsifier(epsilon=EPSILON, sampling=sampling)
    prepared = sparsifier.prepare(load_graph(dataset), seed=0)
    torch.manual_seed(7)
    structure, seeds = draw_structure(prepared, 0), itertools.count(1)
    cases = {
        "attention": partial(turn, make_call(structure)),
        "draw as a graph": partial(turn, lambda: prepared.draw(next(seeds))),
        "draw and structure": partial(turn, lambda: draw_structure(prepared, next(seeds))),
    }
    take_turns(cases, 1)  # warms up
    seconds = take_turns(cases, repeats)
    return {
        "dataset": dataset,
        "sampling": sampling,
        "edges": prepared.draw(0).num_edges,
        "repeats": repeats,
        "milliseconds": {case: 1e3 * value for case, value in seconds.items()},
        "draw and structure over attention": seconds["draw and structure"] / seconds["attention"],
    }


def run(options: Options) -> list[dict[str, Any]]:
    rows = []
    for dataset in options.datasets or DATASETS:
        for sampling in ("replacement", "independent"):
            row = measure(dataset, sampling, options.repeats)
            rows.append(row)
            times = ", ".join(f"{case} {ms:.2f} ms" for case, ms in row["milliseconds"].items())
            ratio = row["draw and structure over attention"]
            print(f"{dataset}, {sampling}: {times}: {ratio:.2f} attention calls", flush=True)
    return rows
