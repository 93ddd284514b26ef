"""Write the README's figures from the committed records.

python benchmarks/tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastgat.reproduce.records import Records
from paper_tables import paper_baselines, paper_speed, paper_verdicts
from training_tables import training_accuracy, training_adaptive, training_reddit, training_speed

ROOT = Path(__file__).parents[1]
START, END = "<!-- {}: python benchmarks/tables.py -->", "<!-- /{} -->"


def has(name: str) -> bool:
    return (ROOT / "results" / f"{name}.json").exists()


def record_of(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text())


def rows_of(name: str) -> Any:
    return record_of(name)["rows"]


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


def attention_steps() -> list[str]:
    return steps_table(
        "**A training step** of the paper's two-layer GAT, full graph and at epsilon = 0.5, on a "
        "processor with AVX-512",
        "attention_steps",
    )


def attention_steps_avx2() -> list[str]:
    return steps_table("**The same on a processor with AVX2 only**", "attention_steps_avx2")


def steps_table(what: str, name: str) -> list[str]:
    record = record_of(name)
    rows = record["rows"]
    with_dgl = all("fastgat over DGL" in row["step"]["ratios"] for row in rows)
    ordered = all("fastgat ordered over PyG" in row["step"]["ratios"] for row in rows)
    best = "fastgat ordered" if ordered else "fastgat"
    peers = ["PyG", "PyG compiled"] + ["DGL"] * with_dgl
    mine = ["fastgat"] + ["fastgat ordered"] * ordered + [f"{best} eps=0.5"]
    ratios = ["fastgat over PyG"] + ["fastgat ordered over PyG"] * ordered
    ratios += [f"{best} over DGL"] * with_dgl + [f"{best} eps=0.5 over PyG"]
    gain = f"{best} eps=0.5 over {best}"
    titles = ["graph", *peers, *mine, *ratios, gain]
    lines = [
        f"{what} (`{record['command']}`): milliseconds, and how many times faster. "
        + '"Ordered" has its nodes numbered once so that neighbours lie close, as `fit` does. '
        * ordered
        + "The last column is what sparsifying itself gains.",
        "",
        f"| {' | '.join(titles)} |",
        "|---" * len(titles) + "|",
    ]
    for row in rows:
        times, found = row["step"]["milliseconds"], row["step"]["ratios"]
        cells = [row["dataset"]]
        cells += [f"{times[peer]:.0f}" if peer in times else "-" for peer in peers]
        cells += [f"{times[case]:.1f}" for case in mine]
        cells += [f"{found[title]:.0f}x" for title in ratios] + [f"{found[gain]:.2f}x"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def attention_layers() -> list[str]:
    lines = [
        "**One layer**, 64 to 8 x 8, forward and backward (`python benchmarks/attention.py "
        "layers`): milliseconds. PyG has no projected cosine and no GaAN: there the peer is the "
        "same attention as plain messages.",
        "",
        "| graph | layer | fastgat | PyG | faster by |",
        "|---|---|---|---|---|",
    ]
    for row in rows_of("attention_layers"):
        times, peer = row["milliseconds"], row["peer"]
        lines.append(
            f"| {row['dataset']} | {row['layer']} | {times['fastgat']:.1f} | {times[peer]:.0f} "
            f"| {row['ratios'][f'fastgat over {peer}']:.0f}x |"
        )
    return lines


def attention_memory() -> list[str]:
    rows = rows_of("attention_memory")
    ours, pyg = rows["fastgat"], rows["PyG"]
    return [
        f"**Memory per arc** of an 8 x 8 layer's training step, the int64 `edge_index` included: "
        f"{ours['bytes per arc']:.0f} bytes, PyG {pyg['bytes per arc']:.0f}. Floating-point values "
        f"per arc that autograd keeps: {ours['kept bytes per arc']:.0f} bytes, PyG "
        f"{pyg['kept bytes per arc']:.0f} (`python benchmarks/attention.py memory`)."
    ]


def attention_scaling() -> list[str]:
    rows = rows_of("attention_scaling")
    each = ", ".join(
        f"{row['nanoseconds per arc']:.1f} at {row['arcs'] / 1e6:.0f} million" for row in rows
    )
    return [
        f"**Time per arc** of an 8 x 8 layer, forward and backward, {rows[0]['nodes']:,} nodes, in "
        f"nanoseconds: {each} arcs (`python benchmarks/attention.py scaling`)."
    ]


def attention_reddit() -> list[str]:
    full, sparse = rows_of("attention_reddit")
    need = full["PyG's need, 8 x 8 layer"]
    pyg = "" if need is None else f" PyG's first layer alone would need {need / 1e9:.0f} GB."
    gain = full["seconds per step"] / sparse["seconds per step"]
    return [
        f"**A Reddit-size graph** ({2 * full['edges']:,} arcs, {full['features']} dense features): "
        f"{full['seconds per step']:.1f} s per training step within {full['peak'] / 1e9:.1f} GB; "
        f"at epsilon = 0.5 {sparse['seconds per step']:.2f} s, {gain:.1f} times faster.{pyg} "
        "(`python benchmarks/attention.py reddit`)"
    ]


def attention_draws() -> list[str]:
    each = ", ".join(
        f"{row['draw and structure over attention']:.2f} ({row['sampling']})"
        for row in rows_of("attention_draws")
    )
    return [
        "**A fresh sparse graph**, drawn and made ready for the kernels, in times of one "
        f"single-head attention call on it, Physics at epsilon = 0.5: {each} "
        "(`python benchmarks/attention.py draws`)."
    ]


def write_block(readme: str, name: str, parts: list[list[str]]) -> str:
    start, end = START.format(name), END.format(name)
    before, rest = readme.split(start)
    text = "".join("\n\n" + "\n".join(part) for part in parts)
    return f"{before}{start}{text}\n\n{end}{rest.split(end)[1]}"


def main() -> None:
    path = ROOT / "README.md"
    readme = path.read_text()
    attention = [
        attention_steps, attention_steps_avx2, attention_layers, attention_memory,
        attention_scaling, attention_reddit, attention_draws,
    ]  # fmt: skip
    parts = [part() for part in attention if has(part.__name__)]
    readme = write_block(readme, "attention", parts)
    records = Records(ROOT / "results" / "reproduce")
    reproduced = {"equal-edges": training_accuracy, "adaptive": training_adaptive}
    parts = [part(found) for name, part in reproduced.items() if (found := records.read(name))]
    training = [training_speed, training_reddit]
    parts += [part(rows_of(part.__name__)) for part in training if has(part.__name__)]
    readme = write_block(readme, "training", parts)
    paper = (part(records) for part in (paper_verdicts, paper_speed, paper_baselines))
    readme = write_block(readme, "paper", [part for part in paper if part])
    parts = [resistances(), accuracy(), solver(), reddit_size()]
    readme = write_block(readme, "figures", parts)
    path.write_text(readme)
    print(readme[readme.index("## Measured") : readme.index(END.format("figures"))])


if __name__ == "__main__":
    main()
