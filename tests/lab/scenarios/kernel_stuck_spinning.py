"""As kernel_stuck, with a driver that spins: all ranks burn a core, and nothing moves."""

import kernel_stuck
from scenario import IN_SYNCHRONIZE, Scenario

SCENARIO = Scenario(
    title="the third all_reduce of all ranks never ends on the device; all ranks wait in a driver that spins",
    says=kernel_stuck.SCENARIO.says,
    reason=kernel_stuck.SCENARIO.reason,
    frames={0: IN_SYNCHRONIZE, 1: IN_SYNCHRONIZE},
    busy={"any": (0, 1)},
    verdict=("nccl_timeout",),
    environment={**kernel_stuck.SCENARIO.environment, "HANGSTACK_LAB_WAIT": "spin"},
)

if __name__ == "__main__":
    kernel_stuck.main()
