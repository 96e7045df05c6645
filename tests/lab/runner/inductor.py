"""torch.compile for the CPU: inductor and a real C++ compiler, with nothing left of another run."""

import os
import sys

from scenario import RANK

# In this process, and one at a time.
ENVIRONMENT = {"TORCHINDUCTOR_COMPILE_THREADS": 1, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": 1}


def prepare():
    """Before torch is imported."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{os.environ['HANGSTACK_LAB_LOG']}/inductor-{RANK}"
    sys.modules["triton"] = None  # it would build a program against a driver that no linker knows here
