"""The ranks of a scenario, started under the stand-in CUDA, and all that they leave behind removed."""

import os
import pathlib
import select
import shutil
import tempfile

import environments
import evidence
import launches
import torchrun
from hung_job import Job, free_port, kernel_state

END_S = 30


def shared_files_of(pid):
    """The files of NCCL's shared-memory transport that the process maps; killed ranks leave them in /dev/shm."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return set()
    paths = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) == 6}
    return {path for path in paths if path.startswith("/dev/shm/nccl-") and not path.endswith("(deleted)")}


class LabJob(Job):
    launcher = ""  # of the scenario
    under_torchrun = ()  # the pids of the ranks that torchrun has started

    def __init__(self, torch, scenario, name, world_size, place=None, output=None):
        """`name` is the file of the scenario; `place` as environments.place_of() gives it."""
        place = place or environments.place_of(torch)
        preload = place.standin
        if scenario.bare_driver:
            preload = f"{preload.parent}/bare/libcuda.so.1:{preload}"
        self.logs = pathlib.Path(tempfile.mkdtemp(prefix="hangstack-lab-"))
        self.table = pathlib.Path(f"/dev/shm/{self.logs.name}")
        self.output_path = self.logs / "output.txt"
        self.launcher = scenario.launcher
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
        if self.launcher == "torchrun":
            self.start_torchrun()
            return
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

    def start_torchrun(self):
        self.ready = list(torchrun.ready_pipes(self.logs, self.world_size))
        command = torchrun.command(self.python, self.script, self.world_size, self.logs)
        agent = self.spawn(command, HANGSTACK_LAB_READY=self.logs / "ready", TMPDIR=self.logs)
        os.close(self.ready.pop())  # of the agent
        self.said = [""] * self.world_size
        self.under_torchrun = torchrun.ranks_of(agent, self.world_size)

    @property
    def pids(self):
        return self.under_torchrun or super().pids

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

    def none_is_left(self):
        left = [pid for pid in self.under_torchrun if kernel_state(pid) not in ("", "Z")]
        assert not left, f"pids {left}"

    def end(self):
        left = set().union(*(shared_files_of(pid) for pid in self.pids))
        super().end()
        evidence.wait_until(self.none_is_left, END_S, "the ranks did not end with torchrun")
        if hasattr(self.output, "close"):
            self.output.close()
        for path in [*left, self.table]:
            pathlib.Path(path).unlink(missing_ok=True)
        shutil.rmtree(self.logs, ignore_errors=True)
