"""fastgat, whichever version this interpreter finds, in a process of its own.

python -m experiments.peers.fastgat_worker
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

import fastgat as fg
from experiments.peers import ours
from experiments.peers.steps import make_inference, make_pass, make_step
from experiments.peers.worker import Loaded, serve

WARM_UP = 2


def load(file: dict[str, Any]) -> Loaded:
    """The two-layer GAT of a task, or one layer if the arrays name one."""
    n = int(file["num_nodes"])
    graph = fg.Graph.from_edges(file["source"], file["target"], num_nodes=n)
    arcs = ours.Arcs.from_graph(graph)
    state = {
        name.removeprefix("weight."): torch.from_numpy(value)
        for name, value in file.items()
        if name.startswith("weight.")
    }
    if "layer" in file:
        layer = ours.make_layer(str(file["layer"]))
        layer.load_state_dict(state)
        x = torch.from_numpy(file["x"]).requires_grad_()
        infer = make_inference(layer, (x, arcs))
        outputs = infer().flatten(1).numpy()
        layer.train()
        cases = {"pass": make_pass(layer, x, arcs)}
    else:
        shape = (n, int(file["num_features"]))
        inputs = (ours.features(file["offset"], file["column"], file["value"], shape), arcs)
        model = ours.TwoLayerGAT(shape[1], int(file["num_classes"]))
        model.load_state_dict(state)
        label, train = torch.from_numpy(file["label"]), torch.from_numpy(file["train"])
        infer = make_inference(model, inputs)
        outputs = infer().numpy()
        cases = {"step": make_step(model, inputs, label, train), "inference": infer}
    for run in cases.values():
        for _ in range(WARM_UP):
            run()
    return Loaded(cases, lambda: outputs)


if __name__ == "__main__":
    print(f"worker: fastgat of {Path(fg.__file__).parent}", file=sys.stderr)
    serve(load, f"{fg.__version__}, {ours.Arcs.__name__}")
