"""The command line: `fastgat VERB ...`; results on stdout, progress and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    from fastgat.cli.exit import end_on_signals, open_closed_streams

    open_closed_streams()
    end_on_signals()
    sys.exit(run(sys.argv[1:]))


def run(args: Sequence[str]) -> int:
    """Run one command and give its exit code: 0, 2 on bad input, 130 on Ctrl-C."""
    from fastgat.cli.app import VERBS, make_app
    from fastgat.cli.exit import exit_code

    verbs = args[:1] if args and args[0] in VERBS else VERBS  # the others need not be imported
    return exit_code(lambda: make_app(verbs)(args, prog_name="fastgat", standalone_mode=False))
