"""Compiles the native part of a scenario, as a user's own extension would have been."""

import ctypes
import os
import pathlib
import subprocess

from scenario import RANK


def library(source, kind=ctypes.PyDLL):
    """SOURCE beside the scenario, loaded. Calls through PyDLL keep the GIL, as functions of an extension module do."""
    path = pathlib.Path(os.environ["HANGSTACK_LAB_LOG"]) / f"{source}.{RANK}.so"
    # The compiler needs no stand-in for CUDA.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-g", "-shared", "-fPIC", "-o", path, pathlib.Path(__file__).parents[1] / "scenarios" / source],
        check=True,
        env=environment,
    )  # fmt: skip
    return kind(str(path))
