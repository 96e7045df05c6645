"""The report in README.md: made from a job that really hangs, found again, and compared without its numbers."""

import pathlib
import re
import subprocess

from hung_job import Job

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
TRAIN = ROOT / "examples" / "train.py"
HUNG = {0: "all_reduce", 1: "all_reduce", 2: "load_batch"}
BEGIN = "<!-- report: written by scripts/refresh-readme -->\n"
END = "<!-- end of report -->\n"


def torch_python():
    """The interpreter of a PyTorch that is installed here, 2.15 first; None without."""
    find = ". scripts/lib/torch.sh; torch_python 2.15 || debian_torch_python"
    found = subprocess.run(["bash", "-c", find], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip() or None


def hung_job():
    """A job that is started by `with` and hung after wait_until_hung(HUNG)."""
    return Job(torch_python(), TRAIN, output=subprocess.DEVNULL)


def report_of(binary, job):
    command = [binary, "--pids", *map(str, job.pids)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def report_in_readme():
    text = README.read_text()
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)].removeprefix("```\n").removesuffix("```\n")


def put_into_readme(report):
    text = README.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    README.write_text(f"{text[:begin]}```\n{report}```\n{text[end:]}")


def without_numbers(report):
    """What must be equal in two runs: the words of the first lines and the headings, not times, pids and widths."""
    words = re.sub(r"[\d.,:-]+( (h|min|s|ms|us)\b)?", "#", report)
    lines = [re.sub(r"\s+", " ", line).strip() for line in words.splitlines()]
    return [line for line in lines if line.isupper() or line.startswith(("HUNG", "NOT HUNG", "UNDECIDED", "Ranks "))]
