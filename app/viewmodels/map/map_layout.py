"""Where each run of a tree stands in a picture of it: trunks go down, arms leave them level.

Properties: no two lines cross, and no label lies over another label or a line. A run's length is that of its tokens, or
the least that can be told apart; its end lies at its tokens, counted from the beginning, wherever there is room. The
run that leads deepest goes on straight below its fork; older versions stand at its left, newer ones at its right.

Subtrees are put beside each other as close as their outlines allow (after E. Reingold and J. Tilford, "Tidier Drawings
of Trees", 1981). Pieces of an outline are looked at when they disappear behind others, and not again, so that the work
grows with the number of runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

# Points at 100 %.
ARM = 6  # from the end of a run down to the arms of those below it
_LEAST_LENGTH, _LEAST_LEAF = 34, 24  # so that a short leaf ends above the arms of the run beside it
_HALF_LINE = 9  # of a run with its disc
_GAP = 14
LEAF_LABEL, RUN_LABEL, _ABOVE_LABEL = 10, 14, 22
_CELL, _MOST_CELLS = 512, 64
_ROUNDING = 1e-6
_FEW = 20  # runs
# What a picture is high at least and at most per token.
_LEAST_HEIGHT, _PER_TOKEN, _MOST_PER_TOKEN = 560.0, 0.11, 2.0


class MapRun(NamedTuple):
    """A run to be placed. parent: its number, -1 for the first; it is lower than its own. end: in tokens.

    label_width, label_height: 0 for none. keeps_label: the run is made long enough for its label to stand beside it.
    """

    parent: int
    end: int
    label_width: float = 0.0
    label_height: float = 0.0
    keeps_label: bool = False


class Box(NamedTuple):
    """A rectangle in points."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Return the abscissa of the right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Return the ordinate of the lower edge."""
        return self.top + self.height

    @property
    def middle(self) -> float:
        """Return the ordinate halfway down."""
        return self.top + self.height / 2


_NOWHERE = Box(0, 0, 0, 0)


class Placed(NamedTuple):
    """A run as it stands: its line at `x` from `top` to `bottom`; the arm that leads to it begins at `from_x`."""

    x: float
    top: float
    bottom: float
    from_x: float
    label: Box | None

    @property
    def box(self) -> Box:
        """Return what the run covers, with its arm and its label."""
        left, right, bottom = min(self.x, self.from_x), max(self.x, self.from_x), self.bottom
        if self.label is not None:
            left, right = min(left, self.label.left), max(right, self.label.right)
            bottom = max(bottom, self.label.bottom)
        return Box(left - _HALF_LINE, self.top - _HALF_LINE, right - left + 2 * _HALF_LINE, bottom - self.top + 18)


@dataclass(frozen=True)
class MapLayout:
    """All runs in their places, by number. scale: points to a token; box: what all of them cover."""

    runs: Sequence[Placed] = ()
    scale: float = _PER_TOKEN
    box: Box = _NOWHERE
    _boxes: Sequence[Box] = ()
    _cells: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    def within(self, box: Box) -> list[int]:
        """Return the numbers of the runs that may cover some of a rectangle, in order."""
        found: set[int] = set()
        width = _cell_width(self.box)
        for cell in _cells(_common(box, self.box), width):
            found.update(self._cells.get(cell, ()))
        return sorted(number for number in found if _meet(self._boxes[number], box))


def scale_for(runs: Sequence[MapRun]) -> float:
    """Return the points to a token: a short conversation is drawn larger, and one whose runs are short, too."""
    lengths = sorted(run.end - (runs[run.parent].end if run.parent >= 0 else 0) for run in runs)
    deepest = max((run.end for run in runs), default=0)
    usual = lengths[len(lengths) // 2] if lengths else 0
    most = _LEAST_HEIGHT / max(deepest, 1)  # of few runs, which are to be in sight together
    by_runs = _LEAST_LENGTH / max(usual, 1)
    return min(max(_PER_TOKEN, most, by_runs if len(runs) > _FEW else 0.0), _MOST_PER_TOKEN)


def lay_out(runs: Sequence[MapRun]) -> Generator[None, None, MapLayout]:
    """Place runs, each after the one above it; return the layout. Yields between small steps of about equal length."""
    work = _Work(runs)
    yield from work.go_down()
    yield from work.go_up()
    return (yield from work.place())


class _Work:
    """A layout in the making."""

    def __init__(self, runs: Sequence[MapRun]) -> None:
        self._runs = runs
        self._scale = scale_for(runs)
        self._children: list[list[int]] = [[] for _ in runs]
        self._roots: list[int] = []
        self._ys: list[tuple[float, float]] = []
        self._deepest: list[float] = []
        self._shapes: list[_Shape | None] = [None] * len(runs)
        self._shifts = [0.0] * len(runs)

    def go_down(self) -> Iterator[None]:
        """Find where each run begins and ends."""
        for number, run in enumerate(self._runs):
            self._ys.append((0.0, run.end * self._scale))
            (self._children[run.parent] if run.parent >= 0 else self._roots).append(number)
            yield
        for number, run in enumerate(self._runs):
            top = self._ys[run.parent][1] if run.parent >= 0 else 0.0
            self._ys[number] = (top, max(self._ys[number][1], top + self._least(number, run)))
            yield
        self._deepest = [bottom for _, bottom in self._ys]

    def _least(self, number: int, run: MapRun) -> float:
        if not self._children[number]:
            return _LEAST_LEAF
        return max(_LEAST_LENGTH, run.label_height + _ABOVE_LABEL + _HALF_LINE if run.keeps_label else 0.0)

    def go_up(self) -> Iterator[None]:
        """Put the shapes of what hangs below each run beside each other, and the run above them."""
        for number in range(len(self._runs) - 1, -1, -1):
            run, (top, bottom) = self._runs[number], self._ys[number]
            below = self._children[number]
            shape = (yield from self._beside(below)) if below else _Shape()
            shape.put_above(top, bottom, run, is_leaf=not below)
            self._shapes[number] = shape
            if run.parent >= 0:
                self._deepest[run.parent] = max(self._deepest[run.parent], self._deepest[number])
            yield
        if self._roots:
            yield from self._beside(self._roots)

    def place(self) -> Generator[None, None, MapLayout]:
        """Add up the distances from the first run on."""
        placed: list[Placed] = []
        boxes: list[Box] = []
        cells: dict[tuple[int, int], list[int]] = {}
        left = top = right = bottom = 0.0
        for number, run in enumerate(self._runs):
            one = self._placed(number, placed[run.parent].x if run.parent >= 0 else None)
            placed.append(one)
            boxes.append(box := one.box)
            left, top = min(left, box.left), min(top, box.top)
            right, bottom = max(right, box.right), max(bottom, box.bottom)
            yield
        whole = Box(left, top, right - left, bottom - top)
        for number, box in enumerate(boxes):
            for cell in _cells(box, _cell_width(whole)):
                cells.setdefault(cell, []).append(number)
            yield
        return MapLayout(placed, self._scale, whole, boxes, cells)

    def _beside(self, numbers: Sequence[int]) -> Generator[None, None, _Shape]:
        main = max(range(len(numbers)), key=lambda at: (self._deepest[numbers[at]], -at))
        group = self._taken(numbers[main])
        for side, others in ((0, reversed(numbers[:main])), (1, iter(numbers[main + 1 :]))):
            for number in others:
                self._shifts[number] = group.take(self._taken(number), side)
                yield
        return group

    def _taken(self, number: int) -> _Shape:
        shape, self._shapes[number] = self._shapes[number], None
        assert shape is not None
        return shape

    def _placed(self, number: int, above_x: float | None) -> Placed:
        run, (top, bottom) = self._runs[number], self._ys[number]
        x = (above_x or 0.0) + self._shifts[number]
        label = _label(run, top, bottom, is_leaf=not self._children[number])
        if label is not None:
            label = label._replace(left=label.left + x)
        return Placed(x, top, bottom, x if above_x is None else above_x, label)


def _label(run: MapRun, top: float, bottom: float, *, is_leaf: bool) -> Box | None:
    """Return where a label stands beside a line at 0: below its end, or at its right where there is room for it."""
    if not run.label_width:
        return None
    if is_leaf:
        return Box(-run.label_width / 2, bottom + LEAF_LABEL, run.label_width, run.label_height)
    room = bottom - top - _ABOVE_LABEL - _HALF_LINE
    if room + _ROUNDING < run.label_height:
        return None
    return Box(RUN_LABEL, top + _ABOVE_LABEL + (room - run.label_height) / 2, run.label_width, run.label_height)


class _Outline:
    """Reach of a shape to one side, from its top to its bottom. `beyond`: to be added to each reach."""

    def __init__(self) -> None:
        self.pieces: deque[tuple[float, float, float]] = deque()  # (top, bottom, reach), the topmost last
        self.beyond = 0.0

    def put_above(self, top: float, bottom: float, reach: float) -> None:
        if bottom > top:
            self.pieces.append((top, bottom, reach - self.beyond))

    def go_on_with(self, lower: _Outline) -> None:
        """Take over how far another one reaches below this one's bottom. It is of no use afterwards."""
        bottom = self.pieces[0][1]
        while lower.pieces and lower.pieces[-1][1] <= bottom:
            lower.pieces.pop()
        if lower.pieces and lower.pieces[-1][0] < bottom:
            _, end, reach = lower.pieces.pop()
            lower.pieces.append((bottom, end, reach))
        if len(lower.pieces) > len(self.pieces):
            shift = self.beyond - lower.beyond
            lower.pieces.extend((top, end, reach + shift) for top, end, reach in self.pieces)
            self.pieces, self.beyond = lower.pieces, lower.beyond
        else:
            shift = lower.beyond - self.beyond
            self.pieces.extendleft((top, end, reach + shift) for top, end, reach in reversed(lower.pieces))


class _Shape:
    """A run with all that hangs below it, by its outlines at the left and at the right of the run's own line."""

    def __init__(self) -> None:
        self._sides = (_Outline(), _Outline())

    def put_above(self, top: float, bottom: float, run: MapRun, *, is_leaf: bool) -> None:
        """Put a run above what it holds already."""
        label = _label(run, top, bottom, is_leaf=is_leaf)
        for side, outline in enumerate(self._sides):
            reach = float(_HALF_LINE)
            if label is None:
                outline.put_above(top, bottom + (_HALF_LINE if is_leaf else 0), reach)
            elif is_leaf:
                outline.put_above(label.top, label.bottom, label.right)
                outline.put_above(top, label.top, reach)
            elif side == 0:
                outline.put_above(top, bottom, reach)
            else:
                outline.put_above(label.bottom, bottom, reach)
                outline.put_above(label.top, label.bottom, label.right)
                outline.put_above(top, label.top, reach)

    def take(self, other: _Shape, side: int) -> float:
        """Put another shape at one side as close as can be; returns how far its line is from this one's."""
        distance = _reach(self._sides[side], other._sides[1 - side]) + _GAP
        near, far = other._sides[1 - side], other._sides[side]
        far.beyond += distance
        near.beyond -= distance
        mine = self._sides[side]
        far.go_on_with(mine)
        self._sides[1 - side].go_on_with(near)
        self._sides = (self._sides[0], far) if side else (far, self._sides[1])
        return distance if side else -distance


def _reach(one: _Outline, other: _Outline) -> float:
    """Return the farthest that two outlines reach together at any height that both have."""
    mine, its = reversed(one.pieces), reversed(other.pieces)
    found = 0.0
    a, b = next(mine, None), next(its, None)
    while a is not None and b is not None:
        found = max(found, a[2] + one.beyond + b[2] + other.beyond)
        if a[1] <= b[1]:
            a = next(mine, None)
        else:
            b = next(its, None)
    return found


def _cell_width(whole: Box) -> float:
    """Return the width of the cells of a picture: so that none lies in very many of them."""
    return max(_CELL, whole.width / _MOST_CELLS)


def _cells(box: Box, width: float) -> Iterator[tuple[int, int]]:
    """Yield the cells that a rectangle lies in."""
    across = range(int(box.left // width), int(box.right // width) + 1)
    return product(across, range(int(box.top // _CELL), int(box.bottom // _CELL) + 1))


def _common(a: Box, b: Box) -> Box:
    """Return what two rectangles have in common, without width or height where that is nothing."""
    left, top = max(a.left, b.left), max(a.top, b.top)
    return Box(left, top, max(min(a.right, b.right) - left, 0.0), max(min(a.bottom, b.bottom) - top, 0.0))


def _meet(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom
