"""A thread of a rank waits in native code with the GIL in its hand: its main thread cannot go on to the all_reduce."""

import ctypes
import socket
import threading

from evidence import calls_of
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

FUTEX, RECVFROM = 202, 45  # of x86-64


def prove(job):
    calls = calls_of(job.pids[1])
    in_main = calls.pop(job.pids[1], None)
    assert in_main and in_main[0] == FUTEX, f"rank 1 is in {in_main}, not in a wait for the GIL"
    assert RECVFROM in [number for number, _ in calls.values()], f"no other thread is in recv: {calls}"


SCENARIO = Scenario(
    title="a thread of rank 1 waits for a service in C code, and keeps the GIL; rank 0 in all_reduce",
    says={0: "all_reduce", 1: "report_metrics"},
    reason=alone_in(3),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["take_gil", "py:main"]}},
    elsewhere={1: {"any": ["^(__libc_)?recv", "py:report_metrics"]}},
    # Not a cycle: the answer may come. Who calls the GIL the cause is right, too.
    verdict=("host_straggler", "gil_deadlock"),
    culprits=(1,),
)


def report_metrics(service):
    """Bound with PyDLL where it should be CDLL, or an extension without Py_BEGIN_ALLOW_THREADS."""
    answer = ctypes.create_string_buffer(16)
    receive = ctypes.PyDLL(None).recv
    tell("report_metrics")
    receive(service.fileno(), answer, len(answer), 0)


def prepare_batch(reporter):
    """Work in Python, until it has to hand the GIL over and does not get it back."""
    while reporter.is_alive():
        sum(range(1000))


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    service, silent = socket.socketpair()
    for step in range(3):
        if step == 2 and RANK == 1:
            reporter = threading.Thread(target=report_metrics, args=(service,), name="metrics")
            reporter.start()
            prepare_batch(reporter)
        if step == 2:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
    silent.close()


if __name__ == "__main__":
    main()
