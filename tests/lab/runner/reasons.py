"""Why a job hangs, in terms of what its ranks launched, where many scenarios hang for the same reason."""


def nothing_launched(launched):
    """Two ranks that have not come to a kernel of NCCL."""
    assert not launched[0].kernels and not launched[1].kernels, f"{launched[0]} | {launched[1]}"


def alone_in(sequence):
    """Rank 0 is in the collective of that number, rank 1 has finished all before it and launched no more."""

    def reason(launched):
        assert [kernel.sequence for kernel in launched[0].started] == [sequence], f"rank 0: {launched[0]}"
        assert len(launched[1].finished) == sequence - 1 and not launched[1].pending, f"rank 1: {launched[1]}"

    return reason


def after_an_all_reduce(launched):
    """One all_reduce has ended everywhere, and nothing was launched since."""
    for rank, log in enumerate(launched):
        assert log.operations == ["AllReduce"] and not log.pending, f"rank {rank}: {log}"


def behind_its_own_kernel(launched):
    """Every rank's second kernel is on the device and does not end."""
    for rank, log in enumerate(launched):
        assert [kernel.number for kernel in log.started] == [2], f"rank {rank}: {log}"


def kernels_finish(launched):
    for log in launched:
        assert log.finished, f"nothing finished: {log}"
