"""Whole training runs: accuracy of full and sparse graphs, and the choices behind the defaults.

    python benchmarks/training.py [section ...] [--datasets NAME ...] [--seeds 5] [--finished]

accuracy   micro-F1 of the full graph, of FastGAT, and of as many edges chosen otherwise
choices    weights ignored or a prior, one draw or fresh ones, with replacement or without, judged
           on the sparse or the full graph
adaptive   adaptive density beside epsilon = 0.5 and the full graph
speed      whole runs beside PyG's layers on the full graph, evaluation included
reddit     the Reddit-size graph, full and sparse, with the attention's share

A finished run is kept in build/training and not repeated; remove the folder to begin anew. With
--finished nothing is trained, and every row says by which seeds it was made.
Writes results/training_SECTION.json, if all datasets and at least 5 seeds were asked for.
"""

from __future__ import annotations

import argparse
import importlib

from harness import write_record
from training_sections import Options

SECTIONS = ("accuracy", "choices", "adaptive", "speed", "reddit")
ENOUGH_SEEDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all of them if none")
    parser.add_argument("--datasets", nargs="+", help="instead of the section's own")
    parser.add_argument("--seeds", type=int, default=ENOUGH_SEEDS)
    parser.add_argument("--finished", action="store_true", help="only what was trained before")
    arguments = parser.parse_args()
    if unknown := set(arguments.section) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    datasets = None if arguments.datasets is None else tuple(arguments.datasets)
    options = Options(datasets, arguments.seeds, arguments.finished)
    for name in arguments.section or SECTIONS:
        print(f"-- {name}", flush=True)
        rows = importlib.import_module(f"training_sections.{name}").run_section(options)
        if datasets is None and arguments.seeds >= ENOUGH_SEEDS:
            command = f"python benchmarks/training.py {name}{' --finished' * options.finished}"
            write_record(f"training_{name}", command, rows)


if __name__ == "__main__":
    main()
