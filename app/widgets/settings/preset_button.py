"""The presets of sampling: the one that holds on a button, and all of them in its menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from app.viewmodels.chat.settings_state import SettingsState
from app.widgets.kit.menu_button import MenuButton
from app.widgets.kit.style import Style

_OWN_SETTINGS = "Own Settings"


class PresetButton(MenuButton):
    """Signals: chosen(str), a preset; saveAsked(str), renameAsked(str, str), deleteAsked(str).

    problem_of: says why settings cannot be saved under a name; the second is the preset that is to have it, if any.
    """

    chosen = Signal(str)
    saveAsked = Signal(str)
    renameAsked = Signal(str, str)
    deleteAsked = Signal(str)

    def __init__(self, style: Style, problem_of: Callable[[str, str], str], parent: QWidget) -> None:
        super().__init__(style, "Preset", parent)
        self._problem_of = problem_of
        self._state = SettingsState()

    def sizeHint(self) -> QSize:
        return QSize(200, self._style.typography.row)

    def show_state(self, state: SettingsState) -> None:
        """Show which preset the settings are."""
        self._state = state
        self.setText(state.preset or _OWN_SETTINGS)
        self.setAccessibleName(f"Preset: {self.text()}")
        self.update()

    def menu(self) -> QMenu:
        """Make the menu of all presets, and of what can be done with one's own."""
        now, menu = self._state, QMenu(self)
        for name in now.presets:
            entry = menu.addAction(name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(name == now.preset)
            entry.triggered.connect(partial(self._choose, name))
        menu.addSeparator()
        menu.addAction("Save as Preset…", partial(self._ask, "Save as Preset", "", self.saveAsked.emit))
        manage = menu.addMenu("Own Presets") if now.own else menu
        for name in now.own:
            own = manage.addMenu(name.replace("&", "&&"))
            own.addAction("Save Settings in It", partial(self.saveAsked.emit, name))
            own.addAction("Rename…", partial(self._rename, name))
            own.addAction("Delete", partial(self.deleteAsked.emit, name))
        return menu

    def _choose(self, name: str, _is_checked: bool = False) -> None:
        self.chosen.emit(name)

    def _rename(self, name: str) -> None:
        self._ask("Rename Preset", name, lambda new: self.renameAsked.emit(name, new))

    def _ask(self, title: str, name: str, take: Callable[[str], object], typed: str = "", problem: str = "") -> None:
        """Ask for a name, and again where it cannot be. name: of the preset that is to have another one, if any."""
        dialog = QInputDialog(self)
        dialog.setWindowTitle(title)
        dialog.setLabelText(problem or "Name")
        dialog.setTextValue(typed or name)

        def accept(chosen: str) -> None:
            refused = self._problem_of(chosen, name)
            if refused:
                self._ask(title, name, take, chosen, refused)
            else:
                take(chosen)

        dialog.textValueSelected.connect(accept)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
