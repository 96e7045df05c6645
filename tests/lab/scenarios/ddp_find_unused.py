"""DistributedDataParallel with find_unused_parameters on one rank only: its buckets and its collectives differ."""

from scenario import RANK, Scenario, data_parallel, join, tell


def reason(launched):
    firsts = [log.started[0] for log in launched if len(log.started) == 1]
    assert [(kernel.operation, kernel.sequence) for kernel in firsts] == [("AllReduce", 1)] * 2, f"{firsts}"
    assert firsts[0].comm == firsts[1].comm and firsts[0].elements != firsts[1].elements, f"no other size: {firsts}"
    # Both layers in one bucket; a bucket each, and the map of the two parameters that were used.
    assert [sum(kernel.elements) for kernel in launched[0].pending] == [2 * SIZE], f"rank 0: {launched[0]}"
    assert [sum(kernel.elements) for kernel in launched[1].pending] == [SIZE, SIZE, 2], f"rank 1: {launched[1]}"


SIZE = 1 << 16
IN_COPY = {"any": ["^cuStreamSynchronize$", "^cudaStreamSynchronize$", "copy_kernel_cuda", "py:main"]}

SCENARIO = Scenario(
    title="DDP: find_unused_parameters=True on rank 1 only, so that its first bucket is smaller than rank 0's",
    says={0: "next_batch", 1: "next_batch"},
    reason=reason,
    frames={0: IN_COPY, 1: IN_COPY},
    verdict=("collective_mismatch",),
)


def main():
    import torch

    class Scale(torch.nn.Module):
        """Elementwise: the stand-in has no matrix product."""

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(SIZE))

        def forward(self, x):
            return x * self.weight

    join()
    model = torch.nn.Sequential(Scale(), Scale()).cuda()
    model = data_parallel(model, bucket_cap_mb=0.1, find_unused_parameters=RANK == 1)
    for iteration in range(2):
        if iteration == 1:
            tell("next_batch")
        batch = torch.ones(SIZE).cuda()  # the host waits for the device in here
        model(batch).sum().backward()


if __name__ == "__main__":
    main()
