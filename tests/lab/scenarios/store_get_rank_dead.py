"""A rank waits in a FileStore for the NCCL id of rank 0, which has failed before init_process_group."""

from scenario import RANK, WORLD_SIZE, Scenario, join, scratch_folder, tell


def reason(launched):
    assert not launched[1].kernels, f"rank 1: {launched[1]}"


SCENARIO = Scenario(
    title="rank 1 waits in a FileStore for the NCCL id, rank 0 found no data set and is dead",
    torchrun=False,
    says={1: "init"},
    reason=reason,
    frames={
        1: {
            "nccl2": ["FileStore", "PrefixStore::wait", "NCCLBootstrap::exchangeUniqueIds", "py:init_process_group"],
            "classic": ["FileStore", "PrefixStore::get", "broadcastUniqueNCCLID", "initNCCLComm", "py:all_reduce"],
        }
    },
    gone=(0,),
    verdict=("rank_died", "init_timeout"),
    culprits=(0,),
)


def read_data_set():
    with open(f"{scratch_folder()}/train.csv") as file:
        return file.read()


def main():
    import torch
    import torch.distributed as dist

    if RANK == 0:
        read_data_set()
    tell("init")
    join(init_method=f"file://{scratch_folder()}/store", rank=RANK, world_size=WORLD_SIZE)
    dist.all_reduce(torch.ones(8).cuda())


if __name__ == "__main__":
    main()
