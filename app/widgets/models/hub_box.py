"""The hub that is asked, and the access token for it, in a window of its own."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QWidget

from app.viewmodels.hub.hub_region import HubRegion
from app.widgets.kit.controls import Button
from app.widgets.kit.style import Style
from app.widgets.models.form_box import GROUP, FormBox, FormField

_ABOUT_ACCESS = (
    "Only for models that are not public. It is kept in the system’s keychain, sent to this hub alone, and "
    "shown nowhere."
)
_KEPT = "A token is kept for {host}. Enter another one to replace it."
_ADDRESS = "Leave it empty for huggingface.co, or for the one that HF_ENDPOINT names."


class HubBox(FormBox):
    """Asks for both. Attributes: address, token, remove_button."""

    def __init__(self, style: Style, hub: HubRegion, parent: QWidget | None = None) -> None:
        super().__init__(style, "Hub", parent)
        self._hub = hub
        now = hub.state.now
        self.address = FormField(style, "Address of the hub", self)
        self.address.setText("" if hub.is_usual else hub.endpoint)
        self.address.setPlaceholderText(hub.endpoint)
        self.token = FormField(style, "Access token", self)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setMaxLength(1000)
        self.remove_button = Button(style, "Remove Token", parent=self)
        self.remove_button.setVisible(now.has_token)
        self.remove_button.clicked.connect(self._remove)
        self.add_field("Address", self.address, _ADDRESS)
        self.add_problem()
        self.column.addSpacing(GROUP)
        self.add_field("Access token", self.token, _KEPT.format(host=now.host) if now.has_token else _ABOUT_ACCESS)
        self.add_buttons(self.remove_button)
        self.address.setFocus()

    def take(self) -> str:
        """Take both over. Returns why the address is none, "" where it is one."""
        why = self._hub.choose_hub(self.address.text())
        if not why:
            token = self.token.text().strip()
            self.token.clear()
            if token:
                self._hub.keep_token(token)
        return why

    def _remove(self) -> None:
        self._hub.keep_token("")
        self.accept()
