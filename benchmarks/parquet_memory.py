"""Peak memory while a Reddit-size Parquet file is read: 57.3 million arcs in random order.

    python benchmarks/parquet_memory.py

Reading runs in a process of its own; what that process held before is not counted. Writes
results/parquet_memory.json.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import fastgat as fg
from fastgat.graph.generators import reddit_size
from harness import peak_bytes, peak_of, write_record


def write_shuffled(path: str) -> None:
    graph, _ = reddit_size(7)
    order = np.random.default_rng(5).permutation(graph.num_edges)
    columns = {"source": graph.source[order], "target": graph.target[order]}
    pq.write_table(pa.table(columns), path, row_group_size=1 << 20)


def read(path: str) -> dict[str, Any]:
    before = peak_bytes()
    start = time.perf_counter()
    graph = fg.read_graph(path)
    seconds = time.perf_counter() - start
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "graph bytes": graph.nbytes,
        "peak over the graph's bytes": (peak_bytes() - before) / graph.nbytes,
        "seconds": seconds,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "reddit.parquet")
        peak_of(write_shuffled, path)
        row, _ = peak_of(read, path)
    print(row)
    write_record("parquet_memory", "python benchmarks/parquet_memory.py", [row])


if __name__ == "__main__":
    main()
