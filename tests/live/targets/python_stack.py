# -*- coding: utf-8 -*-
"""Stacks of every shape, all blocked. Prints "ready" when every thread is in place; ends when stdin closes.

Lines that a test expects end in "# LINE name".
"""

import ctypes
import os
import sys
import threading
import time

PLACES = threading.Semaphore(0)
LOCK = threading.Lock()


def sleep_for_good():
    PLACES.release()
    time.sleep(1000000)  # LINE sleep


# --- main thread: Python -> C -> Python


def leaf():
    os.read(0, 1)  # LINE leaf


def mid():
    leaf()  # LINE mid


def cmp(_a, _b):
    mid()  # LINE cmp
    return 0


def outer2():
    libc = ctypes.CDLL(None)
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(cmp)
    numbers = (ctypes.c_int * 2)(2, 1)
    libc.qsort(numbers, ctypes.c_size_t(2), ctypes.c_size_t(4), callback)  # LINE outer2


def outer1():
    outer2()  # LINE outer1


# --- generators, in Python and driven from C


def numbers_inside():
    yield 1
    sleep_for_good()  # LINE inside
    yield 2


def numbers_outside():
    yield from numbers_inside()  # LINE outside


def run_generators():
    sum(x for x in numbers_outside())  # LINE generators


# --- a coroutine


class Done:
    def __await__(self):
        sleep_for_good()  # LINE await
        yield


async def coroutine_inside():
    await Done()  # LINE coroutine_inside


async def coroutine_outside():
    await coroutine_inside()  # LINE coroutine_outside


def run_coroutine():
    coroutine_outside().send(None)  # LINE coroutine


# --- calls that span lines, and line numbers that go backwards


def several_lines():
    return max(
        abs(-1),
        take_all(  # LINE several_lines
            1,
            2,
        ),
    )


def take_all(
    _a,
    _b,
):
    return [
        x
        for x in (
            1,
            sleep_for_good(),  # LINE take_all
        )
    ]


# --- names in Latin-1, UCS-2 and UCS-4


class Café:
    def blocké(self):
        функция()  # LINE latin1


def функция():
    def 𠮷野():
        sleep_for_good()  # LINE ucs4

    𠮷野()  # LINE ucs2


# --- a lock


def wait_for_lock():
    PLACES.release()
    with LOCK:  # LINE lock
        pass


# --- deep recursion


def recurse(depth):
    if depth == 0:
        sleep_for_good()  # LINE recurse_end
    recurse(depth - 1)  # LINE recurse


def main():
    LOCK.acquire()
    jobs = {
        "generators": run_generators,
        "coroutine": run_coroutine,
        "lines": several_lines,
        "names": lambda: Café().blocké(),  # LINE lambda
        "lock": wait_for_lock,
        "deep": lambda: recurse(300),
    }
    for name, job in jobs.items():
        threading.Thread(target=job, name=name, daemon=True).start()
    for _ in jobs:
        PLACES.acquire()
    for line in sys.argv[1:]:
        exec(line, globals())
    print("ready", flush=True)
    outer1()  # LINE main
    os._exit(0)


main()  # LINE module
