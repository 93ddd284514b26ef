"""Confusions, names, wide bins and baselines: what is collected after training."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fastgat import EffectiveResistanceSparsifier, Graph
from fastgat.data import NodeTask, Split
from fastgat.graph.gallery import complete
from fastgat.nn import FastGAT
from fastgat.report import add_baselines, add_pictures
from fastgat.report.pictures import count_confusions, count_resistances, make_pictures
from fastgat.train import RunRecord
from fastgat.train.baselines import Baseline


def test_confusions_begin_with_the_largest(blocks: NodeTask) -> None:
    task = replace(
        blocks, labels=np.arange(200) % 4, split=Split.from_indices(200, [0], [1], range(100, 200))
    )
    predicted = np.where(task.labels == 3, 1, task.labels)
    predicted[101] = 2  # one of class 1
    counted = count_confusions(predicted, task)
    assert counted == {
        "nodes": [25, 25, 25, 25], "right": [25, 24, 25, 0], "confused": [[3, 1, 25], [1, 2, 1]]
    }  # fmt: skip


def test_names_of_nodes_are_kept(blocks: NodeTask) -> None:
    graph = blocks.graph
    names = np.array([f"node {number}" for number in range(graph.num_nodes)])
    named = Graph.from_edges(graph.source, graph.target, num_nodes=graph.num_nodes, names=names)
    model = FastGAT(32, 4, 4, heads=2)
    drawn = make_pictures(replace(blocks, graph=named), None, model)["neighbourhood"]
    assert all(node["name"] == f"node {node['id']}" for node in drawn["nodes"])
    plain = make_pictures(blocks, None, model)["neighbourhood"]
    assert not any("name" in node for node in plain["nodes"])


def test_wide_ranges_of_resistances_have_bins_that_grow() -> None:
    source, target = np.triu_indices(12, 1)
    weight = np.geomspace(1e-8, 1e8, source.size)
    even = count_resistances(complete(12), None, 3)["bins"]
    assert even[0] == 0
    heavy = Graph.from_edges(source, target, weight)
    bins = count_resistances(heavy, None, 3)["bins"]
    ratio = np.array(bins[1:]) / bins[:-1]
    assert bins[0] > 0 and ratio == pytest.approx(np.full(ratio.size, ratio[0]))


def test_baselines_are_kept_beside_pictures(run: Callable[..., Path], blocks: NodeTask) -> None:
    folder = run(sparsifier=EffectiveResistanceSparsifier(epsilon=0.9))
    add_baselines(folder, [Baseline("majority class", 0.25, 0.1, 0.5)])
    record = add_pictures(folder, blocks)
    made = {"degrees", "resistances", "neighbourhood", "certificate", "panel", "confusion"}
    assert set(record.pictures) == {*made, "baselines"}
    add_baselines(folder, [Baseline("majority class", 0.5, 0.1, 0.5)])
    kept = RunRecord.read(folder).pictures
    assert kept["baselines"][0]["test_f1"] == 0.5 and set(kept) == {*made, "baselines"}
