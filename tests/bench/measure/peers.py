"""The tools hangstack is measured beside, in a virtual environment of their own."""

import os
import subprocess
import sys
from pathlib import Path

# The releases docs/bench.md compares with.
PACKAGES = ("py-spy==0.4.3", "pystack==1.7.2")


def folder():
    return Path(os.environ.get("HANGSTACK_CACHE") or Path.home() / ".cache" / "hangstack") / "peers"


def setup():
    """Installs PACKAGES from PyPI into folder(). Raises CalledProcessError with pip's own message on stderr."""
    if not (folder() / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder())], check=True)
    subprocess.run([str(folder() / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    *PACKAGES], check=True)
    for name in ("py-spy", "pystack"):
        print(f"setup: {folder() / 'bin' / name}")
