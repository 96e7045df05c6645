"""A recv whose peer has destroyed its process group, and lives on."""

from reasons import after_an_all_reduce
from scenario import ASLEEP_OUTSIDE, RANK, Scenario, join, sleep_outside, tell
from recv_alone import CONNECT

SCENARIO = Scenario(
    title="rank 0 in recv from rank 1, which has destroyed its process group and sleeps",
    says={0: "recv", 1: "sleep_outside"},
    reason=after_an_all_reduce,
    frames={
        0: {
            "nccl2": [*CONNECT, "nccl2::ProcessGroupNCCL::recv", "py:recv", "py:main"],
            "classic": ["ncclCommInitRank", "NCCLComm::create", "initNCCLComm", "ProcessGroupNCCL::recv", "py:recv"],
        },
        1: ASLEEP_OUTSIDE,
    },
    # Where rank 1 was faster, rank 0 finds nobody at its address: it asks again, and gives up after a minute.
    environment={"NCCL_SOCKET_RETRY_CNT": "1000000"},
    busy={"nccl2": (0,), "2.15-classic": (0,)},
    verdict=("p2p_hang_after_abort", "host_straggler", "asymmetric_control_flow"),
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
        dist.destroy_process_group()
        sleep_outside()
    tell("recv")
    dist.recv(tensor, 1)


if __name__ == "__main__":
    main()
