"""The page in a browser, where there is one."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome")
     if (path := shutil.which(name))), None,
)  # fmt: skip

# A frame, since a browser's own window may refuse to be this narrow; it tells by a message, since
# pages from files may not look into each other.
FRAME = """<body><iframe src="measured.html" style="width: {width}px; height: 900px; border: 0">
</iframe><script>onmessage = event => document.title = "measured " + event.data</script>"""
MEASURE = """<script>onload = () => parent.postMessage(
  document.documentElement.scrollWidth + " " + matchMedia("(max-width: 44rem)").matches, "*")
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("width", "is_narrow"), [(390, True), (720, False), (1000, False)])
def test_nothing_reaches_beyond_the_window(
    tmp_path: Path, many_page: Path, width: int, is_narrow: bool
) -> None:
    page = many_page.read_text(encoding="utf-8")
    policy = '<meta http-equiv="Content-Security-Policy"'
    assert policy in page
    unlocked = page.replace(policy, "<meta name='none'")
    (tmp_path / "measured.html").write_text(unlocked + MEASURE, encoding="utf-8")
    (tmp_path / "frame.html").write_text(FRAME.format(width=width))
    told = _dump(tmp_path / "frame.html", tmp_path / "profile")
    found = re.search(r"<title>measured (\d+) (true|false)</title>", told)
    assert found, "the page did not tell its width"
    assert int(found[1]) <= width
    assert found[2] == str(is_narrow).lower()


def _dump(page: Path, profile: Path) -> str:
    assert CHROMIUM is not None
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
        f"--user-data-dir={profile}", "--virtual-time-budget=10000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    # Sanitizers that are loaded into this process are not for the browser, which hangs with them.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, env=environment
    )
    return done.stdout
