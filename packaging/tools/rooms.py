"""Draw which room of the program knows which to resources/pictures/rooms.svg (`make rooms`).

    python packaging/tools/rooms.py            write the drawing
    python packaging/tools/rooms.py --check    end with 1 when it is not what would be written now

A room is a package below app/, and each region of the window in its two layers. An arrow is drawn where no longer way
leads to the same room: whoever may use a room may use what that one uses, too, as far as tests/test_imports.py lets it.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app"
OUT = ROOT / "resources" / "pictures" / "rooms.svg"
LAYERS_OF_REGIONS = ("viewmodels", "widgets")
TOP = "launch"
"""The room of what lies in no folder: main.py and settings.py begin and end the program."""

WIDTH, HEIGHT, BEND = 176, 34, 12
GAP, DROP = 22, 48
MARGIN = 16

Graph = Mapping[str, set[str]]

STYLE = """
  text { font: 13px -apple-system, 'Segoe UI', Inter, sans-serif; fill: #24292f; text-anchor: middle; }
  rect { fill: #f3f6f4; stroke: #8fa598; }
  path { fill: none; stroke: #8fa598; stroke-width: 1.2; }
  #tip path { fill: #8fa598; stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    rect { fill: #1d2420; stroke: #5d7467; }
    path { stroke: #5d7467; }
    #tip path { fill: #5d7467; }
  }
"""


def room_of(module: str, packages: Iterable[str]) -> str:
    """Return the room in which a module lies, from its full name."""
    parts = module.split(".")[1:]
    if len(parts) == 1 and module not in packages:
        return TOP
    if parts[0] in LAYERS_OF_REGIONS and (len(parts) > 2 or module in packages):
        return "/".join(parts[:2])
    return parts[0]


def imports_of(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the full name of each module of the program that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("app."):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module
        elif isinstance(node, ast.ImportFrom) and node.module == "app":
            yield from (f"app.{alias.name}" for alias in node.names if f"app.{alias.name}" in modules)


def knows(app: Path = APP) -> dict[str, set[str]]:
    """Return which rooms each room imports from."""
    modules, packages = {}, set()
    for path in sorted(app.rglob("*.py")):
        name = ".".join(("app", *path.relative_to(app).with_suffix("").parts)).removesuffix(".__init__")
        modules[name] = path
        if path.name == "__init__.py":
            packages.add(name)
    found: dict[str, set[str]] = {}
    for name, path in modules.items():
        if name == "app":
            continue
        room = room_of(name, packages)
        others = {room_of(other, packages) for other in imports_of(path, modules)} - {room}
        found.setdefault(room, set()).update(others)
    return {room: others for room, others in found.items() if room not in LAYERS_OF_REGIONS or others}


def reachable(graph: Graph, room: str) -> set[str]:
    """Return every room that a room comes to, by whatever way."""
    found: set[str] = set()
    ahead = list(graph[room])
    while ahead:
        one = ahead.pop()
        if one not in found:
            found.add(one)
            ahead.extend(graph[one])
    return found


def direct(graph: Graph) -> dict[str, set[str]]:
    """Return the graph without the arrows that a longer way replaces. Raises ValueError where rooms form a circle."""
    below = {room: reachable(graph, room) for room in graph}
    circles = sorted(room for room in graph if room in below[room])
    if circles:
        raise ValueError(f"rooms that know one another in a circle: {', '.join(circles)}")
    return {
        room: {one for one in others if not any(one in below[other] for other in others)}
        for room, others in graph.items()
    }


def tiers(graph: Graph) -> list[list[str]]:
    """Return the rooms from the top down, each above all that it knows."""
    depth: dict[str, int] = {}

    def measured(room: str) -> int:
        if room not in depth:
            depth[room] = 1 + max((measured(one) for one in graph[room]), default=-1)
        return depth[room]

    for room in graph:
        measured(room)
    return [sorted(room for room in graph if depth[room] == level) for level in range(max(depth.values()), -1, -1)]


def drawn(graph: Graph) -> str:
    """Return the drawing as SVG."""
    arrows = direct(graph)
    rows, ways = _with_ways(tiers(graph), arrows)
    rows = _untangled(rows, ways)
    width = max(map(_width, rows)) + 2 * MARGIN
    height = len(rows) * (HEIGHT + DROP) - DROP + 2 * MARGIN
    middles: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(rows):
        x = (width - _width(row)) / 2
        for room in row:
            own = WIDTH if room in graph else BEND
            middles[room] = (x + own / 2, MARGIN + level * (HEIGHT + DROP) + HEIGHT / 2)
            x += own + GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        "<title>The rooms of Espalier, and which knows which</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
    ]
    lines += [_arrow([middles[one] for one in way]) for way in ways]
    for room, (x, y) in sorted(middles.items()):
        if room in graph:
            lines.append(
                f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
            )
            lines.append(f'<text x="{x:g}" y="{y + 4.5:g}">{escape(room)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _width(row: list[str]) -> float:
    return sum((BEND if ">" in room else WIDTH) + GAP for room in row) - GAP


def _with_ways(rows: list[list[str]], arrows: Graph) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows with a bend, named "FROM>TO LEVEL", where an arrow passes, and each arrow's way through them."""
    levels = {room: level for level, row in enumerate(rows) for room in row}
    passed = [list(row) for row in rows]
    ways = []
    for room in sorted(arrows):
        for one in sorted(arrows[room]):
            bends = [f"{room}>{one} {level}" for level in range(levels[room] + 1, levels[one])]
            for at, bend in enumerate(bends, levels[room] + 1):
                passed[at].append(bend)
            ways.append([room, *bends, one])
    return passed, ways


def _arrow(points: list[tuple[float, float]]) -> str:
    """Return a line from the foot of the first to the head of the last, past those between."""
    (x1, y1), *rest = points
    y1 += HEIGHT / 2
    path = f"M{x1:g} {y1:g}"
    for at, (x2, middle) in enumerate(rest, 1):
        y2 = middle - HEIGHT / 2 - (at == len(rest))
        bend = DROP * 0.6
        path += f" C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"
        x1, y1 = x2, middle + HEIGHT / 2
        if at < len(rest):
            path += f" L{x1:g} {y1:g}"
    return f'<path d="{path}" marker-end="url(#tip)"/>'


def _untangled(rows: list[list[str]], ways: list[list[str]]) -> list[list[str]]:
    """Order each row by the middle of what points at it, so that few arrows cross."""
    steps = [(way[at], way[at + 1]) for way in ways for at in range(len(way) - 1)]
    places: dict[str, float] = {}
    ordered = []
    for row in rows:

        def middle(room: str) -> tuple[float, str]:
            pointing = [places[above] for above, below in steps if below == room and above in places]
            return (sum(pointing) / len(pointing) if pointing else 0.5, room)

        ordered.append(sorted(row, key=middle))
        places.update({room: (at + 0.5) / len(row) for at, room in enumerate(ordered[-1])})
    return ordered


def main() -> int:
    """Write the drawing, or compare it. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Draw which room of the program knows which.")
    parser.add_argument("--check", action="store_true", help="only say whether the drawing is what it should be")
    found = drawn(knows())
    if parser.parse_args().check:
        is_same = OUT.is_file() and OUT.read_text(encoding="utf-8") == found
        print("the drawing is up to date" if is_same else "the rooms have changed: run make rooms")
        return 0 if is_same else 1
    OUT.write_text(found, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
