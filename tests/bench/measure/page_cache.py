"""Keeps the files a target maps in the page cache: otherwise the disk is measured instead of a tool.

Some machines reclaim pages that nobody touched for a while (Linux DAMON), so this is looked at before every run.
"""

import ctypes
import mmap
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)


def mapped_files(pids):
    paths = set()
    for pid in pids:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            fields = line.split(None, 5)
            if len(fields) == 6 and fields[5].startswith("/"):
                paths.add(fields[5])
    return paths


def is_resident(file):
    """Whether all pages of an open file are in the page cache; False when the kernel does not say."""
    # A private mapping is writable, which ctypes asks for, and is never written.
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as view:
        pages = (len(view) + mmap.PAGESIZE - 1) // mmap.PAGESIZE
        present = (ctypes.c_ubyte * pages)()
        first = ctypes.c_char.from_buffer(view)
        answered = LIBC.mincore(ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(len(view)), present) == 0
        del first
        # Bit 0 is the residency, the others are undefined.
        return answered and bytes(present).translate(None, bytes(range(1, 256, 2))) == b""


def warm(pids):
    buffer = bytearray(1 << 23)
    for path in mapped_files(pids):
        try:
            with open(path, "rb", buffering=0) as file:
                if not is_resident(file):
                    while file.readinto(buffer):
                        pass
        except (OSError, ValueError):
            pass  # shared memory, deleted and empty files
