"""The ranks of a scenario, started under the stand-in CUDA, and all that they leave behind removed."""

import os
import pathlib
import select
import shutil
import tempfile

import environments
import launches
from hung_job import Job, free_port


def shared_files_of(pid):
    """The files of NCCL's shared-memory transport that the process maps; killed ranks leave them in /dev/shm."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return set()
    paths = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) == 6}
    return {path for path in paths if path.startswith("/dev/shm/nccl-") and not path.endswith("(deleted)")}


class LabJob(Job):
    def __init__(self, torch, scenario, name, world_size, place=None, output=None):
        """`name` is the file of the scenario; `place` as environments.place_of() gives it."""
        place = place or environments.place_of(torch)
        preload = place.standin
        if scenario.bare_driver:
            preload = f"{preload.parent}/bare/libcuda.so.1:{preload}"
        self.logs = pathlib.Path(tempfile.mkdtemp(prefix="hangstack-lab-"))
        self.table = pathlib.Path(f"/dev/shm/{self.logs.name}")
        self.output_path = self.logs / "output.txt"
        self.jobs = scenario.jobs or (world_size,)
        environment = {
            **environments.NCCL,
            **torch.switches,
            **scenario.environment,
            "LD_PRELOAD": preload,
            "NCCL_RAS_ADDR": f"127.0.0.1:{free_port()}",
            "PYTHONPATH": os.pathsep.join(
                filter(None, [str(place.lab / "runner"), os.environ.get("PYTHONPATH")])
            ),
            "HANGSTACK_LAB_TABLE": self.table,
            "HANGSTACK_LAB_LOG": self.logs,
            "HANGSTACK_LAB_NCCL": torch.nccl,
            "HANGSTACK_LAB_BACKEND": torch.generations[1],
            "HANGSTACK_LAB_JOINT_PORT": free_port(),
        }
        super().__init__(
            place.python,
            place.lab / "scenarios" / f"{name}.py",
            world_size,
            environment=environment,
            output=output if output is not None else open(self.output_path, "w"),
        )

    def start(self):
        """Every job has its own rank 0 and its own store; the devices of the host are shared out over all of them."""
        for job, world_size in enumerate(self.jobs):
            port = free_port()
            for rank in range(world_size):
                self.spawn(
                    [self.python, self.script],
                    RANK=rank,
                    LOCAL_RANK=len(self.ranks),
                    WORLD_SIZE=world_size,
                    MASTER_ADDR="127.0.0.1",
                    MASTER_PORT=port,
                    HANGSTACK_LAB_JOB=job,
                )

    def launched(self):
        return launches.read(self.logs, self.pids)

    def lines(self):
        """{rank: the lines that it has said up to now}."""
        readable, _, _ = select.select(self.ready, [], [], 0)
        for rank, descriptor in enumerate(self.ready):
            if descriptor in readable:
                self.said[rank] += os.read(descriptor, 4096).decode()
        return {rank: text.splitlines() for rank, text in enumerate(self.said)}

    def printed(self):
        return self.output_path.read_text()[-4000:] if self.output_path.exists() else ""

    def end(self):
        left = set().union(*(shared_files_of(pid) for pid in self.pids))
        super().end()
        if hasattr(self.output, "close"):
            self.output.close()
        for path in [*left, self.table]:
            pathlib.Path(path).unlink(missing_ok=True)
        shutil.rmtree(self.logs, ignore_errors=True)
