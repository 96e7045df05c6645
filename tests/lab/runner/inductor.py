"""torch.compile for the CPU: inductor and a real C++ compiler, with nothing left of another run."""

import os
import sys

from scenario import RANK

# In this process, and one at a time.
ENVIRONMENT = {"TORCHINDUCTOR_COMPILE_THREADS": 1, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": 1}


def prepare():
    """Before torch is imported."""
    logs = os.environ["HANGSTACK_LAB_LOG"]
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{logs}/inductor-{RANK}"
    os.environ["TMPDIR"] = logs  # what a killed rank or compiler leaves there goes with the logs
    sys.modules["triton"] = None  # it would build a program against a driver that no linker knows here
