"""Not hung: every step compiles anew, on all ranks, and goes on."""

import inductor
from evidence import below
from reasons import kernels_finish
from scenario import Scenario, go_on, join, tell


def prove(job):
    found = [sorted(set(below(pid).values())) for pid in job.pids]
    assert any("cc1plus" in names for names in found), f"no compiler below the ranks: {found}"


SCENARIO = Scenario(
    title="not hung: torch.compile in every step of all ranks",
    says={0: "compiled", 1: "compiled"},
    reason=kernels_finish,
    prove=prove,
    outcome="moves",
    afterwards={0: "went on", 1: "went on"},
    verdict=("not_hung", "compile_straggler"),
    environment=inductor.ENVIRONMENT,
)


def compiled(torch, step):
    """A function that has not been seen before, as one whose shapes change in every step."""
    torch._dynamo.reset()
    return torch.compile(lambda values: (values * step + 1).sin().sum())


def main():
    inductor.prepare()
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(10**9):
        compiled(torch, step)(torch.ones(64))
        dist.all_reduce(tensor)
        torch.cuda.synchronize()
        if step == 0:
            tell("compiled")
        go_on()


if __name__ == "__main__":
    main()
