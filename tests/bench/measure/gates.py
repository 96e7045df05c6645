"""What must hold whatever the machine: ratios between tools that ran in the same minute on the same target.

Pauses are compared by their medians and by their shortest: other load makes single pauses longer, of one tool more than
of the other, but hardly all of them. A gate is broken when both say so.
"""

MOST_OVER_FLOOR = 2.0


def ratios(own, base):
    """Of the medians and of the shortest pauses."""
    for mine, others in ((own.pause_ms(), base.pause_ms()), (own.shortest_pause_ms(), base.shortest_pause_ms())):
        yield mine / others if others else float("inf")


def check_all_against_floor(outcome):
    floor, strict = outcome.of("floor"), outcome.of("hangstack --stop all")
    if not floor or not strict or not floor.pauses or not strict.pauses:
        return
    median, shortest = ratios(strict, floor)
    yield (min(median, shortest) <= MOST_OVER_FLOOR, f"{outcome.case.name}: --stop all holds the metered thread"
           f" {median:.2f}x as long as the floor program, at the shortest {shortest:.2f}x (at most {MOST_OVER_FLOOR:.0f}x)")


def check_pause_against_peers(outcome):
    """`all` is compared with tools that hold all threads too: one at a time is shorter by nature."""
    for name in ("hangstack --stop auto", "hangstack --stop all"):
        own = outcome.of(name)
        for peer in outcome.results:
            if not own or not own.pauses or peer.tool.kind != "peer" or not peer.pauses:
                continue
            if own.tool.holds_all and not peer.tool.holds_all:
                continue
            median, shortest = ratios(own, peer)
            yield (min(median, shortest) < 1, f"{outcome.case.name}: {name} holds the metered thread {median:.3f}x as long"
                   f" as {peer.tool.name}, at the shortest {shortest:.3f}x (must be less than 1)")


def check_wall_against_eu_stack(outcome):
    own, peer = outcome.of("hangstack --stop auto"), outcome.of("eu-stack")
    if own and peer and outcome.case.python and outcome.case.ranks == 1:
        yield (own.wall() < peer.wall(), f"{outcome.case.name}: hangstack takes {own.wall() / peer.wall():.2f}x the wall time"
               " of eu-stack (must be less than 1)")


def check(outcome, optimised=True):
    """(holds, sentence) of each gate that applies. A hangstack run that failed is a broken gate of its own.

    `optimised`: hangstack is built like a release. Else its wall time says nothing, nor how near it comes to the floor.
    """
    for result in outcome.results:
        if result.tool.kind != "peer" and result.failure:
            yield False, f"{outcome.case.name}: {result.tool.name}: {result.failure}"
    yield from check_pause_against_peers(outcome)
    if optimised:
        yield from check_all_against_floor(outcome)
        yield from check_wall_against_eu_stack(outcome)
