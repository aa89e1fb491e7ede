"""A model folder can be useless, but it cannot stop, end or fill the process that opens it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.engine.hostile_folders import HOSTILE

ROOT = Path(__file__).parents[2]


def test_each_hostile_folder_is_one_sentence_and_the_model_in_use_answers_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.engine.hostile_folders", str(tmp_path)]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert child.returncode == 0, child.stderr[-2000:]
    found = json.loads(child.stdout.splitlines()[-1])
    assert {name: title for name, (title, _) in found.items()} == {name: title for name, (_, title) in HOSTILE.items()}
    assert [name for name, (_, answers) in found.items() if not answers] == []
