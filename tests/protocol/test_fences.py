from __future__ import annotations

import pytest

from app.protocol.fences import Fence, fence_of


@pytest.mark.parametrize(
    ("line", "fence"),
    [
        ("```", Fence("", "```", "")),
        ("```python title=a\n", Fence("", "```", "python")),
        ("  ~~~~ c\r\n", Fence("  ", "~~~~", "c")),
        ("\t```", Fence("\t", "```", "")),
        ("~~~ a`b", Fence("", "~~~", "a`b")),
        ("``` a`b", None),
        ("``", None),
        ("a ```", None),
        ("`~`~`~```", None),
        ("```" + "x" * 100, Fence("", "```", "x" * 40)),
    ],
)
def test_code_begins_at_three_marks_and_more(line: str, fence: Fence | None) -> None:
    assert fence_of(line) == fence


@pytest.mark.parametrize("line", ["````", "  ```` \t\n", "`````\r\n", "\t````"])
def test_code_ends_at_as_many_marks_or_more(line: str) -> None:
    assert Fence("", "````", "").is_closed_by(line)


@pytest.mark.parametrize("line", ["```", "~~~~", "```` c", "a ````", "", "````\x0b", "````\xa0", "````~"])
def test_anything_else_is_code(line: str) -> None:
    assert not Fence("", "````", "").is_closed_by(line)
