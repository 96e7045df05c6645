"""As missing_collective, with a driver whose code has no unwind tables: the native frames above it may be lost."""

import missing_collective
from scenario import ASLEEP_OUTSIDE, Scenario

SCENARIO = Scenario(
    title="rank 1 sleeps outside; the driver's code has no unwind tables",
    says=missing_collective.SCENARIO.says,
    reason=missing_collective.SCENARIO.reason,
    frames={0: {"any": ["py:synchronize", "py:main"]}, 1: ASLEEP_OUTSIDE},
    verdict=("host_straggler",),
    culprits=(1,),
    bare_driver=True,
)

if __name__ == "__main__":
    missing_collective.main()
