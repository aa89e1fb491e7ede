"""The process that draws formulas: a line {"tex", "is_display"} comes in, a line {"svg"} goes out, "" where it cannot.

A formula may be made to take any time: with each brace inside another the time is doubled. Limits that the process sets
itself bound its memory and its time, also where nobody waits for it any more, and once its fonts are read it opens no
file.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from contextlib import suppress

from app.formulas import EM, LONGEST

SECONDS = 2
"""Of the processor, that a formula may take."""
MOST_MEMORY = 1 << 30
"""Bytes."""
MOST_CHARACTERS = 400_000
"""Of a drawing."""

# Drawn first, so that all that is read from the disk has been read.
_EVERYTHING = r"\sum_{i=0}^{n} \frac{\sqrt{x}}{\left(\mathbb{R}\right)} \text{a} \begin{matrix}a&b\end{matrix} \hat{x}"
_DEFINING = re.compile(r"\\(?:[egx]?def|let|(?:re|provide)?newcommand|DeclareMathOperator|catcode)\b")
# Environments that the library does not know, or would number from 1 in each formula, and those that stand for them.
_INSTEAD = {
    **dict.fromkeys(("align", "alignat", "alignedat", "flalign", "flalign*", "alignat*"), ("align*", "")),
    **dict.fromkeys(("equation", "equation*", "displaymath"), ("", "")),
    **dict.fromkeys(("gather", "gather*", "gathered", "multline", "multline*"), ("matrix", "")),
    **dict.fromkeys(("eqnarray", "eqnarray*"), ("array", "{rcl}")),
    "dcases": ("cases", ""),
}
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([a-z]{1,12}\*?)\}(?:(?<=at\})\{\d\}|(?<=at\*\})\{\d\})?")
_NUMBERED = re.compile(r"\\(?:label\{[^{}]*\}|(?:nonumber|notag)(?![A-Za-z]))")
_TAG = re.compile(r"\\tag\*?\{([^{}]*)\}")
_THIN = "0.167em"
_NAME = re.compile(r"(<mo\b[^>]*)(>(?!(?:lim|max|min)<)[A-Za-z]{2,}</mo>)(?!<mo)")
_NAME_AND_BASE = re.compile(r"(<msub><mi>[a-z]{2,}</mi><(m\w+)>[^<>]*</\2></msub>)(?!<mo|<mspace|</)")
_PARTS = frozenset({"svg", "symbol", "path", "use", "rect", "line", "g"})
_PART = re.compile(r"<\s*/?([^\s/>!?]+|[!?])")
_ADDRESS = re.compile(r'(?:href|src)\s*=\s*"(?!#)|url\s*\(')


def serve() -> int:
    """Draw the formulas that come in, until no more do. Returns the exit status."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    if sys.platform == "linux":  # elsewhere it limits nothing, or counts what every process has
        _limit(resource.RLIMIT_AS, MOST_MEMORY)
    draw(_EVERYTHING, is_display=True)
    _limit(resource.RLIMIT_NOFILE, 3)
    for line in sys.stdin:
        asked = json.loads(line)
        _limit(resource.RLIMIT_CPU, _seconds_used() + SECONDS + 1)
        sys.stdout.write(json.dumps({"svg": draw(asked["tex"], is_display=asked["is_display"])}) + "\n")
        sys.stdout.flush()
    return 0


def draw(tex: str, *, is_display: bool) -> str:
    """Return a formula as SVG with an em of `EM` units and its baseline at 0, or "" where it cannot be drawn."""
    # Here, since this file is known to processes that draw nothing.
    import ziafont.fonts  # noqa: F401 - a package that is read, which a frozen program has only if it is imported
    import ziamath.fonts  # noqa: F401 - another one
    from ziafont.config import config
    from ziamath.tex import tex2mml
    from ziamath.zmath import Math

    config.svg2 = False  # each letter where it stands, since Qt draws no symbols
    if len(tex) > LONGEST or not tex.strip() or _DEFINING.search(tex):
        return ""
    try:
        # Aligned rows stand apart by a part of their letters' size, not by points, which are next to nothing here.
        mathml = tex2mml(_known(tex), inline=not is_display).replace('rowspacing="3pt"', 'rowspacing="0.4em"')
        svg = str(Math(_spaced(mathml), size=EM).svg())
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception:  # noqa: BLE001 - whatever a damaged formula makes the library raise
        return ""
    return svg if _is_drawing(svg) else ""


def _spaced(mathml: str) -> str:
    """Set det, or log with a base, apart from what is beside it, as the library does with sin, lim or log alone."""
    named = _NAME.sub(rf'\1 lspace="{_THIN}" rspace="{_THIN}"\2', mathml)
    return _NAME_AND_BASE.sub(rf'\1<mspace width="{_THIN}" />', named)


def _known(tex: str) -> str:
    """Return a formula in environments that the library knows; of numbers it has those that are written out."""
    return _ENVIRONMENT.sub(_instead, _TAG.sub(r"\\qquad\\text{(\1)}", _NUMBERED.sub("", tex)))


def _instead(found: re.Match[str]) -> str:
    which, name = found[1], found[2]
    if name not in _INSTEAD:
        return found[0]
    other, columns = _INSTEAD[name]
    if not other:
        return ""
    return f"\\{which}{{{other}}}{columns if which == 'begin' else ''}"


def _is_drawing(svg: str) -> bool:
    """Return whether nothing but lines and letters is in it, and nothing from elsewhere."""
    return len(svg) <= MOST_CHARACTERS and set(_PART.findall(svg)) <= _PARTS and _ADDRESS.search(svg) is None


def _seconds_used() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return int(used.ru_utime + used.ru_stime)


def _limit(kind: int, most: int) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
