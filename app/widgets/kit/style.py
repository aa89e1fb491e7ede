"""The style that all widgets share: theme, typography and icons, injected, and changed live for all of them at once."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app.widgets.kit.formulas import Formulas
from app.widgets.kit.icons import IconCache
from app.widgets.kit.theme import DARK, LIGHT, Theme, palette
from app.widgets.kit.typography import BODY_SIZE, TextRole, TextStyle, Typography


class Style(QObject):
    """Theme, typography and icons of all widgets. `changed`: measure and draw again, since one of them is another.

    Attributes: theme, typography, icons. They are replaced, never changed in place, so nothing made from an old one
    lingers. formulas: drawings in TeX, which have no colour and no size of their own.
    """

    changed = Signal()

    def __init__(self, theme: Theme = LIGHT, body: int = BODY_SIZE, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.typography = Typography(body)
        self.icons = IconCache()
        self.formulas = Formulas(self)

    def text_style(self, role: TextRole) -> TextStyle:
        """Return the text style of a role at the present text size."""
        return self.typography[role]

    def set_theme(self, theme: Theme) -> None:
        """Change all colours, also those of Qt's own parts."""
        self.theme = theme
        self.icons.clear()
        self.apply_to_application()
        self.changed.emit()

    def set_text_size(self, body: int) -> None:
        """Change the size of the body role, 10 to 24 pixels; all others follow."""
        self.typography = Typography(body, self.typography.code_family)
        self.apply_to_application()
        self.changed.emit()

    def set_code_font(self, family: str) -> None:
        """Write code in another family, "" or one that is not installed for the system's."""
        self.typography = Typography(self.typography.body, family)
        self.changed.emit()

    def apply_to_application(self) -> None:
        """Give Qt's own parts, such as menus, the theme's colours; off the Mac, which has its own, our type too."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(palette(self.theme))
            if sys.platform != "darwin":
                app.setFont(self.text_style(TextRole.UI).font)


def system_theme(is_dark: bool, wants_contrast: bool) -> Theme:
    """Return the theme for what the system asks."""
    theme = DARK if is_dark else LIGHT
    return theme.with_increased_contrast() if wants_contrast else theme
