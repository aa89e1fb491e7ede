"""The field in which a row of a list is renamed."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QWidget

from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_LONGEST = 200


class NameField(QLineEdit):
    """Stands in the place of a row's name, without a frame and as large as it, also when the text size changes."""

    def __init__(self, style: Style, name: str, parent: QWidget) -> None:
        """name: for screen readers."""
        super().__init__(parent)
        self._style = style
        self.setFrame(False)
        self.setAccessibleName(name)
        self.setMaxLength(_LONGEST)
        style.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self.setFont(self._style.text_style(TextRole.UI).font)
