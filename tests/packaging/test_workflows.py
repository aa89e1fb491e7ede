"""The workflows are of the right form, name only what exists, and give no secret to a stranger's proposal."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from mac.contract import CLAIMED
from mac.lock import PYTHON

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BUILD = ROOT / ".github" / "workflows" / "build.yml"


def read(path: Path) -> dict[str, Any]:
    """A workflow; YAML takes the word `on` for a boolean, as GitHub does not."""
    workflow = yaml.safe_load(path.read_text())
    workflow["on"] = workflow.pop(True)
    return workflow


def steps(path: Path, job: str = "") -> list[dict[str, Any]]:
    jobs = read(path)["jobs"]
    return [step for name, each in jobs.items() if job in ("", name) for step in each["steps"]]


def commands(path: Path, job: str = "") -> list[str]:
    """Every line that is run, in order."""
    return [line.strip() for step in steps(path, job) for line in step.get("run", "").splitlines() if line.strip()]


def test_there_are_the_two() -> None:
    assert [path.name for path in FILES] == ["build.yml", "release.yml"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
class TestEach:
    def test_jobs_have_a_machine_a_limit_and_steps(self, path: Path) -> None:
        for job in read(path)["jobs"].values():
            assert re.fullmatch(r"(ubuntu|macos)-\d[\d.]*", job["runs-on"])
            assert 0 < job["timeout-minutes"] <= 120
            assert all(("run" in step) != ("uses" in step) for step in job["steps"])

    def test_it_may_only_read(self, path: Path) -> None:
        assert read(path)["permissions"] == {"contents": "read"}
        assert not [job for job in read(path)["jobs"].values() if "permissions" in job]

    def test_actions_are_githubs_own_at_a_version(self, path: Path) -> None:
        used = [step["uses"] for step in steps(path) if "uses" in step]
        assert used
        for name in used:
            assert re.fullmatch(r"actions/(checkout|setup-python|upload-artifact)@(v\d+|[0-9a-f]{40})", name)

    def test_every_make_target_exists(self, path: Path) -> None:
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = {line.split()[1] for line in commands(path) if line.startswith("make ")}
        assert named
        assert named <= targets

    def test_every_script_exists(self, path: Path) -> None:
        named = re.findall(r"packaging/[\w/]+\.(?:sh|py)", "\n".join(commands(path)))
        assert named
        assert [name for name in named if not (ROOT / name).is_file()] == []

    def test_the_bundle_is_made_with_the_python_that_its_wheels_are_for(self, path: Path) -> None:
        mac = [step for step in steps(path, "mac") if "setup-python" in step.get("uses", "")]
        assert [step["with"]["python-version"] for step in mac] == [PYTHON]

    def test_the_mac_is_the_oldest_system_that_is_named(self, path: Path) -> None:
        assert read(path)["jobs"]["mac"]["runs-on"] == f"macos-{CLAIMED[0]}"

    def test_signatures_are_checked_strictly(self, path: Path) -> None:
        environment = read(path)["jobs"]["mac"]["env"]
        assert environment["PYINSTALLER_STRICT_BUNDLE_CODESIGN_ERROR"] == "1"
        assert environment["PYINSTALLER_VERIFY_BUNDLE_SIGNATURE"] == "1"
        assert "codesign --verify --deep --strict --verbose=2 dist/Espalier.app" in commands(path, "mac")

    def test_the_application_is_tried_before_it_is_handed_out(self, path: Path) -> None:
        mac = steps(path, "mac")
        order = ["make setup-mac", "make test", "make app", "codesign --verify", "packaging/mac/try_app.sh dist"]
        places = [next(n for n, step in enumerate(mac) if part in step.get("run", "")) for part in order]
        upload = next(n for n, step in enumerate(mac) if "upload-artifact" in step.get("uses", ""))
        assert places == sorted(places)
        assert places[-1] < upload
        assert mac[upload]["with"]["path"] == "dist/Espalier.dmg"
        assert mac[upload]["with"]["if-no-files-found"] == "error"

    def test_what_is_run_is_shell(self, path: Path) -> None:
        for step in steps(path):
            if "run" in step:
                script = re.sub(r"\$\{\{.*?\}\}", "value", step["run"])
                assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0

    def test_no_expression_is_pasted_into_a_script(self, path: Path) -> None:
        """Such text would be run as it stands; values come by the environment."""
        assert not [line for line in commands(path) if "${{" in line]


class TestBuild:
    def test_it_runs_for_every_proposal_and_knows_no_secret(self) -> None:
        assert {"push", "pull_request"} <= read(BUILD)["on"].keys()
        assert "secrets." not in BUILD.read_text()
        assert "pull_request_target" not in BUILD.read_text()

    def test_only_the_gpu_may_fail(self) -> None:
        forgiven = [step["run"] for step in steps(BUILD) if step.get("continue-on-error")]
        assert forgiven == ["sh packaging/mac/try_app.sh --gpu dist/Espalier.app"]

    def test_linux_does_what_the_local_check_does(self) -> None:
        wanted = re.findall(r"^make (\S+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
        assert len(wanted) >= 5
        done = [line.split()[1] for line in commands(BUILD, "linux") if line.startswith("make ")]
        assert set(wanted) <= set(done)

    def test_it_installs_the_libraries_that_the_local_check_installs(self) -> None:
        local = re.search(r"for package in (.*?); do", (ROOT / ".ci" / "run").read_text(), re.DOTALL)
        installed = next(step["run"] for step in steps(BUILD, "linux") if "apt-get install" in step.get("run", ""))
        assert local is not None
        wanted = set(local[1].replace("\\", "").split()) - {"python3-venv", "make"}
        assert wanted == set(installed.replace("\\", "").split("--no-install-recommends")[1].split())


def test_secrets_are_used_for_tags_alone() -> None:
    for path in FILES:
        if "secrets." in path.read_text():
            assert read(path)["on"] == {"push": {"tags": ["v*"]}}
            assert all("environment" in job for job in read(path)["jobs"].values())


def test_every_secret_and_variable_is_explained() -> None:
    explained = (ROOT / "packaging" / "mac" / "README.md").read_text()
    text = "".join(path.read_text() for path in FILES)
    secrets = set(re.findall(r"secrets\.(\w+)", text))
    assert len(secrets) == 6
    assert [name for name in secrets if f"`{name}`" not in explained] == []
    variables = set(re.findall(r"ESPALIER_(?:SIGN|NOTARY)_\w+", text))
    assert [name for name in variables if f"`{name}`" not in explained] == []
