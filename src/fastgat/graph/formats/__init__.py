"""One file per format; each has `read` and `write`, and is imported when first used."""

from __future__ import annotations

from pathlib import Path

from fastgat.check import InputError, check_choice

FORMATS = ("npz", "matrix_market", "edge_list", "parquet")
SUFFIXES = {
    ".npz": "npz",
    ".parquet": "parquet",
    **{suffix + gz: "matrix_market" for suffix in (".mtx",) for gz in ("", ".gz")},
    **{
        suffix + gz: "edge_list"
        for suffix in (".csv", ".tsv", ".txt", ".edges", ".el")
        for gz in ("", ".gz")
    },
}


def format_of(path: Path, format: str | None = None) -> str:
    """The format's name: the given one, or what the file's suffix says."""
    if format is not None:
        return check_choice("format", format, FORMATS)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower() + suffix
    if suffix not in SUFFIXES:
        known = ", ".join(name for name in SUFFIXES if not name.endswith(".gz"))
        has = f"suffix {suffix!r}" if suffix else "no suffix"
        raise InputError(f"{path} has {has}, but graphs are kept in {known} (text also .gz)")
    return SUFFIXES[suffix]
