"""FSDP (FullyShardedDataParallel): a rank skips a wrapped block, as a vision tower for a batch of text only."""

from fsdp2_skipped import reason
from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell

SCENARIO = Scenario(
    title="FSDP (FullyShardedDataParallel): rank 1 skips a wrapped block in iteration 1",
    says={0: "synchronize", 1: "synchronize"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("forward_order_violation", "collective_mismatch"),
)


def main():
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    class Scale(torch.nn.Module):
        """Elementwise: the stand-in has no matrix product."""

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1 << 12))

        def forward(self, x):
            return x * self.weight

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([Scale() for _ in range(3)])

        def forward(self, x, skip):
            for index, block in enumerate(self.blocks):
                if not (skip and index == 1):
                    x = block(x)
            return x

    join()
    model = FullyShardedDataParallel(Model().cuda(), auto_wrap_policy=ModuleWrapPolicy({Scale}))
    for iteration in range(2):
        model(torch.ones(1 << 12).cuda(), skip=RANK == 1 and iteration == 1).sum().backward()
        if iteration == 1:
            tell("synchronize")
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
