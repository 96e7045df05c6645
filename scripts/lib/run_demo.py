"""run_demo.py HANGSTACK PYTHON REPORT.json: hangs a job, samples it, ends it. Called by scripts/demo."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from hung_job import CALLED_HUNG_S, Job

TRAIN = pathlib.Path(__file__).resolve().parents[2] / "examples" / "train.py"


def say(text):
    print(f"demo: {text}", flush=True)


def stop(number, _):
    raise SystemExit(128 + number)


def main():
    hangstack, python, report = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    say(f"starting 3 ranks: {python} examples/train.py")
    began = time.monotonic()
    with Job(python, TRAIN) as job:
        job.wait_until_hung({0: "all_reduce", 1: "all_reduce", 2: "load_batch"}, quiet_s=CALLED_HUNG_S)
        say(f"hung: no rank has moved for ten seconds ({time.monotonic() - began:.0f} s after the start)")
        # Only this job's: another train.py may run on the machine.
        ours = ["pgrep", "--parent", str(os.getpid()), "--full", TRAIN.name]
        pids = subprocess.run(ours, check=True, capture_output=True, text=True).stdout.split()
        say(f"hangstack --pids {' '.join(pids)}        (from: {' '.join(ours)})\n")
        status = subprocess.run([hangstack, "--pids", *pids, "-o", report]).returncode
        print()
    say(f"ended the 3 ranks; the report is also in {report}")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, TimeoutError) as error:
        sys.exit(f"demo: the job did not hang: {error}")
