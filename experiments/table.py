"""The table writer: text for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.table

BLANK = ""


@dataclass(frozen=True)
class Table:
    """Columns, lines, and remarks below."""

    title: str
    columns: Sequence[str]
    lines: Sequence[Sequence[str]]
    remarks: Sequence[str] = field(default_factory=tuple)

    def markdown(self) -> str:
        """The table as a page has it.

        >>> print(Table("Sizes", ["graph", "edges"], [["a|b", "3"]]).markdown())
        **Sizes**
        <BLANKLINE>
        | graph | edges |
        |---|---|
        | a\\|b | 3 |
        """
        remarks = [part for remark in self.remarks for part in ("", remark)]
        return "\n".join([f"**{self.title}**", "", self.body(), *remarks])

    def body(self) -> str:
        """The table without title and remarks."""
        head, *lines = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
            for row in (self.columns, *self.lines)
        ]
        return "\n".join([head, "|---" * len(self.columns) + "|", *lines])

    def rich(self) -> rich.table.Table:
        """The table as a terminal shows it, without its remarks, which may be wider."""
        from rich.table import Table as Drawn
        from rich.text import Text

        drawn = Drawn(title=Text(self.title), title_justify="left")
        for place, column in enumerate(self.columns):
            drawn.add_column(Text(column), justify="left" if place == 0 else "right")
        for line in self.lines:
            drawn.add_row(*map(Text, line))
        return drawn
