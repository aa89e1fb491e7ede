"""Imports run one way: who may know whom is part of the design."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APP = ROOT / "app"

# Package: what it may import of ours, and from outside the standard library.
MAY: dict[str, tuple[set[str], set[str]]] = {
    "protocol": (set(), set()),
    "processes": (set(), {"PySide6.QtCore"}),
    "conversation": ({"protocol"}, set()),
    "exchange": ({"conversation", "protocol"}, set()),
    "models": ({"protocol"}, set()),
    "attaching": ({"processes", "protocol", "rendering"}, {"pypdf"}),
    "formulas": (set(), {"ziamath", "ziafont"}),
    "kvcache": ({"protocol"}, {"mlx", "mlx_lm", "safetensors"}),
    "rendering": ({"processes", "protocol"}, {"jinja2"}),
    "tokenizing": ({"processes", "prompting", "protocol", "rendering"}, {"transformers"}),
    "prompting": ({"protocol", "rendering"}, {"tokenizers"}),
    "engine": (
        {"kvcache", "models", "prompting", "protocol", "rendering", "tokenizing"},
        {"mlx", "mlx_lm", "numpy", "tokenizers", "huggingface_hub"},
    ),
    "hub": ({"protocol"}, {"huggingface_hub", "httpx2", "filelock", "keyring"}),
    "remote": ({"prompting", "protocol", "tokenizing"}, {"httpx2"}),
    "gateway": ({"protocol"}, {"uvicorn", "h11"}),
    "worker": ({"gateway", "hub", "engine", "processes", "protocol", "remote"}, {"PySide6.QtCore"}),
    "viewmodels": (
        {"worker", "protocol", "conversation", "attaching", "exchange", "models", "hub", "remote"},
        {"PySide6.QtCore", "PySide6.QtGui"},
    ),
    "widgets": ({"viewmodels", "processes", "protocol", "formulas"}, {"PySide6"}),
    # Brings all of them together, and so is known to none of them.
    "launch": (
        {"protocol", "conversation", "kvcache", "engine", "worker", "viewmodels", "widgets"} | {"__version__"},
        {"PySide6", "mlx", "mlx_lm", "transformers"},
    ),
}
# Parts of a package that are held to more than their package is.
STRICTER: dict[str, set[str]] = {
    "processes/child_process.py": set(),
    "kvcache/node.py": set(),
    "kvcache/trie.py": set(),
    "kvcache/eviction.py": set(),
    "kvcache/disk/files.py": set(),
    "kvcache/disk/index.py": set(),
    "kvcache/disk/space.py": set(),
    "kvcache/disk/writer.py": set(),
}
# Regions of the window: which folders of view models each may know. Only `window` knows the others.
REGIONS: dict[str, set[str]] = {
    "kit": {"kit"},
    "chat": {"kit", "text", "warmth", "chat", "comparison", "lanes", "tokens"},
    "sidebar": {"kit", "text", "warmth", "library"},
    "cache": {"kit", "text", "cache", "edges"},
    "branches": {"kit", "text", "warmth", "branches"},
    "models": {"kit", "text", "model", "hub", "servers"},
    "find": {"kit", "text", "find"},
    "jump": {"kit", "text", "jump"},
    "preferences": {"kit", "text", "preferences"},
    "map": {"kit", "text", "map"},
}
# Folders of view models: which others each may know. The files above them bring all together.
VIEW_MODELS: dict[str, set[str]] = {
    "kit": {"kit"},
    "text": {"text"},
    "model": {"kit", "text", "model"},
    "hub": {"kit", "text", "hub"},
    "cache": {"kit", "text", "model", "cache"},
    "servers": {"kit", "text", "model", "servers"},
    "library": {"kit", "text", "model", "library"},
    "warmth": {"kit", "text", "model", "library", "warmth"},
    "chat": {"kit", "text", "model", "library", "warmth", "chat"},
    "edges": {"kit", "text", "model", "library", "warmth", "cache", "edges"},
    "comparison": {"kit", "text", "library", "chat", "comparison"},
    "lanes": {"kit", "text", "library", "chat", "lanes"},
    "tokens": {"kit", "text", "model", "library", "warmth", "chat", "tokens"},
    "map": {"kit", "text", "library", "warmth", "branches", "map"},
    "branches": {"kit", "text", "library", "warmth", "branches"},
    "find": {"kit", "text", "library", "chat", "find"},
    "jump": {"kit", "text", "library", "jump"},
    "gateway": {"kit", "text", "gateway"},
    "preferences": {
        *("kit", "text", "model", "hub", "cache", "servers", "library", "warmth", "chat", "gateway", "preferences"),
    },
}
FILES = sorted(APP.rglob("*.py"))
KNOWN = set(FILES)


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file's syntax."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Every module that a file imports, wherever in it."""
    names: list[str] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


def refused(path: Path, name: str) -> bool:
    """Whether this file may not import this name."""
    place = path.relative_to(APP)
    first, *rest = name.split(".")
    if first in sys.stdlib_module_names or len(place.parts) == 1:
        return False
    package = place.parts[0]
    ours, outside = MAY[package]
    if first == "app":
        return rest[0] not in ours | {package}
    allowed = STRICTER.get(place.as_posix(), outside)
    return not any(f"{name}.".startswith(f"{known}.") for known in allowed)


def test_imports_point_down() -> None:
    bad = [f"{path.relative_to(APP)}: {name}" for path in FILES for name in imported(path) if refused(path, name)]
    assert bad == []


@pytest.mark.parametrize("region", REGIONS)
def test_a_region_knows_the_kit_and_itself(region: str) -> None:
    """What every pane draws with knows no pane, and no pane knows another or the window."""
    files = sorted((APP / "widgets" / region).rglob("*.py"))
    assert files
    for path in files:
        for name in imported(path):
            app, package, folder = [*name.split("."), "", ""][:3]
            if (app, package) == ("app", "widgets"):
                assert folder in {"kit", region}, path
            elif (app, package) == ("app", "viewmodels"):
                assert folder in REGIONS[region], path


@pytest.mark.parametrize("region", VIEW_MODELS)
def test_a_region_of_view_models_knows_those_below_it(region: str) -> None:
    """Nobody knows the chat but what brings the regions together, and no region knows what stands above them all."""
    files = sorted((APP / "viewmodels" / region).rglob("*.py"))
    assert files
    for path in files:
        for name in imported(path):
            app, package, folder = [*name.split("."), "", ""][:3]
            if (app, package) == ("app", "viewmodels"):
                assert folder in VIEW_MODELS[region], path


def test_every_region_of_view_models_has_its_rule() -> None:
    assert {path.parent.name for path in (APP / "viewmodels").glob("*/*.py")} == VIEW_MODELS.keys()


def ours_imported(path: Path) -> set[Path]:
    """The files of ours that a file imports, for typing alone too."""
    found = set()
    for name in imported(path):
        whole = APP.parent.joinpath(*name.split("."))
        places = [file for one in (whole, whole.parent) for file in (one.with_suffix(".py"), one / "__init__.py")]
        found.update([place for place in places if place in KNOWN][:1])
    return found - {path}


def circles(known: dict[Path, set[Path]]) -> list[set[Path]]:
    """The groups of files that lead back to themselves, once those at the ends of the chains are left out."""
    left = {file: set(others) for file, others in known.items()}
    while True:
        ends = {file for file, others in left.items() if not others}
        ends |= left.keys() - {one for others in left.values() for one in others}
        if not ends:
            break
        left = {file: others - ends for file, others in left.items() if file not in ends}
    found: list[set[Path]] = []
    while left:
        reached, new = set[Path](), {next(iter(left))}
        while new:
            reached |= new
            new = {one for file in new for one in left[file]} - reached
        found.append(reached)
        left = {file: others - reached for file, others in left.items() if file not in reached}
    return found


def test_no_files_know_each_other_in_a_circle() -> None:
    """A file can be read and changed without those that use it, also where they are named for typing alone."""
    files = {path: ours_imported(path) for path in FILES}
    assert [sorted(one.relative_to(APP).as_posix() for one in circle) for circle in circles(files)] == []


def test_a_circle_is_found() -> None:
    a, b, c, d, e = (Path(name) for name in "abcde")
    assert circles({a: {b}, b: {c}, c: {d}, d: {b}, e: {a}}) == [{b, c, d}]
    assert circles({a: {b, c}, b: {d}, c: {d}, d: set(), e: {a}}) == []


def test_exchange_knows_conversations_as_values_and_no_store() -> None:
    names = {name for path in (APP / "exchange").glob("*.py") for name in imported(path)}
    known = {name.split(".")[2] for name in names if name.startswith("app.conversation.")}
    assert known == {"message", "records", "tree"}


def test_every_package_has_its_rule() -> None:
    assert {path.relative_to(APP).parts[0] for path in APP.glob("*/*.py")} <= MAY.keys()


def test_the_rule_refuses_what_it_should() -> None:
    assert refused(APP / "kvcache" / "trie.py", "mlx.core")
    assert refused(APP / "kvcache" / "disk" / "writer.py", "mlx.core")
    assert not refused(APP / "kvcache" / "layers" / "rows.py", "mlx.core")
    assert refused(APP / "conversation" / "store.py", "PySide6.QtCore.QObject")
    assert refused(APP / "viewmodels" / "app.py", "PySide6.QtWidgets.QWidget")
    assert refused(APP / "widgets" / "kit" / "style.py", "app.worker.engine_host")
    assert refused(APP / "engine" / "loop.py", "app.worker.engine_host")
    assert not refused(APP / "main.py", "app.worker.engine_host")


# Where anything may end, and is counted and told: the restore of stored state, what is kept after a model has failed,
# what a request computed last when another goes on (all in an active path), the self-test, the engine's thread, what
# another program asks, a process that reads a file of strangers, and what the window waits for on a thread: the local
# API and the first word with a server. Everywhere else what is expected is named.
BORDERS = [
    "attaching/pdf_child.py",
    "formulas/child.py",
    "gateway/application.py",
    "kvcache/active_path.py",
    "kvcache/active_path.py",
    "kvcache/active_path.py",
    "kvcache/disk/layout.py",
    "launch/selftest.py",
    "remote/engine.py",
    "rendering/child.py",
    "tokenizing/child.py",
    "worker/engine_thread.py",
    "worker/gateway_host.py",
    "worker/server_probe.py",
]


def test_only_borders_catch_everything() -> None:
    broad = [
        path.relative_to(APP).as_posix()
        for path in FILES
        for node in nodes_of(path)
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _passes_on(node)
    ]
    assert sorted(broad) == BORDERS


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Whether nothing ends here: its last statement raises the same again, or says it in other words."""
    return isinstance(handler.body[-1], ast.Raise)


def _is_broad(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(_is_broad(one) for one in kind.elts)
    return kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})


def test_no_package_is_installed_for_tests_that_none_of_them_uses() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {re.split("[<>=]", line)[0] for line in project["dependency-groups"]["test"]}
    plugins = {name for name in wanted if name.startswith("pytest-")}
    used = {name.split(".")[0] for path in (ROOT / "tests").rglob("*.py") for name in imported(path)}
    packages = packages_distributions()
    assert wanted - plugins <= {package.lower() for name in used for package in packages.get(name, ())}
