"""FSDP2: a rank skips a wrapped module, so that the order of all-gather and reduce-scatter differs."""

from scenario import IN_SYNCHRONIZE, RANK, Scenario, join, tell


def reason(launched):
    stuck = [log.started for log in launched]
    assert all(stuck), f"not stuck in a kernel: {launched[0]} | {launched[1]}"
    assert {each[0].comm for each in stuck} == {stuck[0][0].comm}
    firsts = [(each[0].operation, each[0].sequence) for each in stuck]
    assert firsts[0][1] == firsts[1][1] and firsts[0][0] != firsts[1][0], f"not two operations at one place: {firsts}"


SCENARIO = Scenario(
    title="FSDP2 (fully_shard): rank 1 skips a wrapped block in iteration 1",
    says={0: "synchronize", 1: "synchronize"},
    reason=reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    verdict=("forward_order_violation", "collective_mismatch"),
)


def main():
    import torch
    from torch.distributed.fsdp import fully_shard

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
    model = Model().cuda()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    for iteration in range(2):
        model(torch.ones(1 << 12).cuda(), skip=RANK == 1 and iteration == 1).sum().backward()
        if iteration == 1:
            tell("synchronize")
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
