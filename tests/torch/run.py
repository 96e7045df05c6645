"""run.py VERSION [unittest arguments]: the tests of this folder with one PyTorch version, 1.13 or 2.15."""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FINDERS = {"1.13": "debian_torch_python", "2.15": "torch_python 2.15"}
GETTERS = {"1.13": "scripts/setup --debian-torch", "2.15": "scripts/setup --torch"}


def main():
    version = sys.argv[1]
    found = subprocess.run(
        ["bash", "-c", f". scripts/lib/torch.sh; {FINDERS[version]}"], cwd=ROOT, capture_output=True, text=True
    )
    if found.returncode != 0:
        reason = f"PyTorch {version} is not installed: {GETTERS[version]}"
        if os.environ.get("HANGSTACK_REQUIRE_TORCH") == "1":
            sys.exit(reason)
        print(f"torch_{version.replace('.', '_')} (tests.torch) ... skipped '{reason}'")
        return
    os.environ["HANGSTACK_TORCH_PYTHON"] = found.stdout.strip()
    sys.path[:0] = [str(HERE), str(ROOT / "scripts" / "lib")]
    unittest.main(module=None, argv=["run.py", "discover", "-s", str(HERE), "-v", *sys.argv[2:]])


main()
