import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastgat.check import InputError
from fastgat.report import read_records, write_report
from fastgat.train import RunRecord

Make = Callable[..., RunRecord]


def refusal(paths: list[Path], out: Path) -> str:
    with pytest.raises(InputError) as refused:
        write_report(paths, out)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_folder_without_records(tmp_path: Path) -> None:
    told = refusal([tmp_path], tmp_path / "page.html")
    assert told.startswith(f"folder {tmp_path} has no record.json")
    assert "give the folder" in told


def test_no_paths_and_a_path_in_place_of_a_list(tmp_path: Path) -> None:
    assert "at least one" in refusal([], tmp_path / "page.html")
    with pytest.raises(InputError, match="brackets"):
        write_report(str(tmp_path), tmp_path / "page.html")  # type: ignore[arg-type]


def test_a_missing_file(tmp_path: Path) -> None:
    assert "does not exist" in refusal([tmp_path / "nowhere"], tmp_path / "page.html")


@pytest.mark.parametrize(("text", "told"), [
    ("{", "is not JSON"), ("[]", "is not an object"), ('{"format": 99}', "has format 99"),
    ('{"format": 1, "history": []}', "is not the record of a run"), ("", "is empty"),
])  # fmt: skip
def test_a_damaged_file(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "record.json"
    file.write_text(text)
    assert re.match(f"{re.escape(str(file))} {told}", refusal([file], tmp_path / "page.html"))


@pytest.mark.parametrize(("name", "value", "told"), [
    ("label", 7, "label must be text"),
    ("task", {}, "task must have a name"),
    ("task", [], "task must be an object"),
    ("edges", {"before": 5}, "edges.trained_on must be a number"),
    ("seconds", {"forward": None}, "seconds.forward must be a number"),
    ("scores", {"test": "good"}, "scores.test must be a number"),
    ("warnings", None, "warnings must be a list"),
    ("peak_bytes", 10**400, "peak_bytes must be a number"),
    ("peak_bytes", "much", "peak_bytes must be a number"),
    ("command", 5, "command must be text"),
    ("pictures", {"degrees": {"bins": [1]}}, "degrees of the run"),
    ("pictures", {"resistances": {"bins": [0, 1], "before": [1, 2], "after": [1]}}, "resistances"),
    ("pictures", {"certificate": {"lower": "low"}}, "certificate of the run"),
    ("pictures", {"neighbourhood": {"nodes": [3]}}, "neighbourhood of the run"),
    ("decisions", [{}], "decisions of the run"),
])  # fmt: skip
def test_a_record_changed_by_hand(
    tmp_path: Path, record: Make, name: str, value: Any, told: str
) -> None:
    record().write(tmp_path / "record.json")
    facts = json.loads((tmp_path / "record.json").read_text())
    (tmp_path / "record.json").write_text(json.dumps({**facts, name: value}))
    said = refusal([tmp_path], tmp_path / "page.html")
    assert told in said
    assert said.endswith("train again")
    assert not (tmp_path / "page.html").exists()


def test_a_history_that_is_no_history(tmp_path: Path, record: Make) -> None:
    record(epochs=2).write(tmp_path / "record.json")
    facts = json.loads((tmp_path / "record.json").read_text())
    facts["history"][1]["seconds"] = None
    (tmp_path / "record.json").write_text(json.dumps(facts))
    assert "history must be numbers" in refusal([tmp_path], tmp_path / "page.html")


def test_a_folder_as_the_page(tmp_path: Path, record: Make) -> None:
    record().write(tmp_path / "record.json")
    assert "is a folder; name the page in it" in refusal([tmp_path], tmp_path)


@pytest.mark.parametrize("module", ["jinja2", "matplotlib"])
def test_a_missing_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    told = refusal([tmp_path], tmp_path / "page.html")
    assert told == f"a report needs {module}: install it with pip install 'fastgat-er[report]'"


def test_a_run_named_twice_or_copied_counts_once(tmp_path: Path, record: Make) -> None:
    for name in ("run", "copy"):
        (tmp_path / name).mkdir()
        record().write(tmp_path / name / "record.json")
    assert len(read_records([tmp_path, tmp_path / "run", tmp_path / "run" / "record.json"])) == 1
