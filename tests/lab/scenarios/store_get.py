"""A rank waits in the store for the NCCL id that rank 0 never publishes."""

from reasons import nothing_launched
from scenario import ASLEEP_OUTSIDE, RANK, WORLD_SIZE, Scenario, join, own_store, sleep_outside, tell

WAIT = ["poll", "SocketImpl::waitForInput", "TCPStore::doWait"]

SCENARIO = Scenario(
    title="rank 1 waits in the store for the NCCL id, rank 0 asleep before init_process_group",
    says={0: "sleep_outside", 1: "init"},
    reason=nothing_launched,
    frames={
        0: ASLEEP_OUTSIDE,
        1: {
            "nccl2": [
                *WAIT,
                "PrefixStore::wait",
                "NCCLBootstrap::exchangeUniqueIds",
                "NCCLBootstrap::createNcclComm",
                "py:init_process_group",
            ],
            "classic": [*WAIT, "PrefixStore::get", "broadcastUniqueNCCLID", "initNCCLComm", "py:all_reduce"],
        },
    },
    # PyTorch 2.6 asks the store only where a dump on timeouts was asked for.
    elsewhere={1: {"2.6": [], "classic": ["pthread_mutex_lock", "TCPStore::check", "HeartbeatMonitor::runLoop"]}},
    verdict=("init_timeout", "host_straggler"),
    culprits=(0,),
)


def main():
    import torch
    import torch.distributed as dist

    store = own_store()
    if RANK == 0:
        sleep_outside()
    tell("init")
    join(store=store, rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
