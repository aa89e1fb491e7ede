"""The command that opens the panel in which one types where to go."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.viewmodels.app import App
from app.viewmodels.jump.jump import Jump
from app.viewmodels.jump_prices import JumpPrices
from app.widgets.kit.style import Style


class JumpCommands(QObject):
    """Jumps for one window. Nothing of it is made before the first. Attribute: panel, the one shown last."""

    def __init__(
        self,
        style: Style,
        app: App,
        do: Callable[[str], None],
        about: Callable[[str], str | None],
        search: Callable[[str], None],
        window: QWidget,
    ) -> None:
        """do: carries out a command. about: returns the message that it would begin at, as of `JumpPrices`. search:
        looks for words in all conversations.
        """
        super().__init__(window)
        self._style, self._app, self._do, self._window = style, app, do, window
        self._search = search
        self._jump: Jump | None = None
        self._prices = JumpPrices(app.chat.warmth, app.chat.prices, about, self)
        self.panel: QWidget | None = None

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands of this, by their ids."""
        return {"jump": self.show}

    def show(self) -> None:
        """Open the panel over the window."""
        from app.widgets.jump.jump_panel import JumpPanel

        if self._jump is None:
            self._jump = self._app.jump()
            self._jump.setParent(self)
            self._jump.commandAsked.connect(self._do)
            self._jump.searchAsked.connect(self._search)
        is_priced = self._app.model.state.now.has("cost_estimates")
        panel = JumpPanel(self._style, self._jump, self._prices.price if is_priced else None, self._window)
        if is_priced:
            panel.lookedAt.connect(self._prices.look_at)
            self._prices.changed.connect(panel.renew_price)
        self.panel = panel
        panel.show_over()
