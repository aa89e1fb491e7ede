"""Makes the guide again in one command: trains it, examines it, and puts it into the program's resources if it is fit.

An environment of its own for torch is made on the first run. A run that is cut short goes on from its last checkpoint
when the command is given again, as long as the text and the recipe are the same; otherwise it begins anew.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

from guide_model.card import write_card
from guide_model.commands import commands
from guide_model.dialogue import TAUGHT, TOPICS, conversation
from guide_model.evaluate import examine, faults, figures
from guide_model.more_asked import MORE_ASKED
from guide_model.player import Player
from guide_model.recipe import CONTINUING, STAGES

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "resources" / "models" / "guide"
BUILD = ROOT / "build" / "guide"
PARTS = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md")

# glibc gives large blocks back to the system after each step and asks for them again: a third of the time.
_KEEP_MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
}


def fingerprint(is_from_scratch: bool, begin_with: Path) -> str:
    """Return eight characters that differ when the text, the recipe or the weights to begin with do."""
    rng = Random(0)
    drawn = [conversation(rng) for _ in range(200)]
    start = b"" if is_from_scratch else (begin_with / "model.safetensors").read_bytes()
    told = repr((TOPICS, MORE_ASKED, STAGES if is_from_scratch else CONTINUING, drawn))
    return hashlib.sha256(told.encode() + start).hexdigest()[:8]


def _torch_python() -> Path:
    """Return the Python that has torch; its environment is made if there is none."""
    python = BUILD / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(BUILD / "venv")], check=True)
    wanted = Path(__file__).with_name("requirements.txt")
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "-r", str(wanted)], check=True)
    return python


def train(work: Path, begin_with: Path | None) -> None:
    """Train in `work`, from the weights in `begin_with` or from scratch; CalledProcessError if it fails."""
    command = [str(_torch_python()), "-u", "-m", "guide_model.train", "--work", str(work)]
    command += [] if begin_with is None else ["--begin-with", str(begin_with)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "packaging")])
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **_KEEP_MEMORY, "PYTHONPATH": path})


def main(given: list[str] | None = None) -> int:
    """The command line: python -m guide_model.make [--from-scratch]."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from-scratch", action="store_true", help="do not go on from the guide that ships now")
    arguments = parser.parse_args(given)
    untaught = [command for command in commands() if command not in TAUGHT]
    if untaught:
        print(f"No topic explains {', '.join(untaught)}: write what the guide shall say of them first.")
        return 1
    work = BUILD / f"run-{fingerprint(arguments.from_scratch, SHIPPED)}"
    begin_with = None if arguments.from_scratch else work / "before"
    if begin_with is not None and not begin_with.exists():
        shutil.copytree(SHIPPED, begin_with)
    train(work, begin_with)
    made = work / "guide"
    scores = examine(Player(made))
    write_card(made, figures(scores), arguments.from_scratch)
    for fault in faults(scores):
        print(f"Not fit to ship: {fault}")
    if faults(scores):
        print(f"The guide in {made.relative_to(ROOT)} was left there, and the one that ships was not touched.")
        return 1
    for name in PARTS:
        shutil.copyfile(made / name, SHIPPED / name)
    print(f"The guide in {SHIPPED.relative_to(ROOT)} is the new one. See what changed with git, and run the tests.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
