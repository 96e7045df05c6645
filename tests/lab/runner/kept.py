"""The kept captures of the scenarios, tests/lab/cases/SCENARIO.TORCH: they replay without torch and without the lab."""

import contextlib
import fcntl
import io
import json
import os
import pathlib
import shutil
import tarfile
import tempfile

import environments
import judge
import thin

CASES = environments.ROOT / "tests" / "lab" / "cases"
HOME = pathlib.Path.home()
PACKED = "capture.tar.xz"
EXPECTED = "expected.txt"


@contextlib.contextmanager
def _in_bare_environment():
    before, folder = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(thin.BARE_ENVIRONMENT)
    os.chdir(thin.NEUTRAL)
    try:
        yield
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(before)


def _base_of(venv):
    """The installation that a virtual environment is made of."""
    lines = (venv / "pyvenv.cfg").read_text().splitlines()
    return pathlib.Path(next(line.split("=", 1)[1].strip() for line in lines if line.startswith("home"))).parent


@contextlib.contextmanager
def _neutral_place(torch):
    """(place, names): where ranks run without a word of this machine; what its files are called on this machine."""
    real = environments.place_of(torch)
    venv = real.python.parent.parent
    base = _base_of(venv)
    with open(environments.CACHE / "record.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(thin.NEUTRAL, ignore_errors=True)
        (thin.NEUTRAL / "venv" / "bin").mkdir(parents=True)
        (thin.NEUTRAL / "python").symlink_to(base)
        (thin.NEUTRAL / "venv" / "pyvenv.cfg").write_text(f"home = {thin.NEUTRAL}/python/bin\n")
        (thin.NEUTRAL / "venv" / "bin" / "python").symlink_to(thin.NEUTRAL / "python" / "bin" / "python3")
        (thin.NEUTRAL / "venv" / "lib").symlink_to(venv / "lib")
        (thin.NEUTRAL / "standin").symlink_to(real.standin.parent)
        # Copies: Python resolves the folder of a script.
        for folder in ("runner", "scenarios"):
            shutil.copytree(real.lab / folder, thin.NEUTRAL / "lab" / folder, ignore=shutil.ignore_patterns("__pycache__"))
        place = environments.Place(
            thin.NEUTRAL / "venv" / "bin" / "python", thin.NEUTRAL / "standin" / real.standin.name, thin.NEUTRAL / "lab"
        )
        ours = {venv: thin.NEUTRAL / "venv", base: thin.NEUTRAL / "python", real.standin.parent: thin.NEUTRAL / "standin"}
        names = [(name, neutral) for path, neutral in ours.items() for name in {path, path.resolve()}]
        try:
            with _in_bare_environment():
                yield place, names
        finally:
            shutil.rmtree(thin.NEUTRAL)


class Recording:
    """One run of a scenario that shall become its case."""

    def __init__(self, name, torch):
        self.name, self.torch = name, torch
        self.open = contextlib.ExitStack()

    def __enter__(self):
        self.place, self.names = self.open.enter_context(_neutral_place(self.torch))
        temporary = self.open.enter_context(tempfile.TemporaryDirectory(prefix="hangstack-record-"))
        self.folder = pathlib.Path(temporary) / "capture"
        return self

    def __exit__(self, *raised):
        return self.open.__exit__(*raised)

    @property
    def options(self):
        """What hangstack must be told so that `keep` has something."""
        return ["--capture", self.folder]

    def keep(self, scenario, pids, hangstack):
        """Writes the case. Gives what its replay lacks."""
        try:
            thin.thin(hangstack, self.folder, [*self.names, (environments.ROOT, "/src")], [HOME])
        except thin.Changed as changed:
            return [str(changed)]
        (self.folder / "pids.json").write_text(json.dumps(pids))
        case = case_of(self.name, self.torch)
        case.mkdir(parents=True, exist_ok=True)
        _pack(self.folder, case / PACKED)
        judged, text = replay(case, scenario, self.torch, hangstack)
        (case / EXPECTED).write_text(text)
        print(f"    kept {case.relative_to(environments.ROOT)}: {(case / PACKED).stat().st_size / 1024:.0f} KiB")
        return judged.faults


def case_of(name, torch):
    return CASES / f"{name}.{torch.name}"


def cases():
    return sorted(path for path in CASES.iterdir() if (path / PACKED).exists())


def _pack(folder, file):
    """Without times and owners; the two samples of the ranks are alike, which one window over all of them uses."""
    with tarfile.open(file, "w:xz", preset=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                member = tarfile.TarInfo(str(path.relative_to(folder)))
                member.size = path.stat().st_size
                archive.addfile(member, io.BytesIO(path.read_bytes()))


def unpack(case, folder):
    with tarfile.open(case / PACKED) as archive:
        for member in archive:
            path = folder / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(member).read())


def replay_folder(folder, scenario, torch, hangstack):
    """(what the scenario says of the replayed capture, that and the report as text)"""
    report = folder / "report.json"
    text = thin.replay(hangstack, folder, "--full", "--all-threads", "--color", "never", "-o", report)
    pids = json.loads((folder / "pids.json").read_text())
    judged = judge.judge(scenario, torch.generations, json.loads(report.read_text()), pids)
    return judged, f"{judged.verdict}: {judged.says}\n\n{text}"


def replay(case, scenario, torch, hangstack):
    """As `replay_folder`, of a kept case."""
    with tempfile.TemporaryDirectory(prefix="hangstack-replay-") as temporary:
        folder = pathlib.Path(temporary)
        unpack(case, folder)
        return replay_folder(folder, scenario, torch, hangstack)
