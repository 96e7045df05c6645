"""The TCP sockets of a process, by what the kernel says of them."""

import dataclasses
import os
import pathlib

STATES = {"01": "ESTABLISHED", "02": "SYN_SENT", "0A": "LISTEN"}


@dataclasses.dataclass(frozen=True)
class Socket:
    state: str  # of STATES, else the kernel's number
    port: int
    peer: int  # the port of the other end, 0 for none
    unread: int  # bytes; of one that listens, the connections that it has not accepted
    inode: str  # "0" of one that no process has any more


def table(pid):
    """All TCP sockets, IPv4 and IPv6, in the network namespace of the process."""
    found = []
    for name in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            port, peer = (int(words[at].rsplit(":", 1)[1], 16) for at in (1, 2))
            unread = int(words[4].split(":")[1], 16)
            found.append(Socket(STATES.get(words[3], words[3]), port, peer, unread, words[9]))
    return found


def inodes_of(pid):
    for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(descriptor)
        except FileNotFoundError:  # closed meanwhile
            continue
        if target.startswith("socket:["):
            yield target[len("socket:[") : -1]


def of(pid):
    """Those that the process has open."""
    inodes = set(inodes_of(pid))
    return [each for each in table(pid) if each.inode in inodes]


def at(port):
    """Those of any process, and of none any more, that have the port at either end."""
    return [each for each in table("self") if port in (each.port, each.peer)]


def between(pid, other):
    """The process's connections with another."""
    ends = {(each.peer, each.port) for each in of(other)}
    return [each for each in of(pid) if each.state == "ESTABLISHED" and (each.port, each.peer) in ends]


def nothing_arrived(job):
    """Proves of a job of two ranks that none has sent what the other waits for."""
    pairs = between(*job.pids)
    assert pairs and not any(each.unread for each in pairs), f"{pairs}"
