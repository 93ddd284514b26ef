"""Resistances kept on disk: found again by the graph's content and every option.

A file is the SHA-256 of what follows, a line of JSON, and the numbers. A file that is damaged,
short or not ours counts as absent; the least recently used go when the folder grows too big.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgat.check import InputError
from fastgat.files import cache_folder, existing_file, reason, write_atomically
from fastgat.graph import Graph

ALGORITHM_VERSION = 1  # another number whenever the same options give other resistances
MAX_BYTES = 2_000_000_000
SUFFIX = ".resistances"
LONGEST_HEADER = 1 << 16

Stored = tuple[NDArray[np.float64], dict[str, Any]]


class ResistanceCache:
    """A private folder of resistances."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Make the folder, unless it is there."""
        self.folder = folder
        self.max_bytes = max_bytes
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot use cache={str(folder)!r}: {reason(error)}") from None
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise InputError(f"cannot use cache={str(folder)!r}: the folder is not writable")

    def load(self, key: str, size: int) -> Stored | None:
        """The `size` numbers and their metadata stored under `key`, or None."""
        path = self._path(key)
        try:
            stored = _read(existing_file(path), size)
            os.utime(path)
        except (InputError, OSError):
            return None
        if stored is None:
            with contextlib.suppress(OSError):
                path.unlink()
        return stored

    def save(self, key: str, values: NDArray[np.float64], metadata: Mapping[str, Any]) -> None:
        """Store; where that fails there is a warning, since what was computed is still good.

        Args:
            key: from `content_key`.
            values: one per edge.
            metadata: plain values, which JSON takes.
        """
        header = json.dumps(dict(metadata)).encode() + b"\n"
        payload = np.ascontiguousarray(values, "<f8").data.cast("B") if values.size else b""
        if len(header) + len(payload) > self.max_bytes:
            return
        digest = hashlib.sha256(header)
        digest.update(payload)
        try:
            with write_atomically(self._path(key)) as temporary:
                temporary.chmod(0o600)
                with temporary.open("wb") as file:
                    file.write(digest.hexdigest().encode() + b"\n" + header)
                    file.write(payload)
            self._make_room(key)
        except (InputError, OSError) as error:
            warnings.warn(f"resistances were not cached: {error}", RuntimeWarning, stacklevel=4)

    def _make_room(self, newest: str) -> None:
        """Remove the least recently used files until the rest is small enough."""
        files = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(OSError):  # another process may have removed it
                status = path.stat()
                files.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.max_bytes:
                break
            if path != self._path(newest):
                path.unlink(missing_ok=True)
                total -= size

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"


Cache = ResistanceCache | bool | str | os.PathLike[str] | None


def open_cache(cache: Cache) -> ResistanceCache | None:
    """The cache that `cache` asks for: True is the user's own, a path is a folder, None is none.

    A folder that was named must be usable; without the user's own one things work too, so that
    there is one warning only.
    """
    if cache is None or cache is False:
        return None
    if isinstance(cache, ResistanceCache):
        return cache
    if cache is not True:
        if not isinstance(cache, str | os.PathLike):
            raise InputError(f"cache={cache!r} must be True, None or a folder")
        return ResistanceCache(Path(cache).expanduser())
    try:
        return ResistanceCache(user_folder())
    except (InputError, RuntimeError) as error:  # RuntimeError: there is no home
        _warn_once(f"resistances are not cached: {error}")
        return None


def user_folder() -> Path:
    """The folder of `cache=True`."""
    return cache_folder() / "resistances"


def content_key(graph: Graph, options: Mapping[str, Any]) -> str:
    """SHA-256 of everything the resistances depend on."""
    parts = {
        "version": ALGORITHM_VERSION,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "is_weighted": graph.is_weighted,
        "options": dict(options),
    }
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    arrays = [graph.source.astype("<i4", copy=False), graph.target.astype("<i4", copy=False)]
    if graph.stored_weight is not None:
        arrays.append(graph.stored_weight.astype("<f8", copy=False))
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _read(path: Path, size: int) -> Stored | None:
    """Numbers and metadata, or None if the file is not what was written."""
    with path.open("rb") as file:
        checksum = file.read(65)
        header = file.readline(LONGEST_HEADER)
        left = path.stat().st_size - file.tell()
        if left != 8 * size or len(checksum) != 65 or not header.endswith(b"\n"):
            return None
        values = np.empty(size, "<f8")
        if size and file.readinto(values.data.cast("B")) != left:
            return None
    digest = hashlib.sha256(header)
    digest.update(values.data)
    if checksum != digest.hexdigest().encode() + b"\n":
        return None
    return values.astype(np.float64, copy=False), json.loads(header)


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=5)
