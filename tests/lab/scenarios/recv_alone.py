"""A recv whose peer never sends: it sleeps outside, and the pair has no connection yet."""

from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell


def reason(launched):
    assert launched[0].operations == ["AllReduce"] and not launched[0].pending, f"rank 0: {launched[0]}"
    assert launched[1].operations == ["AllReduce"] and not launched[1].pending, f"rank 1: {launched[1]}"


CONNECT = [
    "bootstrapRecv|bootstrapSend",
    "ncclTransportP2pSetup",
    "ncclP2PPreconnectFunc",
    "groupLaunch",
    "ncclGroupEnd",
]

CLASSIC = [
    "groupLaunch",
    "ncclCommInitRank",
    "NCCLComm::create",
    "initNCCLComm",
    "ProcessGroupNCCL::recv",
    "py:recv",
]

SCENARIO = Scenario(
    title="rank 0 in recv from rank 1, which is asleep outside",
    says={0: "recv", 1: "sleep_outside"},
    reason=reason,
    frames={
        0: {
            "nccl2": [*CONNECT, "nccl2::ProcessGroupNCCL::recv", "py:recv", "py:main"],
            # The classic backend makes a communicator of its own for each pair.
            "2.15-classic": [
                "bootstrapInit",
                "ncclCommInitRank",
                "NCCLComm::create",
                "initNCCLComm",
                "ProcessGroupNCCL::recv",
                "py:recv",
            ],
            "2.6": CLASSIC,  # asyncJobLaunch is inlined in NCCL 2.21
            "classic": ["asyncJobLaunch", *CLASSIC],
        },
        1: ASLEEP_OUTSIDE,
    },
    elsewhere={0: {"nccl2": ["pthread_mutex_lock", "commGetAsyncError", "timeoutWatchdog"]}},
    busy={"nccl2": (0,), "2.15-classic": (0,)},
    verdict=("p2p_hang", "host_straggler"),
    culprits=(1,),
)


def main():
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("recv")
    dist.recv(tensor, 1)


if __name__ == "__main__":
    main()
