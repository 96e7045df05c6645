"""A child made by fork, with or without Python's knowledge, sleeps; the parent prints its pid."""

import ctypes
import os
import sys
import threading


def sleep_in_parent():
    threading.Event().wait()


def sleep_in_child():
    os.read(0, 1)  # LINE child


threading.Thread(target=sleep_in_parent, daemon=True).start()
pid = os.fork() if sys.argv[1] == "os" else ctypes.CDLL(None).fork()
if pid == 0:
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    sleep_in_child()  # LINE module
    os._exit(0)
print(pid, flush=True)
os.read(0, 1)
