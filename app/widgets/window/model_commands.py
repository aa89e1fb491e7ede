"""The commands about models that need a dialog or a window of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.protocol.references import server_model
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.servers.servers_region import ServersRegion
from app.widgets.kit.dialogs import folder_dialog, shown_dialog
from app.widgets.kit.style import Style
from app.widgets.window.window_commands import bring

if TYPE_CHECKING:
    from app.widgets.models.models_window import ModelsWindow
    from app.widgets.models.servers_page import ServersPage


class ModelCommands(QObject):
    """Choosing a folder, the picker, and the window of models, for one main window.

    Attribute: shown, the window of models, of which there is one for all main windows, where it was made here.
    """

    def __init__(
        self,
        style: Style,
        models: ModelRegion,
        hub: HubRegion,
        servers: ServersRegion,
        do: Callable[[str], None],
        window: QWidget,
    ) -> None:
        """do: carries out a command by its id."""
        super().__init__(window)
        self._style = style
        self._models, self._hub, self._servers = models, hub, servers
        self._do = do
        self._window = window
        self._dialog: QFileDialog | None = None
        self.shown: ModelsWindow | None = None

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands that the window carries out about models, by their ids."""
        return {"models": self.show_models, "add_server": self.ask_for_server}

    @property
    def of_cards(self) -> dict[str, Callable[[], object]]:
        """Things that the window does about models for buttons of cards alone, by their ids."""
        return {"change_server": self.change_server}

    def choose_folder(self) -> None:
        """Ask for a model's folder without stopping anything else."""
        if self._dialog is None:
            self._dialog = folder_dialog("Open Model", self._models.open, self._window)
        self._dialog.open()

    def show_picker(self, below: QWidget) -> None:
        """Offer the models used lately, and the ways to others, under a widget."""
        from app.widgets.models.model_popover import ModelPopover

        picker = ModelPopover(self._style, self._models, below)
        picker.asked.connect(self._do)
        picker.show_below(below)

    def show_models(self) -> None:
        """Show the window of models, or bring it to the front. Most starts of the program never need it."""
        from app.widgets.models.models_window import ModelsWindow

        bring(shown_dialog(ModelsWindow) or self._made())

    def ask_for_server(self) -> None:
        """Show the servers in the window of models, and ask there for another one."""
        page = self._servers_page()
        if page is not None:
            page.ask_for_server()

    def change_server(self) -> None:
        """Show the servers in the window of models, and what was entered about that of the model that was chosen."""
        page, model = self._servers_page(), server_model(self._models.current_model.path)
        if page is not None and model is not None:
            page.change(model.server_id)

    def _servers_page(self) -> ServersPage | None:
        """Show the servers in the window of models, and return their page."""
        from app.widgets.models.models_window import ModelsWindow
        from app.widgets.models.servers_page import ServersPage

        self.show_models()
        shown = shown_dialog(ModelsWindow)
        if shown is None:
            return None
        shown.show_page(ServersPage.id)
        return shown.current if isinstance(shown.current, ServersPage) else None

    def _made(self) -> ModelsWindow:
        from app.widgets.models.get_models import GetModels
        from app.widgets.models.models_window import ModelsWindow
        from app.widgets.models.on_this_machine import OnThisMachine
        from app.widgets.models.servers_page import ServersPage

        pages = [
            OnThisMachine(self._style, self._models, self._window),
            ServersPage(self._style, self._models, self._servers, self._window),
            GetModels(self._style, self._hub, self._window),
        ]
        self.shown = ModelsWindow(self._style, pages, self._window)
        self.shown.finished.connect(self._forget)
        return self.shown

    def _forget(self) -> None:
        self.shown = None
