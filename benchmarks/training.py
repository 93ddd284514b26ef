"""Whole training runs against the clock; accuracy is for `fastgat reproduce`.

    python benchmarks/training.py [section ...] [--datasets NAME ...]

speed      whole runs beside PyG's layers on the full graph, evaluation included
reddit     the Reddit-size graph, full and sparse, with the attention's share

Writes results/training_SECTION.json, if all datasets were asked for.
"""

from __future__ import annotations

import argparse
import importlib

from harness import write_record

SECTIONS = ("speed", "reddit")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all of them if none")
    parser.add_argument("--datasets", nargs="+", help="instead of the section's own")
    arguments = parser.parse_args()
    if unknown := set(arguments.section) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    for name in arguments.section or SECTIONS:
        print(f"-- {name}", flush=True)
        rows = importlib.import_module(f"training_sections.{name}").run_section(arguments.datasets)
        if arguments.datasets is None:
            write_record(f"training_{name}", f"python benchmarks/training.py {name}", rows)


if __name__ == "__main__":
    main()
