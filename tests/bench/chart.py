"""A bar chart as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

WIDTH, LEFT, BAR, GAP, TOP = 760, 190, 13, 14, 44
COLOURS = ("#9aa0a6", "#c9a227", "#b5651d", "#7a5195", "#ad8fc0", "#2e7d4f", "#33658a")
STYLE = "text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}.small{font-size:10px}"


def bars(title: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """Horizontal bars of shares (0..1), grouped: group -> name -> share. Names keep their colour in every group."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(names)}
    y, parts = TOP, [f'<text class="title" x="12" y="24">{escape(title)}</text>']
    for label, group in groups.items():
        middle = y + len(group) * BAR / 2 + 4
        parts.append(f'<text x="12" y="{middle:g}">{escape(label)}</text>')
        for name, share in group.items():
            parts += _bar(name, share, y, colours[name])
            y += BAR
        y += GAP
    size = f'width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}"'
    ground = f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>{ground}{"".join(parts)}</svg>\n'


def _bar(name: str, share: float, y: float, colour: str) -> list[str]:
    length = max(1.0, share * (WIDTH - LEFT - 150))
    words = f"{name}, {share:.1%}"
    return [
        f'<rect x="{LEFT}" y="{y:g}" width="{length:.1f}" height="{BAR - 2}" fill="{colour}"/>',
        f'<text class="small" x="{LEFT + length + 5:.1f}" y="{y + 9:g}">{escape(words)}</text>',
    ]
