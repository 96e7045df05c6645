"""Lays its own stack out in memory as PyTorch's CapturedTraceback does, says where and what it is, and waits.

First line: the address. Then a line "function file line" for each frame, innermost first. Then "ready". Ends when stdin closes.
"""

import ctypes
import sys


class PyFrame(ctypes.Structure):
    _fields_ = [("code", ctypes.c_void_p), ("lasti", ctypes.c_int)]


class CapturedTraceback(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("vtable", "begin", "end", "end_of_room")]


def capture():
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    array = (PyFrame * len(frames))(*[(id(each.f_code), each.f_lasti) for each in frames])
    begin = ctypes.addressof(array)
    end = begin + ctypes.sizeof(array)
    traceback = CapturedTraceback(0, begin, end, end)
    told = [f"{each.f_code.co_name} {each.f_code.co_filename} {each.f_lineno}" for each in frames]
    return traceback, array, told


def reduce(
    first,
    second,
):
    return (
        capture()
        if first
        else second
    )  # fmt: skip


# The distance between two of its lines is more than a byte can say.
FAR = {}
LINES = ["def far_below(reduce, value):", "    value += 0", *[""] * 300, "    return reduce(", "        value,", "        None)"]
exec(compile("\n".join(LINES), "far_below.py", "exec"), FAR)


def batches():
    for number in range(2):
        yield FAR["far_below"](reduce, number + 1)


class Trainer:
    def step(self):
        return [each for each in batches()][0]

    def запуск(self):
        call = lambda: self.step()  # noqa: E731
        return call()


def main():
    traceback, array, told = Trainer().запуск()
    print(ctypes.addressof(traceback))
    for line in told:
        print(line)
    print("ready", flush=True)
    sys.stdin.read()
    del array


main()
