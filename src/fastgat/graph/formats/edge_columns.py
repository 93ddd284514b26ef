"""Which columns of a table are source, target and weight: by name, by number, or the only ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastgat.check import InputError
from fastgat.text_table import Fields, TableFormat, is_index_name, is_number, normalise_name

# Names of the two ends, as `normalise_name` gives them.
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("i", "j"),
    ("head", "tail"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("sourceid", "targetid"),
    ("fromnode", "tonode"),
    ("fromnodeid", "tonodeid"),
    ("sourcenode", "targetnode"),
)
WEIGHTS = ("weight", "edgeweight", "weights", "w")
TIMES = 1e8  # seconds since 1970 are larger, weights hardly ever


@dataclass(frozen=True)
class ColumnChoice:
    """What the caller says of a table's columns; None: find out."""

    source: str | int | None = None
    target: str | int | None = None
    weight: str | int | None = None
    header: bool | None = None

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return self != ColumnChoice()


@dataclass(frozen=True)
class EdgeColumns:
    """The places of an edge list's columns."""

    source: int
    target: int
    weight: int | None

    @property
    def places(self) -> list[int]:
        """Source, target and, where there is one, weight."""
        return [self.source, self.target, *([] if self.weight is None else [self.weight])]

    def describe(self, table: TableFormat) -> str:
        """What is read and what is not.

        >>> table = TableFormat(",", 4, ("", "source", "target", "time"))
        >>> EdgeColumns(1, 2, None).describe(table)
        "columns 'source' and 'target', without weights; left out: '', 'time'"
        """
        shown = [table.header[k] if table.header else k for k in range(table.num_columns)]
        weight = "without weights" if self.weight is None else f"weights {shown[self.weight]!r}"
        text = f"columns {shown[self.source]!r} and {shown[self.target]!r}, {weight}"
        others = [repr(name) for k, name in enumerate(shown) if k not in self.places]
        return f"{text}; left out: {', '.join(others)}" if others else text


def choose_columns(table: TableFormat, choice: ColumnChoice, rows: Fields = ()) -> EdgeColumns:
    """The columns that are asked for, those with the usual names, or the first two or three.

    Args:
        table: its format.
        choice: what the caller says.
        rows: fields of the first rows, to see what numbers without a name may be.
    """
    weight = None if choice.weight is None else table.place(choice.weight, "weight_column")
    if (choice.source is None) != (choice.target is None):
        raise InputError("source_column and target_column go together: give both or none")
    if choice.source is not None and choice.target is not None:
        source = table.place(choice.source, "source_column")
        target = table.place(choice.target, "target_column")
        if source == target:
            raise InputError(f"source_column and target_column are both {choice.source!r}")
        return EdgeColumns(source, target, weight)
    names = table.header or ()
    if weight is None:
        normal = [normalise_name(name) for name in names]
        weight = next((normal.index(name) for name in WEIGHTS if name in normal), None)
    if ends := find_ends(names):
        return EdgeColumns(*ends, weight)
    return _by_position(table, weight, rows)


def find_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """The places of the first pair of usual names of ends, None if there is none.

    >>> find_ends(["weight", "From-Node", "to_node"])
    (1, 2)
    """
    normal = [normalise_name(name) for name in names]
    for source, target in ENDS:
        if normal.count(source) == normal.count(target) == 1:
            return normal.index(source), normal.index(target)
    return None


def _by_position(table: TableFormat, weight: int | None, rows: Fields) -> EdgeColumns:
    """The first two columns where nothing else is there, but perhaps a weight."""
    is_index = table.header is not None and is_index_name(table.header[0])
    if table.num_columns == 2 and not is_index and weight is None:
        return EdgeColumns(0, 1, None)
    if table.num_columns == 3 and not is_index:
        if weight == 2:
            return EdgeColumns(0, 1, 2)
        if table.header is None and weight is None:
            _refuse_odd_weights(rows)
            return EdgeColumns(0, 1, 2)
    raise InputError(
        f"which columns are edges cannot be told: {table.described}; name them source, target and "
        f"weight, or {CURE}"
    )


CURE = (
    "choose with source_column, target_column and weight_column "
    "(--source-column, --target-column and --weight-column on the command line)"
)


def _refuse_odd_weights(rows: Fields) -> None:
    """Refuse three columns of which one is an index or a time rather than a weight."""
    full = [row for row in rows if len(row) == 3]
    first = [row[0] for row in full]
    begin = int(first[0]) if first and first[0] in ("0", "1") else None
    whole = all(row[2].lstrip("+-").isdigit() for row in full)
    counts = begin is not None and first == [str(begin + k) for k in range(len(first))]
    if len(full) > 4 and counts and whole:
        raise InputError(f"column 0 counts the rows: is it an index? If so or not, {CURE}")
    if full and whole and all(is_number(row[2]) and abs(float(row[2])) >= TIMES for row in full):
        raise InputError(f"column 2 looks like times, not weights ({full[0][2]}, ...); {CURE}")
