"""Attention layers and models beside PyG, PyG under torch.compile and DGL, in one run.

    python benchmarks/attention.py [section ...] [--datasets NAME ...] [--repeats 7]
                                   [--dgl-python PYTHON] [--record NAME]

steps    a training step and an inference of the paper's two-layer GAT, full graph and eps = 0.5
layers   each attention layer alone, forward and backward
memory   bytes per arc of one layer's training step, and what autograd keeps
scaling  time per arc from 6 to 115 million arcs
reddit   the two-layer GAT on a Reddit-size graph
draws    a fresh sparse graph against one attention call on it

Peers take turns; figures are medians. Before timing, outputs and gradients without dropout are
compared: no figures for peers that differ. PYTHON is that of an environment with DGL 1.1.3.
Writes results/attention_SECTION.json, if all datasets and at least 7 repeats were asked for. With
--record it writes results/NAME.json whatever was asked for, as for a machine of another kind.
"""

from __future__ import annotations

import argparse
import importlib
import os

from attention_sections import Options
from harness import write_record

SECTIONS = ("steps", "layers", "memory", "scaling", "reddit", "draws")
ENOUGH_REPEATS = 7


def read_options() -> tuple[list[str], Options, str | None]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all of them if none")
    parser.add_argument("--datasets", nargs="+", help="instead of the section's own")
    parser.add_argument("--repeats", type=int, default=ENOUGH_REPEATS)
    parser.add_argument("--dgl-python", help="interpreter that has DGL 1.1.3")
    parser.add_argument("--record", help="write the section's figures under this name")
    arguments = parser.parse_args()
    if unknown := set(arguments.section) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    if arguments.record is not None and len(arguments.section) != 1:
        parser.error("--record takes the figures of one section: name one")
    datasets = None if arguments.datasets is None else tuple(arguments.datasets)
    options = Options(datasets, arguments.repeats, arguments.dgl_python)
    return arguments.section or list(SECTIONS), options, arguments.record


def main() -> None:
    sections, options, record = read_options()
    modules = [importlib.import_module(f"attention_sections.{name}") for name in sections]
    import torch  # after fastgat: see attention_sections

    torch.set_num_threads(os.cpu_count() or 1)
    for name, module in zip(sections, modules, strict=True):
        print(f"-- {name}", flush=True)
        rows = module.run(options)
        is_whole = options.datasets is None and options.repeats >= ENOUGH_REPEATS
        if is_whole or record is not None:
            command = f"python benchmarks/attention.py {name}"
            if options.datasets is not None:
                command += f" --datasets {' '.join(options.datasets)}"
            if options.dgl_python is not None and name in ("steps", "layers"):
                command += " --dgl-python PYTHON"
            if record is not None:
                command += f" --record {record}"
            write_record(record or f"attention_{name}", command, rows)
        else:
            print(f"results/attention_{name}.json left as it is: a trial run")


if __name__ == "__main__":
    main()
