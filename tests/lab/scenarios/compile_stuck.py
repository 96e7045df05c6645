"""A rank waits for its compiler, which waits for a header file that never comes; its peers in the all_reduce."""

import os
import pathlib

import inductor
from evidence import below, calls_of
from reasons import alone_in
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, scratch_folder, tell

READ = 0  # of x86-64


def prove(job):
    compilers = [pid for pid, name in below(job.pids[1]).items() if name == "cc1plus"]
    assert len(compilers) == 1, f"not one compiler below rank 1: {below(job.pids[1])}"
    assert calls_of(compilers[0]).get(compilers[0], (None,))[0] == READ, "its compiler does not read"


SCENARIO = Scenario(
    title="rank 1 in torch.compile, its C++ compiler reads a file that never comes; rank 0 in all_reduce",
    says={0: "all_reduce", 1: "compile"},
    reason=alone_in(2),
    prove=prove,
    frames={0: IN_SYNCHRONIZE, 1: {"any": ["py:.*communicate", "py:.*compile", "py:run_model", "py:main"]}},
    verdict=("compile_straggler", "host_straggler"),
    culprits=(1,),
    environment=inductor.ENVIRONMENT,
)


def compiler_with_a_header_that_never_comes(folder):
    """Ends with the rank, which alone could write the header: the compiler finds its end then."""
    os.mkfifo(folder / "header")
    os.open(folder / "header", os.O_RDWR)
    compiler = folder / "c++"
    compiler.write_text(f'#!/bin/sh\nexec g++ "$@" -include {folder}/header\n')
    compiler.chmod(0o755)
    os.environ["CXX"] = str(compiler)


def run_model(torch, values):
    tell("compile")
    return torch.compile(lambda given: given.cos())(values)


def main():
    inductor.prepare()
    if RANK == 1:
        compiler_with_a_header_that_never_comes(pathlib.Path(scratch_folder()))
    import torch
    import torch.distributed as dist

    join()
    tensor = torch.ones(64).cuda()
    for step in range(2):
        if step == 1 and RANK == 1:
            run_model(torch, torch.ones(64))
        if step == 1:
            tell("all_reduce")
        dist.all_reduce(tensor)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
