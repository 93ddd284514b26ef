"""The command line: `fastgat VERB ...`; results on stdout, progress and refusals on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    from fastgat.cli.ending import end_on_signals, open_closed_streams

    open_closed_streams()
    end_on_signals()
    sys.exit(run(sys.argv[1:]))


def run(args: Sequence[str]) -> int:
    """Run one command and give its exit code: 0, 2 on bad input, 130 on Ctrl-C."""
    from fastgat.cli.app import make_app
    from fastgat.cli.ending import exit_code

    return exit_code(lambda: make_app()(args, prog_name="fastgat", standalone_mode=False))
