"""A server of models, in a window of its own: its address, its name, the key for it and the tokenizer of its models."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.viewmodels.kit.settings import ServerState
from app.viewmodels.servers.servers_region import ServersRegion
from app.widgets.kit.controls import Button
from app.widgets.kit.dialogs import folder_dialog
from app.widgets.kit.style import Style
from app.widgets.models.form_box import GROUP, FormBox, FormField

_ADDRESS = (
    "Of mlx_lm.server, llama.cpp, vLLM, SGLang, Ollama, LM Studio, or another one with OpenAI’s interface; several, "
    "with spaces between them, where the same models run at each. It is asked which models it has, and nothing else."
)
_NAME = "Leave it empty to call it by its address."
_KEY = (
    "Only where the server asks for one. It is kept in the system’s keychain, or without one in a file that only you "
    "can read, and sent to this server alone."
)
_OTHER_KEY = "Enter one to replace the one that is kept, if any. It is sent to this server alone."
_TOKENIZER = (
    "Only for vLLM and SGLang: a folder on this computer with the files of the model’s tokenizer. Where it proves to "
    "be the server’s own, tokens are sent and not words: forks begin at any of them, and prices are exact. Without one "
    "the server makes tokens of words itself: control tokens that somebody types may count as such, and answers are "
    "split anew."
)
_LONGEST_NAME, _LONGEST_KEY, _LONGEST_PATH = 100, 1000, 4000
_ASKING = "Asking…"
_COMPARE = (
    "If you made it yourself, compare its SHA-256 with the one that this prints on the server, for the file that the "
    "server uses: openssl x509 -noout -fingerprint -sha256 -in certificate.pem"
)


class ServerBox(FormBox):
    """Asks for a server, and is closed when that has answered.

    Attributes: address, hidden where a server is changed; name, key; tokenizer, with choose_button for its folder,
    hidden where it makes no difference to a server; trust_button, shown where its certificate is one that only the
    person can trust.
    """

    def __init__(
        self, style: Style, servers: ServersRegion, server: ServerState | None = None, parent: QWidget | None = None
    ) -> None:
        """server: the one that is changed, None to add one."""
        self._saved_by = "Add" if server is None else "Save"
        super().__init__(style, "Add Server" if server is None else "Server", parent, self._saved_by, (_ASKING,))
        self._servers, self._server = servers, server
        self.address = FormField(style, "Address of the server", self)
        self.address.setPlaceholderText("localhost:8080")
        self.name = FormField(style, "Name of the server", self)
        self.name.setMaxLength(_LONGEST_NAME)
        self.key = FormField(style, "Key for the server", self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setMaxLength(_LONGEST_KEY)
        self.tokenizer = FormField(style, "Folder of the tokenizer", self)
        self.tokenizer.setMaxLength(_LONGEST_PATH)
        self.tokenizer.button = self.choose_button = Button(style, "Choose…", parent=self)
        self.choose_button.clicked.connect(self.choose_folder)
        self.trust_button = Button(style, "Trust This Certificate", parent=self)
        self.trust_button.clicked.connect(servers.trust)
        self.trust_button.hide()
        if server is None:
            self._about = self.add_field("Address", self.address, _ADDRESS)
            self.add_problem()
            self.column.addSpacing(GROUP)
            self.add_field("Name", self.name, _NAME)
            self.address.textChanged.connect(self._warn)
            self.name.setPlaceholderText("As its address")
        else:
            self.address.hide()
            self.add_field("Name", self.name, f"It is at {', '.join((server.url, *server.others))}.")
            self.add_problem()
            self.name.setText(server.name)
        self.column.addSpacing(GROUP)
        self.add_field("Key", self.key, _KEY if server is None else _OTHER_KEY)
        if server is None or servers.takes_folder(server):
            self.column.addSpacing(GROUP)
            self.add_field("Tokenizer", self.tokenizer, _TOKENIZER)
            self.tokenizer.setText("" if server is None else server.tokenizer)
        else:
            self.tokenizer.hide()
            self.choose_button.hide()
        self.add_buttons(self.trust_button)
        servers.added.connect(self._on_added)
        servers.state.changed.connect(self._refresh)
        self.finished.connect(lambda _result: servers.give_up())
        (self.address if server is None else self.name).setFocus()

    def save(self) -> None:
        """Ask the server, and close once it has answered."""
        if self._servers.state.now.looking:
            return
        why = self.take()
        self.show_problem(why)
        self._refresh()

    def choose_folder(self) -> QFileDialog:
        """Ask for the folder of the tokenizer."""
        dialog = folder_dialog("Choose Tokenizer", self.tokenizer.setText, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def take(self) -> str:
        """Have the server asked. Returns why its address or the folder is refused, "" where neither is."""
        key, folder = self.key.text().strip(), self.tokenizer.text()
        if self._server is None:
            return self._servers.add(self.address.text(), self.name.text(), key, folder)
        refusal = self._servers.folder_refusal(folder)
        if not refusal:
            self._servers.change(self._server.id, self.name.text(), key, folder)
        return refusal

    def _warn(self, typed: str) -> None:
        self._about.setText(self._servers.warning(typed) or _ADDRESS)

    def _refresh(self) -> None:
        """Show whether the server is being asked, and why it could not be."""
        now = self._servers.state.now
        self.save_button.set_text(_ASKING if now.looking else self._saved_by)
        self.save_button.setEnabled(not now.looking)
        self.trust_button.setVisible(bool(now.certificate))
        if now.problem is not None:
            said = f"{now.problem.title}. {now.problem.sentence}"
            self.show_problem(f"{said} {_COMPARE}\n{_grouped(now.certificate)}" if now.certificate else said)

    def _on_added(self) -> None:
        self.key.clear()
        self.accept()


def _grouped(digest: str) -> str:
    """Write a SHA-256 as programs do that show it to be compared: in pairs of digits, here on two lines."""
    pairs = [digest[at : at + 2].upper() for at in range(0, len(digest), 2)]
    return f"{':'.join(pairs[:16])}:\n{':'.join(pairs[16:])}"
