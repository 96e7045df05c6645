"""Reads the log that the stand-in CUDA keeps per process: which NCCL kernels were launched, and how far they came."""

import dataclasses
import pathlib

KERNEL = "ncclDevKernel_"
FAR = ("launch", "start", "finish", "aborted")


@dataclasses.dataclass
class Kernel:
    number: int  # of the process, from 1
    comm: str  # hash of the communicator, equal on all its ranks
    rank: int  # in the communicator
    ranks: int
    sequence: int  # of the collectives on this communicator, from 1; 0 for point-to-point
    operation: str  # AllReduce, AllGather, SendRecv, ...
    elements: list
    transfers: list  # "SENDER>RECEIVER:BYTES"
    reached: str = "launch"

    @property
    def finished(self):
        return self.reached in ("finish", "aborted")

    @property
    def sends(self):
        return any(transfer.startswith(f"{self.rank}>") for transfer in self.transfers)

    @property
    def receives(self):
        return any(f">{self.rank}:" in transfer for transfer in self.transfers)

    def __str__(self):
        size = ",".join(map(str, self.elements)) or ",".join(self.transfers)
        return f"{self.operation}#{self.sequence or self.number}({size}) {self.reached}"


class Launches:
    """The NCCL kernels of one process, in the order of their launch."""

    def __init__(self, text=""):
        self.kernels = []
        self.full = False  # a launch has found its stream's queue full
        self.trouble = []  # what would make the stand-in lie
        by_number = {}
        for line in text.splitlines():
            event, _, rest = line.partition(" ")
            if event in FAR:
                pairs = [pair.split("=", 1) for pair in rest.split()]
                kernel = by_number.get(int(dict(pairs)["number"]))
                if event == "launch":
                    kernel = self._new(pairs)
                    by_number[kernel.number] = kernel
                    self.kernels.append(kernel)
                kernel.reached = event
            elif event == "full":
                self.full = True
            elif event == "unknown":
                self.trouble.append(line)

    @staticmethod
    def _new(pairs):
        one = dict(pairs)
        rank, ranks = one["rank"].split("/")
        return Kernel(
            int(one["number"]),
            one["comm"],
            int(rank),
            int(ranks),
            int(one["sequence"]),
            one["kernel"].removeprefix(KERNEL).split("_")[0],
            [int(value) for name, value in pairs if name == "elements"],
            [value for name, value in pairs if name == "transfer"],
        )

    @property
    def operations(self):
        return [kernel.operation for kernel in self.kernels]

    @property
    def pending(self):
        """Launched and not finished."""
        return [kernel for kernel in self.kernels if not kernel.finished]

    @property
    def started(self):
        """On the device, not finished: what the rank is really stuck in."""
        return [kernel for kernel in self.kernels if kernel.reached == "start"]

    @property
    def finished(self):
        return [kernel for kernel in self.kernels if kernel.finished]

    def __str__(self):
        return " ".join(map(str, self.kernels)) or "nothing launched"


def read(folder, pids):
    """[Launches of each pid]; of a process without a log, none."""
    found = []
    for pid in pids:
        path = pathlib.Path(folder) / f"{pid}.log"
        found.append(Launches(path.read_text() if path.exists() else ""))
    return found
