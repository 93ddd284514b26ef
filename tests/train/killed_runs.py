"""Runs that are killed and resumed, for test_killed.py: `python killed_runs.py FOLDER SCENARIO ...`

Every run is a process of its own, forked from this one, which has loaded everything and started no
thread. What became of them is printed as JSON; the folders are left to be looked at.
"""

from __future__ import annotations

import dataclasses
import json
import os
import random
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import fastgat as fg
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import AdaptiveDensity, Epoch, TrainConfig

EVERY = 8
EPOCHS = {"sparse": 40}
KILLS = {"sparse": 5}  # between two checkpoints, and as many at random times
FEW_EPOCHS, FEW_KILLS = 22, 1  # of the others

Hook = Callable[[Epoch], None]


def scenario(name: str) -> tuple[FastGAT, NodeTask, TrainConfig]:
    """What is trained, and how."""
    sparsifier = fg.EffectiveResistanceSparsifier(epsilon=0.9)
    options: dict[str, Any] = {
        "epochs": EPOCHS.get(name, FEW_EPOCHS),
        "learning_rate": 0.02,
        "seed": 23,
    }
    model_options: dict[str, Any] = {"heads": 2}
    if name.endswith("inductive"):
        task = fg.load_dataset("ppi-like", num_nodes=480, num_edges=1920, num_classes=6, seed=9)
        options |= {"sparsifier": fg.UniformSparsifier(keep=0.6), "batch_size": 10}
    else:
        task = fg.load_dataset("synthetic", num_nodes=200, num_edges=1200, seed=9)
    if name == "sparse":
        options |= {"sparsifier": sparsifier}
    if name == "head":
        options |= {"sparsifier": sparsifier}
        model_options |= {"resample": "head", "sampler": sparsifier.prepare(task.graph)}
    if name == "adaptive":
        adaptive = AdaptiveDensity(every=5, step=0.05)
        options |= {"sparsifier": sparsifier, "adaptive": adaptive}
    if name.startswith("guided"):
        guided = fg.GuidedSparsifier(keep=0.4, warm_up=6, refresh=5)
        options |= {"sparsifier": guided, "evaluate_on": "better"}
    torch.manual_seed(31)
    model = FastGAT(task.num_features, 4, task.num_classes, **model_options)
    return model, task, TrainConfig(**options)


def run(name: str, folder: Path, hook: Hook | None = None, limit: int | None = None) -> None:
    """Begin a run, or go on with it."""
    model, task, config = scenario(name)
    config = config if limit is None else dataclasses.replace(config, epochs=limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of runs without a checkpoint yet
        fg.fit(
            model, task, config, folder=folder, resume=True, checkpoint_every=EVERY, on_epoch=hook
        )


def start(name: str, folder: Path, hook: Hook | None = None) -> int:
    """The same in a process of its own; what it dies of is in `said.txt` beside the folder."""
    process = os.fork()
    if process:
        return process
    code, said = 0, ""
    try:
        run(name, folder, hook)
    except KeyboardInterrupt as stop:
        code, said = 130, str(stop)
    except SystemExit as stop:
        code = int(str(stop.code))
    except fg.InputError as refusal:
        code, said = 2, str(refusal)
    except BaseException as error:
        code, said = 1, repr(error)
    folder.with_suffix(".txt").write_text(said)
    os._exit(code)


def ended(process: int) -> int:
    """The exit code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def signal_at(epoch: int, number: int) -> Hook:
    """Send this process a signal after an epoch."""

    def hook(done: Epoch) -> None:
        if done.epoch == epoch:
            os.kill(os.getpid(), number)

    return hook


def limit_files_at(epoch: int, size: int) -> Hook:
    """Let the disk be full from an epoch on."""

    def hook(done: Epoch) -> None:
        if done.epoch == epoch:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return hook


def checkpoints(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("checkpoint-*"))


def kill_and_resume(name: str, place: Path, chance: random.Random) -> dict[str, Any]:
    """One run in peace, some killed once, one killed again and again."""
    count = KILLS.get(name, FEW_KILLS)
    begin = time.perf_counter()
    assert ended(start(name, place / f"{name}-peace")) == 0
    took = time.perf_counter() - begin
    killed: dict[str, Any] = {"between": [], "anytime": [], "often": []}
    between = [epoch for epoch in range(1, EPOCHS.get(name, FEW_EPOCHS)) if epoch % EVERY]
    for epoch in chance.sample(between, count):
        folder = place / f"{name}-epoch{epoch}"
        code = ended(start(name, folder, signal_at(epoch, signal.SIGKILL)))
        saved = checkpoints(folder)
        killed["between"].append((folder.name, code, epoch, saved, ended(start(name, folder))))
    for number in range(8 * count):
        folder = place / f"{name}-time{number}"
        process = start(name, folder)
        time.sleep(chance.uniform(0, took))
        os.kill(process, signal.SIGKILL)
        code = ended(process)
        if code == -signal.SIGKILL:
            killed["anytime"].append((folder.name, code, ended(start(name, folder))))
        if len(killed["anytime"]) == count:
            break
    folder = place / f"{name}-often"
    for epoch in (3, 9, 16, 22):
        killed["often"].append(ended(start(name, folder, signal_at(epoch, signal.SIGKILL))))
    killed["often"].append(ended(start(name, folder)))
    return killed


def interrupt_and_resume(name: str, place: Path) -> dict[str, Any]:
    """SIGINT and SIGTERM: how it ended, what was said, what was saved, how resuming ended."""
    found = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        folder = place / f"{name}-{number.name}"
        code = ended(start(name, folder, signal_at(21, number)))
        said = folder.with_suffix(".txt").read_text()
        found[number.name] = code, said, checkpoints(folder), ended(start(name, folder))
    return found


def fill_disk_and_resume(name: str, place: Path) -> dict[str, Any]:
    """No room for the log, or for the checkpoint alone."""
    found = {}
    for what, size in {"log": 100, "checkpoint": 9000}.items():
        folder = place / f"{name}-full-{what}"
        code = ended(start(name, folder, limit_files_at(EVERY + 3, size)))
        said = folder.with_suffix(".txt").read_text()
        left = sorted(path.name for path in folder.iterdir())
        found[what] = code, said, left, ended(start(name, folder))
    return found


def main() -> None:
    """Run the scenarios named."""
    place = Path(sys.argv[1])
    chance = random.Random(4711)
    run("sparse", place / "warm", limit=1)
    found = {name: kill_and_resume(name, place, chance) for name in sys.argv[2:]}
    found["signals"] = interrupt_and_resume(sys.argv[2], place)
    found["disk"] = fill_disk_and_resume(sys.argv[2], place)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
