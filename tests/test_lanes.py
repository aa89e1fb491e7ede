"""The check for every commit leaves out what is slow, and no package."""

from __future__ import annotations

from tests.lanes import SLOW, TESTS, is_slow

APP = TESTS.parent / "app"


def test_what_is_left_out_is_named_as_it_is_named_now() -> None:
    assert [name for name in SLOW if not (TESTS / name).exists()] == []
    assert sorted(set(SLOW)) == sorted(SLOW)


def test_every_package_is_touched() -> None:
    packages = {path.parent.relative_to(APP) for path in APP.rglob("*.py")} - {APP.relative_to(APP)}
    fast = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py") if not is_slow(path)}
    tops = {package.parts[0] for package in packages}
    assert len(tops) > 8
    assert tops <= {folder.parts[0] for folder in fast if folder.parts}
