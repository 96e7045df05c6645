"""DistributedDataParallel: a rank leaves a parameter unused, so that its bucket is never reduced."""

from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, RANK, Scenario, data_parallel, join, sleep_outside, tell


def reason(launched):
    waiting = launched[0].pending
    assert waiting and {kernel.operation for kernel in waiting} == {"AllReduce"}, f"rank 0: {launched[0]}"
    assert not launched[1].pending, f"rank 1: {launched[1]}"
    assert len(launched[0].kernels) > len(launched[1].kernels), f"rank 1 launched as many: {launched[1]}"


SCENARIO = Scenario(
    title="DDP: rank 1 leaves a layer unused in iteration 1, its first bucket is never reduced; then it sleeps",
    says={0: "synchronize", 1: "sleep_outside"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: ASLEEP_OUTSIDE},
    verdict=("unused_parameter", "host_straggler", "asymmetric_control_flow"),
    culprits=(1,),
)


def main():
    import torch

    class Scale(torch.nn.Module):
        """Elementwise: the stand-in has no matrix product."""

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1 << 16))

        def forward(self, x):
            return x * self.weight

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = Scale(), Scale()

        def forward(self, x, skip):
            x = self.first(x)
            return x if skip else self.last(x)

    join()
    model = data_parallel(Model().cuda(), bucket_cap_mb=0.1)
    for iteration in range(2):
        model(torch.ones(1 << 16).cuda(), skip=RANK == 1 and iteration == 1).sum().backward()
        if iteration == 0:
            torch.cuda.synchronize()
    if RANK == 1:
        sleep_outside()
    tell("synchronize")
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
