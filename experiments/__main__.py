"""`python -m experiments` is the command line."""

import sys

from experiments.command import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
