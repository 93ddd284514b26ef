"""Write the README's figures from the committed records.

python benchmarks/tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
START, END = "<!-- figures: python benchmarks/tables.py -->", "<!-- /figures -->"


def rows_of(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text())["rows"]


def resistances() -> list[str]:
    lines = [
        "**Resistances from edge arrays** against the faster of NetworKit's two estimators "
        "(`python benchmarks/resistances.py`): milliseconds and mean relative error.",
        "",
        "| graph | edges | fastgat | NetworKit | faster by | its error over ours |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows_of("resistances"):
        ours = row["fastgat"]
        peers = [v for k, v in row.items() if k.startswith("NetworKit")]
        peer = min(peers, key=lambda value: value["milliseconds"])
        speed, error = row["speed-up over the faster NetworKit"], row["its error over ours"]
        lines.append(
            f"| {row['dataset']} | {row['edges']:,} "
            f"| {ours['milliseconds']:.1f} ms, {ours['error']:.2%} "
            f"| {peer['milliseconds']:.0f} ms, {peer['error']:.1%} "
            f"| {speed:.0f}x | {error:.1f}x |"
        )
    return lines


def accuracy() -> list[str]:
    lines = [
        "**Sixteen columns**, smoothed against plain: mean relative error "
        "(`python benchmarks/accuracy.py`).",
        "",
        "| graph | plain | smoothed | ratio |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {row['dataset']} | {row['plain error']:.1%} | {row['smoothed error']:.2%} "
        f"| {row['ratio']:.1f}x |"
        for row in rows_of("accuracy")["compared"]
    ]
    return lines


def solver() -> list[str]:
    *hard, grid = rows_of("solver")
    iterations = ", ".join(f"{row['graph']} {row['iterations with the factor']}" for row in hard)
    share = grid["fastgat's share of PyAMG's time"]
    return [
        "**Laplacian solves** to 1e-6 with the factor the solver chose itself, iterations: "
        f"{iterations}. A million-node grid to 1e-8, set-up included: {share:.2f} of the time of "
        "PyAMG's smoothed aggregation (`python benchmarks/solver.py`)."
    ]


def reddit_size() -> list[str]:
    row = rows_of("reddit_size")[-1]
    return [
        f"**A Reddit-size graph** ({row['nodes']:,} nodes, {row['edges']:,} edges): resistances in "
        f"{row['from rows, in products']:.1f} times the time of one SciPy product `A @ X` with 16 "
        f"columns, {row['from arrays, in products']:.1f} times from unsorted edge arrays, within "
        f"{row['peak'] / 1e9:.1f} GB (`python benchmarks/reddit_size.py`)."
    ]


def main() -> None:
    parts = [resistances(), accuracy(), solver(), reddit_size()]
    text = "\n\n".join("\n".join(part) for part in parts)
    readme = ROOT / "README.md"
    before, rest = readme.read_text().split(START)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}")
    print(text)


if __name__ == "__main__":
    main()
