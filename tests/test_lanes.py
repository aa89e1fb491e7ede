"""The check for every commit leaves out what is slow, and no package."""

from __future__ import annotations

import re

from tests.lanes import SLOW, SLOW_TESTS, TESTS, is_slow, is_slow_test

APP = TESTS.parent / "app"


def test_what_is_left_out_is_named_as_it_is_named_now() -> None:
    assert [name for name in SLOW if not (TESTS / name).exists()] == []
    assert sorted(set(SLOW)) == sorted(SLOW)


def test_a_single_test_that_is_left_out_is_there_and_so_are_others_beside_it() -> None:
    for name in SLOW_TESTS:
        file, _, test = name.partition("::")
        text = (TESTS / file).read_text(encoding="utf-8")
        assert f"def {test}(" in text
        assert not is_slow(TESTS / file)
        assert not all(is_slow_test(TESTS / file, one) for one in re.findall(r"def (test_\w+)\(", text))
    assert sorted(set(SLOW_TESTS)) == list(SLOW_TESTS)


def test_every_package_is_touched() -> None:
    packages = {path.parent.relative_to(APP) for path in APP.rglob("*.py")} - {APP.relative_to(APP)}
    fast = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py") if not is_slow(path)}
    tops = {package.parts[0] for package in packages}
    assert len(tops) > 8
    assert tops <= {folder.parts[0] for folder in fast if folder.parts}
