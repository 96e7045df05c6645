"""Compares what a report says of NCCL's communicators, by memory and by RAS, with what the stand-in saw launched."""

import collections

NOT_COUNTED = ("AllGatherV",)  # broadcasts that NCCL 2.28 and later put into one kernel
COUNTS_SINCE = (2, 27)  # before, NCCL counts for a profiler only
LISTS_SINCE = (2, 24)


def launched_on(log, comm):
    """How many collectives one process launched on one communicator; by kind where each kernel had only one."""
    kernels = [kernel for kernel in log.kernels if kernel.comm == comm and kernel.sequence]
    kernels = [kernel for kernel in kernels if kernel.operation not in NOT_COUNTED]
    if all(len(kernel.elements) <= 1 for kernel in kernels):
        return dict(collections.Counter(kernel.operation for kernel in kernels))
    return sum(len(kernel.elements) for kernel in kernels)


def check_counts(nccl, report, launched, pids):
    """A fault for each communicator whose counts are not those of the log."""
    version = tuple(map(int, nccl.split(".")))
    records = [job["records"]["communicators"] for job in report["jobs"]]
    items = [item for record in records for item in record["items"]]
    if version < LISTS_SINCE:
        return [f"communicators of NCCL {nccl}: {record['status']}" for record in records if record["status"] == "ok"]
    faults = []
    for pid, log in zip(pids, launched):
        own = {item["hash"]: item for item in items if item["pid"] == pid}
        missing = {kernel.comm for kernel in log.pending} - set(own)
        if own or log.pending:
            faults += [f"pid {pid}: communicator {comm}, which it waits on, was not read" for comm in sorted(missing)]
        for comm, item in own.items():
            expected = launched_on(log, comm) if version >= COUNTS_SINCE else {}
            counted = {kind: count for kind, count in item["seq"].items() if count}
            if isinstance(expected, int):
                counted = sum(counted.values())
            if counted != expected:
                faults.append(f"pid {pid}: on {comm} it launched {expected}, and the report counts {counted}")
    return faults


def check_ras(nccl, report, launched, pids):
    """A fault for each count that RAS told and that is not that of the log; and if RAS did not answer where it could."""
    if tuple(map(int, nccl.split("."))) < LISTS_SINCE:
        return []
    records = [job["records"]["ras"] for job in report["jobs"]]
    faults = [f"RAS failed: {record['reason']}" for record in records if record["status"] == "failed"]
    pending = {kernel.comm for log in launched for kernel in log.pending if kernel.sequence}
    if pending and all(record["status"] == "absent" for record in records):
        faults.append(f"RAS is absent although a communicator is in use: {records[0]['reason']}")
    items = [item for record in records for item in record["items"]]
    for pid, log in zip(pids, launched):
        for item in items:
            if item["pid"] != pid or item["presence"] != "answered":
                continue
            expected = launched_on(log, item["hash"])
            counted = item["collectives"]
            if counted is None:
                counted = {kind: count for kind, count in item["seq"].items() if count}
                if isinstance(expected, dict):
                    expected = {kind: count for kind, count in expected.items() if kind in item["seq"]}
            elif isinstance(expected, dict):
                expected = sum(expected.values())
            if isinstance(expected, int) and isinstance(counted, dict):
                counted = sum(counted.values())
            if counted != expected:
                faults.append(f"pid {pid}: on {item['hash']} it launched {expected}, and RAS counts {counted}")
    return faults
