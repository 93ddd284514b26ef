import errno
import os
import stat
from pathlib import Path

import pytest

from fastgat.check import InputError
from fastgat.files import (
    create_plain,
    existing_file,
    hold_folder,
    open_plain,
    remove_unfinished,
    write_atomically,
)


def listed(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv.gz"
    with write_atomically(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.endswith(".csv.gz")
        temporary.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert listed(tmp_path) == ["out.csv.gz"]


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt, SystemExit])
def test_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, interruption: type) -> None:
    path = tmp_path / "out.npz"
    path.write_text("old")
    with pytest.raises(interruption), write_atomically(path) as temporary:
        temporary.write_text("half")
        raise interruption
    assert path.read_text() == "old"
    assert listed(tmp_path) == ["out.npz"]


def test_writer_may_replace_the_temporary_file_itself(tmp_path: Path) -> None:
    with write_atomically(tmp_path / "out") as temporary:
        temporary.unlink()
        temporary.write_text("other")
    assert (tmp_path / "out").read_text() == "other"


def test_mode_follows_umask_or_the_file_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out"
    mask = os.umask(0o027)
    try:
        with write_atomically(path) as temporary:
            temporary.write_text("1")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    with write_atomically(path) as temporary:
        temporary.write_text("2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with write_atomically(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_disk_full(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught, write_atomically(tmp_path / "out") as temporary:
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(caught.value) == f"cannot write {tmp_path}/out: no space left on device"
    assert listed(tmp_path) == []


def test_unwritable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:  # a chmod would not stop root
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError) as caught, write_atomically(tmp_path / "out"):
        pass
    assert str(caught.value) == f"cannot write {tmp_path}/out: permission denied"


def test_no_such_folder(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "out"
    with pytest.raises(InputError) as caught, write_atomically(path):
        pass
    assert str(caught.value) == f"cannot write {path}: folder {path.parent} does not exist"


@pytest.mark.parametrize(
    ("kind", "problem"),
    [("folder", "it is a folder"), ("pipe", "it is not a regular file")],
)
def test_only_regular_files_are_replaced(tmp_path: Path, kind: str, problem: str) -> None:
    path = tmp_path / kind
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    with pytest.raises(InputError) as caught, write_atomically(path):
        pass
    assert str(caught.value) == f"cannot write {path}: {problem}"
    assert listed(tmp_path) == [kind]


def test_what_a_killed_process_leaves_can_be_removed(tmp_path: Path) -> None:
    with write_atomically(tmp_path / "out.csv.gz") as temporary:
        temporary.with_name(f".{'0a' * 8}{''.join(temporary.suffixes)}").write_text("half")
        temporary.with_name(f".{'b1' * 8}").write_text("half")
    for name in (".hidden", ".0123456789abcde.csv", "0123456789abcdef.csv"):
        (tmp_path / name).write_text("mine")
    remove_unfinished(tmp_path)
    kept = {".hidden", ".0123456789abcde.csv", "0123456789abcdef.csv", "out.csv.gz"}
    assert set(listed(tmp_path)) == kept
    remove_unfinished(tmp_path / "nowhere")


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "for this"
    with hold_folder(folder, "busy"):
        with pytest.raises(InputError, match=r"^busy$"), hold_folder(folder, "busy"):
            pass
        assert folder.is_dir()
    with hold_folder(folder, "busy"):
        pass


def test_existing_file(tmp_path: Path) -> None:
    good, empty, pipe = tmp_path / "good", tmp_path / "empty", tmp_path / "pipe"
    good.write_text("x")
    empty.touch()
    os.mkfifo(pipe)
    assert existing_file(str(good)) == good
    for path, message in {
        tmp_path / "none": f"{tmp_path}/none does not exist",
        good / "below": f"{good}/below does not exist",
        tmp_path: f"{tmp_path} is a folder, but a file is needed",
        pipe: f"{pipe} is not a regular file; save it to disk first",
        empty: f"{empty} is empty",
    }.items():
        with pytest.raises(InputError) as caught:
            existing_file(path)
        assert str(caught.value) == message


def test_gzip_is_told_by_suffix_when_written_and_by_content_when_read(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz", "a.txt"):
        with create_plain(tmp_path / name) as file:
            file.write(b"text")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes() != b"text"
    assert (tmp_path / "a.txt").read_bytes() == b"text"
    (tmp_path / "a.gz").rename(tmp_path / "plainly.txt")
    for name in ("plainly.txt", "a.txt"):
        with open_plain(tmp_path / name) as (plain, _):
            assert plain.read() == b"text"
