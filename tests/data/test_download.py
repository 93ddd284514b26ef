"""Absent files are fetched whole or not at all; no test goes to the network."""

import dataclasses
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from fastgat.check import InputError
from fastgat.data import (
    CATALOGUE,
    StoredDataset,
    amazon_coauthor,
    download,
    load_graph,
    missing_file,
)

PHOTO = "Amazon/Photo/raw/amazon_electronics_photo.npz"
MATRIX = {
    "adj_data": np.ones(1),
    "adj_indices": np.array([1]),
    "adj_indptr": np.array([0, 1, 1]),
    "adj_shape": np.array([2, 2]),
}


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files stand for the network's; FASTGAT_DATA is `data` beside it."""
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FASTGAT_OFFLINE")
    folder = tmp_path / "served"
    folder.mkdir()
    for key, entry in list(CATALOGUE.items()):
        if isinstance(entry, StoredDataset) and entry.url is not None:
            name = entry.url.rpartition("/")[2] if entry.url.endswith(".zip") else ""
            fetched = dataclasses.replace(entry, url=f"{folder.as_uri()}/{name}")
            monkeypatch.setitem(CATALOGUE, key, fetched)
    return folder


def left_behind(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def test_real_file_is_fetched_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = download.look_up(PHOTO)
    if here is None:
        pytest.skip(f"{PHOTO} is not here")
    monkeypatch.setenv("FASTGAT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FASTGAT_OFFLINE")
    photo = dataclasses.replace(amazon_coauthor.PHOTO, url=f"{here.parent.as_uri()}/")
    monkeypatch.setitem(CATALOGUE, "photo", photo)
    assert load_graph("photo").num_edges == 119081
    assert left_behind(tmp_path) == ["amazon_electronics_photo.npz"]
    monkeypatch.setenv("FASTGAT_OFFLINE", "1")
    assert load_graph("photo").num_nodes == 7650


def test_fetched_file_is_checked_by_reading(served: Path, tmp_path: Path) -> None:
    np.savez(served / "amazon_electronics_photo.npz", **MATRIX)
    with pytest.raises(InputError, match="has 2 nodes and 1 edges, but Amazon Photo has 7650"):
        load_graph("photo")
    assert left_behind(tmp_path / "data") == ["amazon_electronics_photo.npz"]


def test_offline_sentence(served: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        load_graph("photo")
    said = str(refusal.value)
    assert said.startswith(f"amazon_electronics_photo.npz is not in {tmp_path}/data/Amazon/Photo")
    assert "cannot be fetched from file://" in said
    assert said.endswith(f"; set FASTGAT_DATA to the folder that holds {PHOTO}")
    assert "\n" not in said
    assert left_behind(tmp_path / "data") == []


def test_nothing_is_fetched_where_that_is_forbidden(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(served / "amazon_electronics_photo.npz", **MATRIX)
    with pytest.raises(InputError, match="is not in"):
        download.obtain([PHOTO], f"{served.as_uri()}/", download=False)
    monkeypatch.setenv("FASTGAT_OFFLINE", "1")
    with pytest.raises(InputError, match="is not in"):
        download.obtain([PHOTO], f"{served.as_uri()}/")
    with pytest.raises(InputError, match=r"web_google.npz is not in"):
        load_graph("web-google")
    assert missing_file("photo") == PHOTO


@pytest.mark.parametrize("content", [b"", b"<html>no such page</html>", b"PK\x03\x04 cut short"])
def test_what_is_not_the_file_never_gets_its_name(
    content: bytes, served: Path, tmp_path: Path
) -> None:
    for name in ("amazon_electronics_photo.npz", "ind.cora.graph"):
        (served / name).write_bytes(content)
    for name in ("photo", "cora"):
        with pytest.raises(InputError, match="what came is not the file it should be"):
            load_graph(name)
    assert left_behind(tmp_path / "data") == []


def test_any_kind_of_file_is_fetched(served: Path, tmp_path: Path) -> None:
    for name, content in {
        "edges.csv": b"0,1\n",
        "x.npy": b"\x93NUMPY",
        "a.graph": b"2 1\n",
    }.items():
        (served / name).write_bytes(content)
        (path,) = download.obtain([f"own/{name}"], f"{served.as_uri()}/")
        assert path.read_bytes() == content
        for wrong in (b"", b"\n", b"<!DOCTYPE html>", b"\n <html>"):
            (served / f"other-{name}").write_bytes(wrong)
            with pytest.raises(InputError, match="what came is not the file it should be"):
                download.obtain([f"own/other-{name}"], f"{served.as_uri()}/")


def test_zip_is_unpacked_into_its_folder(served: Path, tmp_path: Path) -> None:
    wanted = ["Reddit/raw/reddit_graph.npz", "Reddit/raw/reddit_data.npz"]
    with zipfile.ZipFile(served / "reddit.zip", "w") as archive:
        archive.writestr("reddit/reddit_graph.npz", "graph")
        archive.writestr("../../reddit_data.npz", "data")
        archive.writestr("../evil", "never written")
    paths = download.obtain(wanted, f"{served.as_uri()}/reddit.zip")
    assert [path.read_text() for path in paths] == ["graph", "data"]
    found = sorted(left_behind(tmp_path))
    assert found == ["reddit.zip", "reddit_data.npz", "reddit_graph.npz"]


def test_zip_without_the_file_is_refused(served: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(served / "ppi.zip", "w") as archive:
        archive.writestr("readme", "")
    with pytest.raises(InputError, match=r"it holds no train_graph.json; set FASTGAT_DATA"):
        load_graph("ppi")
    (served / "ppi.zip").write_bytes(b"cut")
    with pytest.raises(InputError, match="cut short or not a zip file"):
        load_graph("ppi")
    assert left_behind(tmp_path / "data") == []


def test_cache_is_used_where_the_data_folder_is_read_only(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").write_text("a file, so no folder can be made below it")
    np.savez(served / "amazon_electronics_photo.npz", **MATRIX)
    (path,) = download.obtain([PHOTO], f"{served.as_uri()}/")
    assert path == tmp_path / "cache" / "fastgat" / PHOTO
    assert download.look_up(PHOTO) == path


def test_files_of_one_dataset_end_up_in_one_folder(served: Path, tmp_path: Path) -> None:
    names = ["Planetoid/Cora/raw/ind.cora.graph", "Planetoid/Cora/raw/ind.cora.test.index"]
    old = tmp_path / "cache" / "fastgat" / names[0]
    old.parent.mkdir(parents=True)
    old.write_bytes(b"\x80\x02}.")
    shutil.copy(old, served / "ind.cora.graph")
    (served / "ind.cora.test.index").write_text("1\n2\n")
    first, second = download.obtain(names, f"{served.as_uri()}/")
    assert first.parent == second.parent
