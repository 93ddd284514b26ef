"""The API page says what the docstrings say."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "scripts" / "api_reference.py"


def test_the_page_is_up_to_date() -> None:
    ended = subprocess.run([sys.executable, SCRIPT, "--check"], check=False)
    assert ended.returncode == 0, "run python scripts/api_reference.py"
