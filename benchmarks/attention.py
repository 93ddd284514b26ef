"""Attention layers and models beside PyG, PyG under torch.compile and DGL, in one run.

    python benchmarks/attention.py [section ...] [--datasets NAME ...] [--repeats 7]
                                   [--dgl-python PYTHON]

steps    a training step and an inference of the paper's two-layer GAT, full graph and eps = 0.5
layers   each attention layer alone, forward and backward
memory   bytes per arc of one layer's training step, and what autograd keeps
scaling  time per arc from 6 to 115 million arcs
reddit   the two-layer GAT on a Reddit-size graph
draws    a fresh sparse graph against one attention call on it

Peers take turns; figures are medians. Before timing, outputs and gradients without dropout are
compared: no figures for peers that differ. PYTHON is that of an environment with DGL 1.1.3.
Writes results/attention_SECTION.json, if all datasets and at least 7 repeats were asked for.
"""

from __future__ import annotations

import argparse
import importlib
import os

from attention_sections import Options
from harness import write_record

SECTIONS = ("steps", "layers", "memory", "scaling", "reddit", "draws")
ENOUGH_REPEATS = 7


def read_options() -> tuple[list[str], Options]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all of them if none")
    parser.add_argument("--datasets", nargs="+", help="instead of the section's own")
    parser.add_argument("--repeats", type=int, default=ENOUGH_REPEATS)
    parser.add_argument("--dgl-python", help="interpreter that has DGL 1.1.3")
    arguments = parser.parse_args()
    if unknown := set(arguments.section) - set(SECTIONS):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    datasets = None if arguments.datasets is None else tuple(arguments.datasets)
    options = Options(datasets, arguments.repeats, arguments.dgl_python)
    return arguments.section or list(SECTIONS), options


def main() -> None:
    sections, options = read_options()
    modules = [importlib.import_module(f"attention_sections.{name}") for name in sections]
    import torch  # after fastgat: see attention_sections

    torch.set_num_threads(os.cpu_count() or 1)
    for name, module in zip(sections, modules, strict=True):
        print(f"-- {name}", flush=True)
        rows = module.run(options)
        if options.datasets is None and options.repeats >= ENOUGH_REPEATS:
            command = f"python benchmarks/attention.py {name}"
            if options.dgl_python is not None and name in ("steps", "layers"):
                command += " --dgl-python PYTHON"
            write_record(f"attention_{name}", command, rows)
        else:
            print(f"results/attention_{name}.json left as it is: a trial run")


if __name__ == "__main__":
    main()
