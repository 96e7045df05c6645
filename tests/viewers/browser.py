"""Runs chromium without a window, and tells what the page had to say."""

import re
import shutil
import subprocess
import tempfile

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LIMIT_S = 120
CONSOLE = re.compile(r"CONSOLE[^\]]*\] (.*)")


class Ran:
    def __init__(self, done):
        self.dom = done.stdout
        self.console = CONSOLE.findall(done.stderr)


def run(address, *options):
    """Opens the page in a browser of its own; gives the document as it was in the end, and the lines of its console."""
    with tempfile.TemporaryDirectory(prefix="hangstack-browser-", ignore_cleanup_errors=True) as profile:
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--enable-logging=stderr", *options, address],
            capture_output=True, text=True, timeout=LIMIT_S, check=True,
        )  # fmt: skip
    return Ran(done)


def opened(address, *options):
    return run(address, "--dump-dom", *options)
