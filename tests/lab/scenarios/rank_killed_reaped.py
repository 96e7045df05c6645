"""A rank was killed, and what started it has waited for it: there is no process of it any more."""

import dataclasses

from rank_killed import SCENARIO, main

SCENARIO = dataclasses.replace(
    SCENARIO, title="rank 0 in all_reduce, rank 1 killed before its own and waited for", reaped=(1,), tells=()
)


if __name__ == "__main__":
    main()
