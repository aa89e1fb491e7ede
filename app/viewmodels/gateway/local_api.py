"""The local API: whether it is on, where, with which token, and how many answers it gives."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.protocol.dataclass import dataclass
from app.protocol.events import EngineStarted, Event
from app.protocol.reports import Problem
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import API_PORTS, Settings, SettingsValues
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT
from app.worker.engine_host import EngineHost
from app.worker.gateway_host import GatewayHost

TOKEN_FILE = "local-api-token"  # noqa: S105 - the name of its file


@dataclass(frozen=True, slots=True)
class LocalApiState:
    """The state of the local API, as settings and the status line show it.

    is_on: the person wants it. is_listening: clients may come. port: to which. token: what they show, "" before it is
    known. problem: why they may not come. answers: that are given or wait.
    """

    is_on: bool = False
    is_listening: bool = False
    port: int = 0
    token: str = ""
    problem: str = ""
    answers: int = 0

    @property
    def address(self) -> str:
        """Return what clients of OpenAI's interface call the base address."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def activity(self) -> Activity | None:
        """Return what the status line says while the engine does nothing else; None where no answer is given."""
        if not self.answers:
            return None
        return Activity(f"API, {formatting.plural(self.answers, 'answer')}{DOT}Stop", stops_guests=True)


class LocalApi(QObject):
    """Follows the settings: it is started and ended as they say, once there is an engine.

    Attributes: state; gateway, its host.
    """

    state: LiveState[LocalApiState]

    def __init__(
        self, host: EngineHost, settings: Settings, folders: Folders, notices: Notices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._notices = settings, notices
        file = str(Path(folders.database).parent / TOKEN_FILE) if folders.database else ""
        self.gateway = GatewayHost(host, file, self)
        self._has_engine = self._is_listening = False
        self._wanted: int | None = None  # the port that was asked for last
        self._token, self._answers = "", 0
        self._problem: Problem | None = None
        self.state = LiveState(self._state, self)
        self.state.follow(settings.changed)
        settings.changed.connect(self._follow)
        self.gateway.listening.connect(self._on_listening)
        self.gateway.failed.connect(self._on_failed)
        self.gateway.answering.connect(self._on_answering)

    def take(self, event: Event) -> None:
        """Begin with the first engine, when the window is painted."""
        if isinstance(event, EngineStarted) and not self._has_engine:
            self._has_engine = True
            self._follow(self._settings.values)

    def switch(self, is_on: bool) -> None:
        """Turn it on or off; on again where it failed."""
        self._wanted = None if self._problem is not None else self._wanted
        self._settings.update(is_api_on=is_on)
        self._follow(self._settings.values)

    def choose_port(self, typed: str) -> str:
        """Have clients come to another port, and say why that is none."""
        least, most = API_PORTS
        number = int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= len(str(most)) else 0
        if not least <= number <= most:
            return f"A port is a number from {least} to {most}."
        self._wanted = None if self._problem is not None else self._wanted
        self._settings.update(api_port=number)
        self._follow(self._settings.values)
        return ""

    def renew_token(self) -> None:
        """Have another token hold, and the one before no more; answers that are given now fail."""
        self._begin(renews_token=True)

    def stop_answers(self) -> None:
        """End the answers that are given now."""
        self.gateway.stop_answers()

    def close(self) -> None:
        """End it: the program ends."""
        self.gateway.close()

    def _follow(self, values: SettingsValues) -> None:
        wanted = values.api_port if values.is_api_on and self._has_engine else None
        if wanted == self._wanted:
            return
        if wanted is None:
            self._wanted, self._is_listening, self._problem = None, False, None
            self.gateway.stop()
        else:
            self._begin()
        self.state.refresh()

    def _begin(self, *, renews_token: bool = False) -> None:
        self._wanted = self._settings.values.api_port
        self._is_listening, self._problem = False, None
        self.gateway.start(self._wanted, renews_token=renews_token)
        self.state.refresh()

    def _on_listening(self, _port: int, token: str) -> None:
        self._is_listening, self._token = True, token
        self.state.refresh()

    def _on_failed(self, problem: Problem) -> None:
        self._is_listening, self._problem, self._answers = False, problem, 0
        self._notices.error(Problem(f"The local API is off: {problem.title.lower()}", problem.sentence))
        self.state.refresh()

    def _on_answering(self, answers: int) -> None:
        self._answers = answers
        self.state.refresh()

    def _state(self) -> LocalApiState:
        values = self._settings.values
        problem = "" if self._problem is None else self._problem.sentence
        return LocalApiState(values.is_api_on, self._is_listening, values.api_port, self._token, problem, self._answers)
