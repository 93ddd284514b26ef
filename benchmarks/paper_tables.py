"""The README's tables of the paper's claims, from the records of `fastgat reproduce`."""

from __future__ import annotations

from fastgat.reproduce import table_2, table_3
from fastgat.reproduce.page import all_findings
from fastgat.reproduce.records import Records
from fastgat.reproduce.verdict import Count


def paper_verdicts(records: Records) -> list[str]:
    every = [finding for found in all_findings(records).values() for finding in found]
    return [
        "**The FastGAT paper, figure by figure**, as far as "
        "[docs/reproduction.md](docs/reproduction.md) has them: "
        f"{Count.of(every).sentence()} (`fastgat reproduce check --records results/reproduce`)."
    ]


def paper_speed(records: Records) -> list[str]:
    table = table_2.speed_table(records.read(table_2.NAME))
    return [] if table is None else [table.markdown(), "", command(table_2.NAME)]


def paper_baselines(records: Records) -> list[str]:
    results = records.read(table_3.NAME)
    if not results:
        return []
    (table,) = table_3.tables(results)
    return [table.markdown(), "", command(table_3.NAME)]


def command(name: str) -> str:
    return f"`fastgat reproduce {name}`"
