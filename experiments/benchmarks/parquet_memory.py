"""Peak memory while a Reddit-size Parquet file is read: 57.3 million arcs in random order."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import fastgat as fg
from experiments.experiment import Experiment, Results, Row
from experiments.options import Options
from experiments.records import Result
from experiments.table import Table
from experiments.timing import peak_of
from fastgat.data.reddit import REDDIT
from fastgat.graph.generators import block_model
from fastgat.machine import peak_bytes

NAME = "parquet-memory"
SIZE = (REDDIT.sizes.num_nodes, REDDIT.sizes.num_edges, REDDIT.sizes.num_classes)
QUICK_SIZE = (20_000, 500_000, 41)
PEAK = "peak over the graph's bytes"


def rows(options: Options) -> list[Row]:
    """One file."""
    size = QUICK_SIZE if options.quick else SIZE
    settings = {"quick": options.quick, "nodes": size[0], "edges": size[1]}
    return [Row("shuffled arcs", settings, partial(measure, *size))]


def measure(num_nodes: int, num_edges: int, communities: int) -> Result:
    """Write the file in one process, read it in another."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "reddit.parquet")
        peak_of(write_shuffled, path, num_nodes, num_edges, communities)
        return peak_of(read, path)[0]


def write_shuffled(path: str, num_nodes: int, num_edges: int, communities: int) -> None:
    """Write a block model's edges in random order, as a stranger's file may have them."""
    graph, _ = block_model(num_nodes, num_edges, communities, seed=7)
    order = np.random.default_rng(5).permutation(graph.num_edges)
    columns = {"source": graph.source[order], "target": graph.target[order]}
    pq.write_table(pa.table(columns), path, row_group_size=1 << 20)


def read(path: str) -> Result:
    """What this process held before is not counted."""
    before = peak_bytes()
    start = time.perf_counter()
    graph = fg.read_graph(path)
    seconds = time.perf_counter() - start
    return {
        "graph bytes": graph.nbytes,
        PEAK: (peak_bytes() - before) / graph.nbytes,
        "seconds": seconds,
    }


def tables(results: Results) -> list[Table]:
    """Seconds and memory."""
    lines = [
        [
            f"{row.settings['edges']:,}",
            f"{row.result['seconds']:.1f}",
            f"{row.result['graph bytes'] / 1e6:,.0f}",
            f"{row.result[PEAK]:.2f}",
        ]
        for row in results.values()
        if row.is_done
    ]
    columns = ["edges", "seconds", "graph, MB", "peak in graphs"]
    return [Table("Reading a Parquet file", columns, lines)]


EXPERIMENT = Experiment(
    NAME,
    "Memory while a large Parquet file is read",
    "Arcs in random order; the reading process's peak beyond what it held before, in sizes of the "
    "finished graph.",
    rows,
    tables,
    takes=(),
)
