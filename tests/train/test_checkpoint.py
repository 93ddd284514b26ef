"""Checkpoints: whole or refused, never more than two; and the state of training in them."""

import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save

from fastgat import InputError, UniformSparsifier
from fastgat.data import NodeTask
from fastgat.train import AdaptiveDensity, TrainConfig
from fastgat.train.checkpoint import (
    Checkpoint,
    DamagedError,
    load_tensors,
    newest_checkpoint,
    remove_checkpoints,
    save_checkpoint,
    save_tensors,
)
from fastgat.train.trainer import Trainer

TENSORS = {
    "weight": torch.arange(6.0).reshape(2, 3),
    "counter": torch.tensor(17),
    "random": torch.arange(5, dtype=torch.uint8),
    "nothing": torch.zeros(0, 3),
    "half": torch.ones(3, dtype=torch.bfloat16),
}
FACTS = {"history": [{"epoch": 1, "loss": 0.1 + 0.2}], "name": "naïve", "none": None}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and torch.equal(one[name], other[name]) for name in one
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    save_tensors(tmp_path / "state.safetensors", Checkpoint(TENSORS, FACTS))
    return tmp_path / "state.safetensors"


def test_round_trip(file: Path) -> None:
    loaded = load_tensors(file)
    assert same(loaded.tensors, TENSORS)
    assert loaded.facts == FACTS
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_tensors_that_share_memory_or_are_transposed(tmp_path: Path) -> None:
    """Tied parameters share memory, as those of a GATv2Conv with share_weights do."""
    base = torch.arange(6.0).reshape(2, 3)
    tied = {"one": base, "other": base, "turned": base.t(), "part": base[:, 1]}
    save_tensors(tmp_path / "tied.safetensors", Checkpoint(tied, {}))
    assert same(load_tensors(tmp_path / "tied.safetensors").tensors, tied)


def test_gradients_and_history_are_left_behind(tmp_path: Path) -> None:
    weight = torch.ones(3, requires_grad=True)
    save_tensors(tmp_path / "w.safetensors", Checkpoint({"w": weight * 2}, {}))
    assert not load_tensors(tmp_path / "w.safetensors").tensors["w"].requires_grad


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.999])
def test_a_file_cut_short(file: Path, share: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    with pytest.raises(DamagedError, match=r"state.safetensors is damaged \("):
        load_tensors(file)


@pytest.mark.parametrize(
    "content", [b"garbage", b"\0" * 100, pickle.dumps([1]), b"{}" * 50], ids=len
)
def test_other_files(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(DamagedError, match=r"state.safetensors is damaged \("):
        load_tensors(file)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_one_bit_flipped_is_refused_or_changes_nothing(file: Path, data: st.DataObject) -> None:
    good = file.read_bytes()
    where = data.draw(st.integers(0, 8 * len(good) - 1))
    bad = bytearray(good)
    bad[where // 8] ^= 1 << (where % 8)
    other = file.with_name("flipped.safetensors")
    other.write_bytes(bad)
    try:
        loaded = load_tensors(other)
    except InputError as refusal:
        assert "flipped.safetensors" in str(refusal)
        assert "\n" not in str(refusal)
    else:
        assert same(loaded.tensors, TENSORS)
        assert loaded.facts == FACTS


def test_another_format_is_refused(file: Path) -> None:
    file.write_bytes(save({"w": torch.ones(1)}, metadata={"fastgat_format": "7"}))
    with pytest.raises(InputError) as caught:
        load_tensors(file)
    assert not isinstance(caught.value, DamagedError)
    assert str(caught.value) == (
        f"{file} has format '7', but this version of fastgat reads 1; train again in another folder"
    )


@pytest.mark.parametrize(
    "header",
    [None, {"fastgat_format": "1"}, {"fastgat_format": "1", "facts": "{"}],
    ids=["none", "format", "facts"],
)
def test_tensors_of_others(file: Path, header: dict[str, str] | None) -> None:
    file.write_bytes(save({"w": torch.ones(1)}, metadata=header))
    with pytest.raises(DamagedError, match="is damaged"):
        load_tensors(file)


def test_only_two_are_kept_and_the_newest_is_used(tmp_path: Path) -> None:
    for epoch in (5, 10, 99, 100, 12_345_678):
        save_checkpoint(tmp_path, epoch, Checkpoint(TENSORS, {"epoch": epoch}))
        assert len(list(tmp_path.iterdir())) <= 2
    found, trouble = newest_checkpoint(tmp_path)
    assert found is not None and found.facts == {"epoch": 12_345_678}
    assert trouble == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint-00000100.safetensors",
        "checkpoint-12345678.safetensors",
    ]


def test_back_to_the_one_before(tmp_path: Path) -> None:
    for epoch in (5, 10):
        save_checkpoint(tmp_path, epoch, Checkpoint(TENSORS, {"epoch": epoch}))
    newest = tmp_path / "checkpoint-00000010.safetensors"
    newest.write_bytes(newest.read_bytes()[:-7])
    found, trouble = newest_checkpoint(tmp_path)
    assert found is not None and found.facts == {"epoch": 5}
    assert len(trouble) == 1
    assert trouble[0].startswith(f"{newest} is damaged (")
    assert trouble[0].endswith("); going back to the one before, if there is one")
    (tmp_path / "checkpoint-00000005.safetensors").write_bytes(b"")
    found, trouble = newest_checkpoint(tmp_path)
    assert found is None
    assert len(trouble) == 2


def test_none_at_all(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path) == (None, [])
    assert newest_checkpoint(tmp_path / "nowhere") == (None, [])
    remove_checkpoints(tmp_path)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    save_checkpoint(tmp_path, 3, Checkpoint(TENSORS, {}))
    remove_checkpoints(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_facts_are_readable_without_fastgat(file: Path) -> None:
    """A safetensors header is JSON: its length in 8 bytes, then the text."""
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])["__metadata__"]
    assert json.loads(header["facts"]) == FACTS


CONFIG = TrainConfig(epochs=6, sparsifier=UniformSparsifier(), adaptive=AdaptiveDensity(every=2))


@pytest.fixture
def trained(blocks: NodeTask, model_for: Callable) -> Trainer:
    trainer = Trainer(model_for(blocks), blocks, CONFIG)
    with torch.random.fork_rng(devices=[]):
        trainer.prepare()
        trainer.train(None)
    return trainer


def test_everything_that_decides_how_it_goes_on(
    trained: Trainer, blocks: NodeTask, model_for: Callable, tmp_path: Path
) -> None:
    file = tmp_path / "state.safetensors"
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(77)
        save_tensors(file, trained.state.to_checkpoint())
        expected = torch.rand(3)
    other = Trainer(model_for(blocks), blocks, CONFIG)
    with torch.random.fork_rng(devices=[]):
        other.prepare(load_tensors(file))
        assert torch.equal(torch.rand(3), expected)
    one, two = trained.state, other.state
    assert two.epoch == 6
    assert (two.history, two.stopping) == (one.history, one.stopping)
    assert one.schedule is not None and two.schedule is not None
    assert two.schedule.to_json() == one.schedule.to_json()
    assert two.watch.seconds == pytest.approx(one.watch.seconds, abs=0.5)
    for name, value in one.to_checkpoint().tensors.items():
        if name != "random":
            assert torch.equal(two.to_checkpoint().tensors[name], value), name
    assert other.loader.num_edges == trained.loader.num_edges


def test_the_best_weights_are_not_those_that_are_trained_on(trained: Trainer) -> None:
    state = trained.state
    state.keep_best()
    kept = {name: tensor.clone() for name, tensor in state.best.items()}
    with torch.no_grad():
        for parameter in trained.model.parameters():
            parameter.add_(1)
    assert all(torch.equal(state.best[name], kept[name]) for name in kept)


@pytest.mark.parametrize("missing", ["random", "history", "stopping", "seconds"])
def test_a_state_that_is_not_whole(missing: str, trained: Trainer) -> None:
    checkpoint = trained.state.to_checkpoint()
    checkpoint = Checkpoint(
        {name: value for name, value in checkpoint.tensors.items() if name != missing},
        {name: value for name, value in checkpoint.facts.items() if name != missing},
    )
    with pytest.raises(InputError, match=f"the checkpoint is of another model: '{missing}'"):
        trained.state.restore(checkpoint)


def test_a_checkpoint_is_of_its_moment(trained: Trainer) -> None:
    facts = trained.state.to_checkpoint().facts
    before = dict(facts["seconds"])
    trained.watch.seconds["forward"] += 1
    trained.state.history.append(dataclasses.replace(trained.state.history[-1], epoch=7))
    assert facts["seconds"] == before
    assert len(facts["history"]) == 6
