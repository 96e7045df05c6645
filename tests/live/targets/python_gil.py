"""The main thread sleeps in C and keeps the GIL; two threads want it."""

import ctypes
import threading


def busy():
    number = 0
    while True:
        number += 1


def hold_gil():
    ctypes.PyDLL(None).pause()  # LINE hold


for _ in range(2):
    threading.Thread(target=busy, daemon=True).start()
print("ready", flush=True)
hold_gil()  # LINE module
