"""The ring around the control that the keyboard is on, drawn outside it and above its neighbours."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QFocusFrame,
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QWidget,
)

from app.widgets.kit.drawing import smooth, stroke_rounded
from app.widgets.kit.style import Style
from app.widgets.kit.theme import translucent

_WIDTH = 3


class _FrameStyle(QProxyStyle):
    """Tells QFocusFrame how far it reaches, that it lies above the control, and that nothing is cut out of it."""

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        if metric in (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin):
            return _WIDTH
        return super().pixelMetric(metric, option, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        if hint is QStyle.StyleHint.SH_FocusFrame_AboveWidget:
            return 1
        if hint is QStyle.StyleHint.SH_FocusFrame_Mask:  # the corners of the control, which are round, belong to it
            return 0
        return super().styleHint(hint, option, widget, returnData)


class FocusRing(QFocusFrame):
    """One for each window. It goes to whatever has the focus and states a `ring_radius`."""

    def __init__(self, style: Style, window: QWidget) -> None:
        super().__init__(window)
        self._style = style
        self._home = window
        frame_style = _FrameStyle()
        frame_style.setParent(self)
        self.setStyle(frame_style)
        self.hide()
        style.changed.connect(self.update)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow)

    def _follow(self, old: QWidget | None, now: QWidget | None) -> None:
        is_ringed = now is not None and hasattr(now, "ring_radius") and self._home.isAncestorOf(now)
        self.setWidget(now if is_ringed else None)  # type: ignore[arg-type]  # PySide declares no None

    def paintEvent(self, event: QPaintEvent) -> None:
        radius = getattr(self.widget(), "ring_radius", 0.0)
        painter = smooth(QPainter(self))
        color = translucent(self._style.theme.accentgfx, 0.8)
        stroke_rounded(painter, QRectF(self.rect()), radius + _WIDTH, color, _WIDTH)
        painter.end()
