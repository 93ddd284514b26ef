"""The command line: `fastgat VERB ...`; results on stdout, progress and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    from fastgat.cli.exit import end_on_signals, end_process, open_streams

    open_streams()
    end_on_signals()
    end_process(run(sys.argv[1:]))


def run(args: Sequence[str]) -> int:
    """Run one command and give its exit code; `fastgat.cli.exit` lists them."""
    from fastgat._startup import raise_again
    from fastgat.cli.app import VERBS, make_app
    from fastgat.cli.exit import exit_code

    def command() -> object:
        app = make_app(verbs)
        raise_again()  # from here on there may be files to clean up
        return app(args, prog_name="fastgat", standalone_mode=False)

    verbs = args[:1] if args and args[0] in VERBS else VERBS  # the others need not be imported
    return exit_code(command)
