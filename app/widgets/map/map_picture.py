"""What the map shows: the runs of a tree, where each stands, and the straight lines that are drawn far out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import field

from PySide6.QtCore import QLineF

from app.protocol.dataclass import dataclass
from app.viewmodels.map.map_layout import MapLayout, MapRun, lay_out
from app.viewmodels.map.map_region import MapRegion
from app.viewmodels.map.map_runs import MapItem


@dataclass(frozen=True, slots=True)
class MapPicture:
    """A tree as it is laid out. items, layout: of its runs, by their numbers; lines: two to each, its own and its arm.

    named: the numbers of runs that have a name.
    """

    items: Sequence[MapItem] = ()
    layout: MapLayout = field(default_factory=MapLayout)
    lines: Sequence[QLineF] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    named: Sequence[int] = ()

    def number(self, item_id: str) -> int:
        """Return the number of a run, -1 where there is no such run."""
        return self.numbers.get(item_id, -1)


def picture_of(
    region: MapRegion, label_size: Callable[[MapItem], tuple[float, float]]
) -> Generator[None, None, MapPicture]:
    """Lay a tree out, in slices. label_size: returns the room for a run's label, (0, 0) for none."""
    items: list[MapItem] = []
    for some in region.items():
        items += some
        yield
    runs: list[MapRun] = []
    for item in items:
        width, height = label_size(item) if item.is_labelled else (0.0, 0.0)
        runs.append(MapRun(item.parent, item.end, width, height, keeps_label=item.is_named))
        yield
    layout = yield from lay_out(runs)
    lines: list[QLineF] = []
    numbers: dict[str, int] = {}
    for number, (item, placed) in enumerate(zip(items, layout.runs, strict=True)):
        lines.append(QLineF(placed.x, placed.top, placed.x, placed.bottom))
        lines.append(QLineF(placed.from_x, placed.top, placed.x, placed.top))
        numbers[item.id] = number
        yield
    return MapPicture(items, layout, lines, numbers, [number for number, item in enumerate(items) if item.is_named])
