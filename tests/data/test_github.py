"""GitHub's zip: rows are matched by node, not by order; gaps are noticed."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from fastgat.check import InputError
from fastgat.data import github

TARGET = "id,name,ml_target\n1,b,1\n0,a#é,0\n2,c,1\n"
WORDS = '{"2": [4004], "0": [1, 1, 3], "1": []}'


def write(path: Path, target: str = TARGET, words: str = WORDS) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("git_web_ml/musae_git_edges.csv", "id_1,id_2\n0,2\n2,1\n")
        file.writestr("git_web_ml/musae_git_target.csv", target)
        file.writestr("git_web_ml/musae_git_features.json", words)
    return path


def test_task(tmp_path: Path) -> None:
    task = github.read_task(write(tmp_path / "g.zip"))
    features: Any = task.features
    assert task.labels.tolist() == [0, 1, 1]
    assert features.shape == (3, 4005)
    assert features.nonzero()[1].tolist() == [1, 3, 4004]
    assert set(features.data) == {1.0}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target": "id,name,ml_target\n0,a,0\n0,b,0\n2,c,1\n"}, "does not list every node once"),
        ({"target": "id,name,ml_target\n0,a,x\n"}, "musae_git_target.csv is damaged"),
        ({"words": '{"0": []}'}, "does not list every node"),
        ({"words": '{"0": ['}, "musae_git_features.json is damaged"),
        ({"words": '{"0": [], "1": [], "2": [4005]}'}, "do not make a matrix"),
    ],
)
def test_damaged(changed: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        github.read_task(write(tmp_path / "g.zip", **changed))
