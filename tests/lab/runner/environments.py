"""The versions of PyTorch, and of NCCL alone, that the lab knows, and how a job is started with each."""

import dataclasses
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
CACHE = pathlib.Path(os.environ.get("HANGSTACK_CACHE") or pathlib.Path.home() / ".cache" / "hangstack")


@dataclasses.dataclass(frozen=True)
class Torch:
    name: str
    generations: tuple  # how the tables of a scenario are read, see scenario.pick
    nccl: str
    switches: dict


TORCHES = {
    torch.name: torch
    for torch in (
        Torch("2.15", ("2.15", "nccl2", "any"), "2.30.7", {}),
        Torch(
            "2.15-classic",
            ("2.15-classic", "classic", "any"),
            "2.30.7",
            {"TORCH_DIST_USE_NCCL2": "0"},
        ),
        Torch("2.8", ("2.8", "classic", "any"), "2.27.3", {}),
        Torch("2.6", ("2.6", "classic", "any"), "2.21.5", {}),
        *(Torch(f"nccl-{nccl}", (f"nccl-{nccl}", "nccl", "any"), nccl, {}) for nccl in ("2.21.5", "2.24.3", "2.28.9", "2.32.3")),
    )
}

# NCCL over shared memory of the host, with its socket on the loopback: no network proxy has work then.
NCCL = {
    "NCCL_P2P_DISABLE": 1,
    "NCCL_CUMEM_ENABLE": 0,
    "NCCL_CUMEM_HOST_ENABLE": 0,
    "NCCL_NVLS_ENABLE": 0,
    "NCCL_IB_DISABLE": 1,
    "NCCL_SOCKET_IFNAME": "lo",
    # No watchdog of a rank acts while the lab looks at it.
    "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": 86400,
    "TORCH_FR_BUFFER_SIZE": 200,
    "TORCH_NCCL_TRACE_BUFFER_SIZE": 200,  # its name before 2.9
}


class NotInstalled(Exception):
    pass


def version_of(torch):
    """What is installed: both backends of one PyTorch are the same."""
    return torch.name.removesuffix("-classic")


def python_of(torch):
    """The interpreter with that torch, or with that NCCL; NotInstalled says how to get it."""
    asked, title = f"torch_python {version_of(torch)}", f"PyTorch {version_of(torch)}"
    if "nccl" in torch.generations:
        asked, title = f"nccl_python {torch.nccl}", f"NCCL {torch.nccl}"
    found = subprocess.run(["bash", "-c", f". scripts/lib/torch.sh; {asked}"], cwd=ROOT, capture_output=True, text=True)
    if found.returncode != 0:
        raise NotInstalled(f"{title} is not installed: scripts/setup --lab")
    return found.stdout.strip()


def standin_for(torch, python):
    """Builds the stand-in CUDA for that torch, once; the path of its libcudart, to be preloaded."""
    folder = CACHE / f"standin-{version_of(torch)}"
    built = subprocess.run(
        [ROOT / "tests" / "lab" / "standin" / "build", python, folder], capture_output=True, text=True
    )
    if built.returncode == 3:
        raise NotInstalled(built.stderr.strip())
    if built.returncode != 0:
        raise RuntimeError(f"the stand-in CUDA does not build for PyTorch {torch.name}:\n{built.stderr}")
    return built.stdout.strip().splitlines()[-1]


@dataclasses.dataclass(frozen=True)
class Place:
    """Where the ranks of a job find what they run."""

    python: pathlib.Path
    standin: pathlib.Path  # its libcudart
    lab: pathlib.Path  # the folder that holds runner/ and scenarios/


def place_of(torch):
    python = python_of(torch)
    return Place(pathlib.Path(python), pathlib.Path(standin_for(torch, python)), ROOT / "tests" / "lab")
