"""Files of datasets: where they lie, and how those that are not here yet are fetched.

They lie in the folder `FASTGAT_DATA` names, or in the user's cache. A file that is fetched, from
where PyG fetches it, appears under its own name only when it is whole. `FASTGAT_OFFLINE=1` forbids
all fetching.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from fastgat.check import InputError
from fastgat.data.archive import open_zip
from fastgat.files import cache_folder, reason, write_atomically

_TIMEOUT = 20  # seconds without a byte
_MAX_BYTES = 2**32  # fetched, and unpacked: Reddit has 3 GB


def data_folder() -> Path:
    """The folder datasets are looked for in first; it need not exist."""
    if named := os.environ.get("FASTGAT_DATA"):
        return Path(named).expanduser()
    return cache_folder()


def look_up(relative: str) -> Path | None:
    """The dataset file at `relative` below the data folder or the cache, if it is there."""
    for folder in (data_folder(), cache_folder()):
        path = folder / relative
        if path.is_file():
            return path
    return None


def first_missing(relatives: Sequence[str]) -> tuple[Path | None, str]:
    """The folder that holds all these files, or None and the first that keeps it from that."""
    folders = (data_folder(), cache_folder())
    for folder in folders:
        if all((folder / relative).is_file() for relative in relatives):
            return folder, ""
    nowhere = [relative for relative in relatives if look_up(relative) is None]
    apart = [relative for relative in relatives if not (folders[0] / relative).is_file()]
    return None, (nowhere or apart)[0]


def missing(relative: str, why: str = "") -> InputError:
    """The refusal where a file is not there; `why` it could not be fetched either."""
    path = data_folder() / relative
    return InputError(
        f"{path.name} is not in {path.parent}{why}; "
        f"set FASTGAT_DATA to the folder that holds {relative}"
    )


def obtain(
    relatives: Sequence[str], url: str | None = None, *, download: bool = True
) -> list[Path]:
    """The files at these places, all in one folder, since readers look beside the first.

    Where no folder holds them all, those that are not in the first one are fetched.

    Args:
        relatives: where they are below the data folder.
        url: of the folder that holds them, or of a zip that does; None: they cannot be fetched.
        download: whether they may be.
    """
    base, absent = first_missing(relatives)
    if base is not None:
        return [base / relative for relative in relatives]
    if url is None or not download or os.environ.get("FASTGAT_OFFLINE"):
        raise missing(absent)
    target = _writable(absent.rpartition("/")[0])
    paths = [target / Path(relative).name for relative in relatives]
    try:
        _fetch(url, [path.name for path in paths if not path.is_file()], target)
    except _FetchError as error:
        raise missing(absent, f", and cannot be fetched from {url}: {error}") from None
    return paths


class _FetchError(Exception):
    """Why a file could not be fetched."""


def _writable(folder: str) -> Path:
    """The folder below `FASTGAT_DATA` if it can be written, else below the cache."""
    tried = None
    for base in (data_folder(), cache_folder()):
        path = base / folder
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            tried = error
            continue
        if os.access(path, os.W_OK):
            return path
    why = reason(tried) if tried else "permission denied"
    raise InputError(f"cannot write {cache_folder() / folder}: {why}; set FASTGAT_DATA")


def _fetch(url: str, names: list[str], folder: Path) -> None:
    if not url.endswith(".zip"):
        for name in names:
            with write_atomically(folder / name) as temporary:
                _copy(url + name, temporary)
                _check_whole(temporary, name)
        return
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch") as private:
        file = Path(private) / "all.zip"
        _copy(url, file)
        try:
            _unpack(file, names, folder)
        except InputError as error:
            raise _FetchError(str(error)) from None


def _unpack(file: Path, names: list[str], folder: Path) -> None:
    """Take the named files out of a zip, whatever folders it keeps them in."""
    with open_zip(file, _MAX_BYTES) as archive:
        member_of = {member.rpartition("/")[2]: member for member in archive.namelist()}
        for name in names:
            if name not in member_of:
                raise InputError(f"it holds no {name}")
            with (
                write_atomically(folder / name) as temporary,
                archive.open(member_of[name]) as source,
                temporary.open("wb") as target,
            ):
                shutil.copyfileobj(source, target, 1 << 20)  # checks the member's CRC


def _copy(url: str, path: Path) -> None:
    """Copy what a URL gives, all of it."""
    import http.client
    import urllib.error
    import urllib.request

    request = urllib.request.Request(url, headers={"User-Agent": "fastgat"})
    try:
        with (
            urllib.request.urlopen(request, timeout=_TIMEOUT) as source,
            path.open("wb") as target,
        ):
            stated, size = source.headers.get("Content-Length"), 0
            while block := source.read(1 << 20):
                size += len(block)
                if size > _MAX_BYTES:
                    raise _FetchError(f"it has more than {_MAX_BYTES} bytes")
                target.write(block)
    except urllib.error.HTTPError as error:
        raise _FetchError(f"the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        cause = error.reason
        raise _FetchError(reason(cause) if isinstance(cause, OSError) else str(cause)) from None
    except (TimeoutError, ConnectionError, http.client.HTTPException) as error:
        raise _FetchError(str(error) or type(error).__name__) from None
    if stated is not None and size != int(stated):
        raise _FetchError(f"{size} of {stated} bytes came")


def _check_whole(path: Path, name: str) -> None:
    """Refuse an error page or a cut file under a dataset's name."""
    with path.open("rb") as file:
        begin = file.read(64)
    if name.endswith((".npz", ".zip")):
        try:
            with zipfile.ZipFile(path) as archive:
                whole = archive.testzip() is None
        except Exception:  # a damaged archive raises almost anything
            whole = False
    elif name.endswith(".index"):
        whole = bool(begin) and not begin.strip(b"0123456789\r\n ")
    elif name.startswith("ind.") or name.endswith((".pkl", ".pickle")):  # Planetoid's are pickles
        whole = begin[:1] == b"\x80"  # their first byte; reading it says more
    else:
        whole = begin.strip() != b"" and not begin.lstrip().startswith(b"<")
    if not whole:
        raise _FetchError("what came is not the file it should be")
