"""What the latest runs of each scenario with each torch have shown, kept between invocations of the runner."""

import dataclasses
import json

import environments
from judge import Judgement

FOLDER = environments.ROOT / "build" / "lab-seen"  # of this checkout, as is the hangstack that was tested


def path_of(name, torch):
    return FOLDER / f"{name}.{torch.name}.json"


def keep(name, torch, runs):
    FOLDER.mkdir(parents=True, exist_ok=True)
    path_of(name, torch).write_text(json.dumps([dataclasses.asdict(run) for run in runs]))


def latest(name, torch):
    """The runs of the last invocation that had this scenario with this torch; empty when there was none."""
    path = path_of(name, torch)
    return [Judgement(**run) for run in json.loads(path.read_text())] if path.exists() else []
