"""Not hung: a rank compiles for a new shape while its peers wait in the all_reduce, and comes."""

import inductor
from evidence import below
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

GRAPHS = 5  # of one model: several seconds of work


def prove(job):
    names = set(below(job.pids[1]).values())
    assert "cc1plus" in names, f"no compiler below rank 1: {names}"


SCENARIO = Scenario(
    title="not hung: rank 1 compiles with torch.compile, rank 0 in all_reduce",
    says={0: "all_reduce", 1: "compile"},
    reason=alone_in(2),
    prove=prove,
    outcome="moves",
    waiting=(0,),
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:.*compile", "py:run_model", "py:main"]}},
    afterwards={0: "arrived", 1: "arrived"},
    verdict=("compile_straggler", "host_straggler"),
    culprits=(1,),
    environment=inductor.ENVIRONMENT,
)


def run_model(torch, values):
    torch.compile(lambda given: given.cos())(values)  # what inductor does once: imports, and trying the compiler
    tell("compile")
    for graph in range(GRAPHS):
        torch._dynamo.reset()
        values = torch.compile(lambda given: (given * graph + 1).sin())(values)  # noqa: B023 called at once
    return values


def main():
    inductor.prepare()
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    if RANK == 1:
        run_model(torch, torch.ones(64))
    tell("all_reduce")
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    tell("arrived")
    dist.barrier()


if __name__ == "__main__":
    main()
