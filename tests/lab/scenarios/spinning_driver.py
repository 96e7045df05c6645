"""As missing_collective, with a driver that spins: what CUDA does by default when there are cores enough."""

import missing_collective
from scenario import ASLEEP_OUTSIDE, IN_SYNCHRONIZE, Scenario

SCENARIO = Scenario(
    title="rank 1 sleeps outside; rank 0 waits for the device in a driver that spins",
    says=missing_collective.SCENARIO.says,
    reason=missing_collective.SCENARIO.reason,
    frames={0: IN_SYNCHRONIZE, 1: ASLEEP_OUTSIDE},
    busy={"any": (0,)},
    verdict=("host_straggler",),
    culprits=(1,),
    environment={"HANGSTACK_LAB_WAIT": "spin"},
)

if __name__ == "__main__":
    missing_collective.main()
