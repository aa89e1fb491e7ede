"""The lines that lead to each row of the outline: trunks downwards, level arms to the right, the open path on top."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from app.viewmodels.branches.branch_model import BranchModel
from app.viewmodels.kit.lists import AnyIndex

LEFT = 26.0
_STEP, _LEAST_STEP = 18.0, 6.0
_MOST_LEAST = 6  # of the least steps, which are taken from the words
_CORNER, _END = 7.0, 8.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """One line of a row; those of the open path are drawn last and stronger."""

    path: QPainterPath
    is_open: bool


class BranchLines:
    """Says where rows stand. Steps of 18 points shrink in a deep tree, and end where words would have no room."""

    def __init__(self, model: BranchModel) -> None:
        self._model = model

    def x(self, level: int, room: float) -> float:
        """Return the abscissa of a row's own trunk. room: points that all steps together may take."""
        step = max(_LEAST_STEP, min(_STEP, room / max(1, self._model.deepest)))
        return LEFT + min(level * step, max(room, _LEAST_STEP * min(self._model.deepest, _MOST_LEAST)))

    def strokes(self, index: AnyIndex, row: QRectF, room: float, is_expanded: bool) -> list[Stroke]:
        """Return the lines that cross one row. is_expanded: what hangs below it is shown."""
        model, node = self._model, self._model.node(index)
        if node is None:
            return []
        x, middle, found = self.x(node.level, room), row.center().y(), list[Stroke]()
        parent = model.parent(index)
        is_on_path = model.row(node).is_on_path
        if not parent.isValid():
            bottom = row.bottom() if is_expanded else row.bottom() - _END
            is_through = is_expanded and model.path_row(index) >= 0
            found.append(_straight(x, row.top() + _END, bottom, is_on_path and (is_through or not is_expanded)))
            if is_on_path and is_expanded and not is_through:
                found.append(_straight(x, row.top() + _END, middle, is_open=True))
            return found
        above = model.node(parent)
        trunk = x if above is None else self.x(above.level, room)
        if node.is_turn or (above is not None and node.level == above.level):
            found.append(_straight(trunk, row.top(), middle, is_on_path))
        else:
            found.append(_arm(trunk, x, row.top(), middle, is_on_path))
        if is_expanded and model.rowCount(index):
            found.append(_straight(x, middle, row.bottom(), model.path_row(index) >= 0))
        found += self._passing(index, row, room)
        return sorted(found, key=lambda stroke: stroke.is_open)

    def _passing(self, index: AnyIndex, row: QRectF, room: float) -> list[Stroke]:
        """Trunks on which a later sibling of this row, or of one above it, hangs."""
        model, found, at = self._model, list[Stroke](), index
        while (parent := model.parent(at)).isValid():
            above = model.node(parent)
            if above is not None and at.row() + 1 < model.rowCount(parent):
                is_open = model.path_row(parent) > at.row()
                found.append(_straight(self.x(above.level, room), row.top(), row.bottom(), is_open))
            at = parent
        return found


def _straight(x: float, top: float, bottom: float, is_open: bool) -> Stroke:
    path = QPainterPath(QPointF(x, top))
    path.lineTo(x, bottom)
    return Stroke(path, is_open)


def _arm(trunk: float, x: float, top: float, middle: float, is_open: bool) -> Stroke:
    """Down the trunk, round the corner, level to the words."""
    corner = min(_CORNER, max(0.0, x - trunk))
    path = QPainterPath(QPointF(trunk, top))
    path.lineTo(trunk, middle - corner)
    path.quadTo(trunk, middle, trunk + corner, middle)
    path.lineTo(max(x, trunk + corner), middle)
    return Stroke(path, is_open)
