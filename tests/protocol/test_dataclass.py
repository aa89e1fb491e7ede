"""What the dataclasses of the window do is what the standard ones do."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from app.protocol.dataclass import dataclass

Maker = Callable[[type], Any]
STANDARD: Maker = dataclasses.dataclass(frozen=True, slots=True)
OURS: Maker = dataclass(frozen=True, slots=True)


def classes(make: Maker) -> list[Any]:
    """Classes of no, one and several fields, and one that has another for its base."""

    @make
    class Nothing:
        kind: ClassVar = 1

    @make
    class One:
        number: int

    @make
    class Several:
        number: int
        text: str = "a"
        items: tuple[int, ...] = dataclasses.field(default_factory=tuple)
        aside: object = dataclasses.field(default=None, compare=False, repr=False)

        @property
        def double(self) -> int:
            return 2 * self.number

    @make
    class More(Several):
        last: float = 0.5

    return [Nothing, One, Several, More]


def made(make: Maker) -> list[Any]:
    """Objects of these classes: alike, alike but for what is not compared, and different."""
    nothing, one, several, more = classes(make)
    return [
        *(nothing(), nothing(), one(1), one(1), one(2), one((1,)), several(1), several(1, aside=2), several(1, "b")),
        *(several(2, items=(1, 2)), more(1), more(1, last=0.5), more(1, last=1.5)),
    ]


def test_they_compare_hash_and_show_alike() -> None:
    ours, standard = made(OURS), made(STANDARD)
    for first, second in itertools.product(range(len(ours)), repeat=2):
        assert (ours[first] == ours[second]) is (standard[first] == standard[second])
    assert [hash(one) for one in ours] == [hash(one) for one in standard]
    assert [repr(one) for one in ours] == [repr(one) for one in standard]
    assert ours[2] != (1,)


def test_they_are_dataclasses() -> None:
    nothing, _, several, more = classes(OURS)
    assert [field.name for field in dataclasses.fields(more)] == ["number", "text", "items", "aside", "last"]
    assert dataclasses.replace(several(1), text="b") == several(1, "b")
    assert dataclasses.asdict(several(1)) == {"number": 1, "text": "a", "items": (), "aside": None}
    assert not hasattr(several(3), "__dict__")
    assert several(3).double == 6
    assert nothing.kind == 1
    with pytest.raises(TypeError):
        hash(several([]))


def test_their_own_methods_stay() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        number: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert (repr(Own(1)), hash(Own(1)), Own(1) == Own(2)) == ("own", 7, True)


@dataclass(frozen=True, slots=True)
class Pickled:
    number: int
    text: str


def test_they_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Pickled(1, "a"))) == Pickled(1, "a")
    assert copy.deepcopy(Pickled(1, "a")) == Pickled(1, "a")


def test_an_assignment_is_refused_by_the_type_checker() -> None:
    """Mypy tells of the comment below where there is nothing to ignore."""
    pickled = Pickled(1, "a")
    pickled.number = 2  # type: ignore[misc]
    assert pickled == Pickled(2, "a")


def test_other_dataclasses_are_the_standard_ones() -> None:
    @dataclass
    class Plain:
        number: int

    plain = Plain(1)
    plain.number = 2
    assert plain == Plain(2)
