"""What must hold whatever the machine: ratios between tools that ran in the same minute on the same target."""

MOST_OVER_FLOOR = 2.0


def check_all_against_floor(outcome):
    floor, strict = outcome.of("floor"), outcome.of("hangstack --stop all")
    if not floor or not strict or not floor.pauses or not strict.pauses:
        return
    ratio = strict.pause_ms() / floor.pause_ms() if floor.pause_ms() else float("inf")
    yield (ratio <= MOST_OVER_FLOOR, f"{outcome.case.name}: --stop all holds the metered thread {ratio:.2f}x as long as the"
           f" floor program (at most {MOST_OVER_FLOOR:.0f}x)")


def check_pause_against_peers(outcome):
    """`all` is compared with tools that hold all threads too: one at a time is shorter by nature."""
    for name in ("hangstack --stop auto", "hangstack --stop all"):
        own = outcome.of(name)
        for peer in outcome.results:
            if not own or not own.pauses or peer.tool.kind != "peer" or not peer.pauses:
                continue
            if own.tool.holds_all and not peer.tool.holds_all:
                continue
            yield (own.pause_ms() < peer.pause_ms(), f"{outcome.case.name}: {name} holds the metered thread"
                   f" {own.pause_ms():.3f} ms, {peer.tool.name} {peer.pause_ms():.3f} ms (must be less)")


def check_wall_against_eu_stack(outcome):
    own, peer = outcome.of("hangstack --stop auto"), outcome.of("eu-stack")
    if own and peer and outcome.case.python and outcome.case.ranks == 1:
        yield (own.wall() < peer.wall(), f"{outcome.case.name}: hangstack takes {own.wall() / peer.wall():.2f}x the wall time"
               " of eu-stack (must be less than 1)")


def check(outcome):
    """(holds, sentence) of each gate that applies. A hangstack run that failed is a broken gate of its own."""
    for result in outcome.results:
        if result.tool.kind != "peer" and result.failure:
            yield False, f"{outcome.case.name}: {result.tool.name}: {result.failure}"
    yield from check_all_against_floor(outcome)
    yield from check_pause_against_peers(outcome)
    yield from check_wall_against_eu_stack(outcome)
