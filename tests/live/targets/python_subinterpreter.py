"""The main thread runs code in a subinterpreter, which sleeps."""

import sys

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

INSIDE = """
import os
def inside():
    print("ready", flush=True)
    os.read(0, 1)
inside()
"""


def enter():
    interpreters.run_string(interpreters.create(), INSIDE)  # LINE enter


enter()  # LINE module
