"""DGL as a peer: a worker in the environment that has it."""

from __future__ import annotations

import os

from experiments.peers.worker import Worker


def start_dgl(python: str) -> Worker:
    """Start the process that `python`, of an environment with DGL 1.1.3, runs."""
    environment = {"DGLBACKEND": "pytorch"}
    if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
        environment["GOMP_SPINCOUNT"] = "0"  # as fastgat sets it in our own process
    return Worker("experiments.peers.dgl_worker", python, path=(), environment=environment)
