"""`fit`: what it leaves in a folder and in the process, how it resumes, what a run is called."""

import dataclasses
import json
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import fastgat as fg
from fastgat import (
    EffectiveResistanceSparsifier,
    InputError,
    KNeighborSparsifier,
    UniformSparsifier,
    fit,
)
from fastgat.data import NodeTask
from fastgat.nn import FastGAT
from fastgat.train import AdaptiveDensity, Epoch, RunRecord, TrainConfig
from fastgat.train.checkpoint import Checkpoint, load_tensors, save_tensors

FILES = ["config.json", "log.jsonl", "record.json", "weights.safetensors"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def expected(
    blocks: NodeTask, model_for: Callable[..., FastGAT], config: TrainConfig
) -> dict[str, torch.Tensor]:
    """The weights of the run in peace, without a folder."""
    model = model_for(blocks)
    fit(model, blocks, config)
    return model.state_dict()


def assert_same(folder: Path, expected: dict[str, torch.Tensor]) -> None:
    assert names(folder) == FILES
    found = load_file(folder / "weights.safetensors")
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in found)


def test_what_a_run_leaves(
    train: Callable[..., RunRecord],
    tmp_path: Path,
    expected: dict,
    blocks: NodeTask,
    config: TrainConfig,
) -> None:
    record = train(source={"name": "synthetic", "sizes": (1, 2)}, label="mine")
    folder = tmp_path / "run"
    assert_same(folder, expected)
    assert RunRecord.read(folder) == record
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [Epoch(**line) for line in log] == record.history
    written = json.loads((folder / "config.json").read_text())
    assert TrainConfig.from_json(written["train"]) == config
    assert written["source"] == {"name": "synthetic", "sizes": [1, 2]}
    assert written["model"] == record.model
    assert written["task"].items() >= record.task.items()


def test_at_most_two_checkpoints(train: Callable[..., RunRecord], tmp_path: Path) -> None:
    seen = []

    def look(epoch: Epoch) -> None:
        seen.append([int(name[11:19]) for name in names(tmp_path / "run") if "checkpoint" in name])

    train(on_epoch=look)
    assert seen == [[], [], [2], [2], [2, 4], [2, 4], [4, 6], [4, 6], [6, 8]]


def test_nothing_is_written_without_a_folder(
    blocks: NodeTask,
    model_for: Callable[..., FastGAT],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: TrainConfig,
) -> None:
    monkeypatch.chdir(tmp_path)
    fit(model_for(blocks), blocks, config)
    assert names(tmp_path) == []


@pytest.mark.parametrize("epoch", [2, 3, 7, 8, 9])
def test_stopped_and_resumed_is_as_if_it_had_not_been(
    epoch: int,
    train: Callable[..., RunRecord],
    tmp_path: Path,
    expected: dict,
    stop_after: Callable,
) -> None:
    with pytest.raises(ZeroDivisionError):
        train(on_epoch=stop_after(epoch))
    with warnings.catch_warnings():
        if epoch > 2:
            warnings.simplefilter("error")
        else:
            warnings.simplefilter("ignore")
        record = train(resume=True)
    assert [line.epoch for line in record.history] == list(range(1, 10))
    assert_same(tmp_path / "run", expected)
    assert record.total_seconds > 0


def test_another_model_of_the_same_shape_goes_on_with_the_weights_saved(
    train: Callable[..., RunRecord], stopped: Path, expected: dict, blocks: NodeTask
) -> None:
    torch.manual_seed(99)
    model = FastGAT(32, 4, 4, heads=2, dropout=0.3)
    train(resume=True, model=model)
    assert_same(stopped, expected)
    assert all(torch.equal(model.state_dict()[name], expected[name]) for name in expected)


def test_resuming_what_was_not_begun_begins_it(
    train: Callable[..., RunRecord], tmp_path: Path, expected: dict
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(resume=True, folder=tmp_path / "deep" / "run")
    assert_same(tmp_path / "deep" / "run", expected)


def test_resuming_without_a_checkpoint_begins_anew(
    train: Callable[..., RunRecord], tmp_path: Path, expected: dict, stop_after: Callable
) -> None:
    with pytest.raises(ZeroDivisionError):
        train(on_epoch=stop_after(1))
    with pytest.warns(UserWarning) as caught:
        train(resume=True)
    said = [str(warning.message) for warning in caught]
    assert said == [f"{tmp_path}/run has no checkpoint yet: beginning anew"]
    assert_same(tmp_path / "run", expected)


def test_a_finished_run_gives_its_record_and_weights(
    train: Callable[..., RunRecord],
    tmp_path: Path,
    expected: dict,
    blocks: NodeTask,
    stop_after: Callable,
) -> None:
    record = train()
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run").iterdir()}
    model = FastGAT(32, 4, 4, heads=2, dropout=0.3)
    assert train(resume=True, model=model, on_epoch=stop_after(1)) == record
    assert all(torch.equal(model.state_dict()[name], expected[name]) for name in expected)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run").iterdir()}
    assert before == after


def test_killed_after_the_record_before_the_checkpoints_were_removed(
    train: Callable[..., RunRecord], stopped: Path
) -> None:
    kept = {path.name: path.read_bytes() for path in stopped.glob("checkpoint-*")}
    record = train(resume=True)
    for name, data in kept.items():
        (stopped / name).write_bytes(data[:50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train(resume=True) == record
    assert names(stopped) == FILES


def test_killed_after_the_weights_before_the_record(
    train: Callable[..., RunRecord], stopped: Path, expected: dict
) -> None:
    (stopped / "weights.safetensors").write_bytes(b"older")
    train(resume=True)
    assert_same(stopped, expected)


def test_a_folder_with_a_run_is_not_begun_again(
    train: Callable[..., RunRecord], stopped: Path
) -> None:
    before = {path.name: path.read_bytes() for path in stopped.iterdir()}
    with pytest.raises(InputError) as caught:
        train()
    assert str(caught.value) == (
        f"{stopped} holds a run; resume it, remove it, or choose another folder"
    )
    assert {path.name: path.read_bytes() for path in stopped.iterdir()} == before


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("left", ["checkpoint-00000006.safetensors", "record.json"])
def test_parts_of_another_run_are_not_mixed_in(
    left: str, resume: bool, train: Callable[..., RunRecord], tmp_path: Path
) -> None:
    """Without its config nobody knows what a checkpoint or a record is of."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / left).write_text("{}")
    with pytest.raises(InputError) as caught:
        train(resume=resume)
    assert str(caught.value) == (
        f"{tmp_path}/run holds {left}, but no config.json: parts of a run; "
        "remove them, or choose another folder"
    )


@pytest.mark.parametrize("begun", [False, True])
def test_files_half_written_by_a_killed_run_go(
    begun: bool,
    train: Callable[..., RunRecord],
    tmp_path: Path,
    expected: dict,
    stop_after: Callable,
) -> None:
    if begun:
        with pytest.raises(ZeroDivisionError):
            train(on_epoch=stop_after(3))
    else:
        (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".0123456789abcdef.safetensors").write_text("half")
    train(resume=True)
    assert_same(tmp_path / "run", expected)


def test_a_folder_with_other_files_will_do(train: Callable[..., RunRecord], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    train()
    assert names(tmp_path / "run") == sorted([*FILES, "notes.txt"])


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"epochs": 10}, "train.epochs=9, not 10"),
        ({"seed": 5}, "train.seed=17, not 5"),
        ({"sparsifier": UniformSparsifier(keep=0.6)}, "train.sparsifier.keep=0.5, not 0.6"),
        ({"patience": None, "weight_decay": 0.0}, "train.patience=100, not None"),
    ],
)
def test_another_config_is_refused(
    change: dict, where: str, train: Callable[..., RunRecord], stopped: Path, config: TrainConfig
) -> None:
    with pytest.raises(InputError) as caught:
        train(dataclasses.replace(config, **change), resume=True)
    assert str(caught.value) == (
        f"{stopped} holds a run with {where}; "
        "resume with the options it was begun with, or choose another folder"
    )


@pytest.mark.parametrize("damage", ["cut", "flip", "garbage", "empty"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_used(
    damage: str, train: Callable[..., RunRecord], stopped: Path, expected: dict
) -> None:
    newest = stopped / "checkpoint-00000006.safetensors"
    data = newest.read_bytes()
    flipped = bytearray(data)
    flipped[-100] ^= 4
    newest.write_bytes(
        {"cut": data[:-9], "flip": bytes(flipped), "garbage": b"x" * 999, "empty": b""}[damage]
    )
    with pytest.warns(UserWarning, match="going back to the one before") as caught:
        train(resume=True)
    said = [str(warning.message) for warning in caught]
    assert len(said) == 1
    assert said[0].startswith(f"{newest} is damaged (")
    assert_same(stopped, expected)


def test_all_checkpoints_damaged(
    train: Callable[..., RunRecord], stopped: Path, expected: dict
) -> None:
    for path in stopped.glob("checkpoint-*"):
        path.write_bytes(b"")
    with pytest.warns(UserWarning) as caught:
        train(resume=True)
    said = [str(warning.message) for warning in caught]
    assert len(said) == 3
    assert said[-1] == f"{stopped} has no checkpoint that can be read: beginning anew"
    assert_same(stopped, expected)


def test_a_checkpoint_of_another_model(train: Callable[..., RunRecord], stopped: Path) -> None:
    """Of the same config, as far as the folder tells: its digest fits, its tensors do not."""
    newest = stopped / "checkpoint-00000006.safetensors"
    held = load_tensors(newest)
    held.tensors.pop(next(name for name in held.tensors if name.startswith("model.")))
    save_tensors(newest, Checkpoint(held.tensors, held.facts))
    with pytest.raises(InputError, match="the checkpoint is of another model: ") as caught:
        train(resume=True)
    assert "\n" not in str(caught.value)


def test_what_goes_wrong_in_a_callback_is_not_the_folders_fault(
    train: Callable[..., RunRecord], tmp_path: Path
) -> None:
    """Say, a progress line that goes to a closed pipe."""

    def broken(epoch: Epoch) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        train(on_epoch=broken)


def test_a_loss_that_is_not_finite_leaves_the_last_good_checkpoint(
    train: Callable[..., RunRecord], tmp_path: Path, model_for: Callable, blocks: NodeTask
) -> None:
    model = model_for(blocks)

    def spoil(epoch: Epoch) -> None:
        if epoch.epoch == 5:
            with torch.no_grad():
                next(model.parameters()).fill_(torch.nan)

    with pytest.raises(InputError, match="the loss is nan in epoch 6: use a smaller learning_rate"):
        train(model=model, on_epoch=spoil)
    assert names(tmp_path / "run") == [
        "checkpoint-00000002.safetensors",
        "checkpoint-00000004.safetensors",
        "config.json",
        "log.jsonl",
    ]
    record = train(resume=True)
    assert len(record.history) == 9


@pytest.mark.parametrize("every", [0, -1, 1.5, None])
def test_how_often_to_save(every: object, train: Callable[..., RunRecord]) -> None:
    with pytest.raises(
        InputError, match=f"checkpoint_every={every} must be a whole number of at least 1"
    ):
        train(checkpoint_every=every)


def test_a_run_in_another_thread(
    train: Callable[..., RunRecord], tmp_path: Path, expected: dict
) -> None:
    """Signals are the main thread's alone."""
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert_same(tmp_path / "run", expected)


def test_inductive_runs_resume(
    train: Callable[..., RunRecord],
    tmp_path: Path,
    ppi: NodeTask,
    model_for: Callable,
    stop_after: Callable,
    config: TrainConfig,
) -> None:
    model = model_for(ppi)
    config = dataclasses.replace(config, epochs=5, batch_size=7)
    fit(model, ppi, config)
    with pytest.raises(ZeroDivisionError):
        train(config, task=ppi, on_epoch=stop_after(3))
    train(config, task=ppi, resume=True)
    assert_same(tmp_path / "run", model.state_dict())


@pytest.mark.parametrize("fails", [False, True])
def test_torchs_random_numbers_are_left_alone(
    fails: bool, blocks: NodeTask, model_for: Callable
) -> None:
    def stop(epoch: Epoch) -> None:
        if fails:
            raise ZeroDivisionError

    torch.manual_seed(3)
    before = torch.get_rng_state()
    try:
        fit(model_for(blocks), blocks, TrainConfig(epochs=2), on_epoch=stop)
    except ZeroDivisionError:
        assert fails
    assert torch.equal(torch.get_rng_state(), before)


def test_what_is_not_named_gets_a_name(blocks: NodeTask, model_for: Callable) -> None:
    sparsifier = EffectiveResistanceSparsifier(epsilon=0.9)
    for config, label in {
        TrainConfig(epochs=1): "FastGAT, full graph",
        TrainConfig(epochs=1, sparsifier=sparsifier): "FastGAT epsilon=0.9",
        TrainConfig(
            epochs=1, sparsifier=UniformSparsifier(keep=0.3)
        ): "FastGAT keep=0.3, UniformSparsifier",
        TrainConfig(
            epochs=1, sparsifier=KNeighborSparsifier(2)
        ): "FastGAT neighbors=2, KNeighborSparsifier",
        TrainConfig(
            epochs=1, sparsifier=sparsifier, adaptive=AdaptiveDensity()
        ): "FastGAT, adaptive",
    }.items():
        assert fit(model_for(blocks), blocks, config).label == label


@pytest.mark.parametrize(
    ("options", "network", "label"),
    [
        ({}, {}, "FastGAT, full graph"),
        ({}, {"attention": "gatv2"}, "FastGAT, gatv2, full graph"),
        ({"sparsifier": fg.EffectiveResistanceSparsifier(keep=0.3)}, {}, "FastGAT keep=0.3"),
        (
            {"sparsifier": fg.UniformSparsifier(keep=0.3, per_node=True), "evaluate_on": "full"},
            {},
            "FastGAT keep=0.3, per node, UniformSparsifier, judged on full",
        ),
        (
            {"sparsifier": fg.EffectiveResistanceSparsifier(keep=0.3, sampling="replacement")},
            {"resample": "layer"},
            "FastGAT keep=0.3, drawn per layer, replacement",
        ),
        (
            {"sparsifier": fg.GuidedSparsifier(keep=0.3, warm_up=1), "evaluate_on": "better"},
            {},
            "FastGAT keep=0.3, GuidedSparsifier, judged on better",
        ),
    ],
)
def test_labels_tell_methods_apart(
    options: dict[str, Any],
    network: dict[str, Any],
    label: str,
    blocks: NodeTask,
    model_for: Callable,
) -> None:
    record = fg.fit(model_for(blocks, **network), blocks, TrainConfig(epochs=2, **options))
    assert record.label == label
