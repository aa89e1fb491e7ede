"""The page of the settings about the local API: what it is, where it is, and the token."""

from __future__ import annotations

from app.viewmodels.gateway.local_api import LocalApi, LocalApiState
from app.viewmodels.preferences.rows import ON, Buttons, Entry, Group, Handlers, Question, Row, RowButton, Toggle

_ABOUT = (
    "Editors, scripts and other programs of this computer can then ask the open model, as they ask OpenAI’s servers. "
    "What you ask in Espalier comes first, and nothing of theirs becomes a conversation."
)
_SAFE = "It answers programs of this computer alone that have the token, and never web pages."
_RENEW = Question(
    "Renew the token?",
    "Programs that have the present one get no answer any more until you give them the new one. Answers that are being "
    "given to them end.",
    "Renew",
)
_SHOWN = 4  # letters of the token


class ApiPage:
    """The switch, the port, and what a program must be told."""

    id = "api"
    title = "Local API"

    def __init__(self, api: LocalApi) -> None:
        self._api = api
        self._problem = ""

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        now = self._api.state.now
        switch = Toggle(id="api", title="Answer other programs", detail=_ABOUT, is_on=now.is_on)
        port = Entry(
            id="port",
            title="Port",
            detail="" if not now.is_on else "Listening." if now.is_listening else "Not listening.",
            value=str(now.port),
            problem=self._problem or now.problem,
        )
        general = Group("Local API", (switch, port), _SAFE)
        return (general, Group("For Other Programs", _told(now))) if now.is_listening else (general,)

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {
            "api": lambda _id, value: self._switch(value == ON),
            "port": lambda _id, typed: self._choose_port(typed.strip()),
            "renew": lambda _id, _value: self._api.renew_token(),
        }

    def show(self) -> None:
        """Forget what was refused."""
        self._problem = ""

    def _switch(self, is_on: bool) -> None:
        self._problem = ""
        self._api.switch(is_on)

    def _choose_port(self, typed: str) -> None:
        self._problem = self._api.choose_port(typed)


def _told(now: LocalApiState) -> tuple[Row, ...]:
    """Return what other programs must be told."""
    hidden = f"{'•' * _SHOWN}{now.token[-_SHOWN:]}"
    renew = RowButton(id="renew", title="Renew…", spoken="Renew the token", question=_RENEW)
    return (
        Buttons(
            id="address",
            title="Address",
            detail=now.address,
            buttons=(_copy("copy_address", "address", now.address),),
        ),
        Buttons(
            id="token",
            title="Token",
            detail=f"{hidden}. Programs call it the API key.",
            buttons=(_copy("copy_token", "token", now.token), renew),
        ),
        Buttons(
            id="try",
            title="Try it in a terminal",
            detail=trial(now.address, hidden),
            buttons=(_copy("copy_try", "line", trial(now.address, now.token)),),
        ),
    )


def trial(address: str, token: str) -> str:
    """Return a line for a terminal that asks a question."""
    body = '{"messages":[{"role":"user","content":"What is a fork?"}]}'
    head = f"-H 'Authorization: Bearer {token}' -H 'Content-Type: application/json'"
    return f"curl {address}/chat/completions {head} -d '{body}'"


def _copy(button_id: str, what: str, text: str) -> RowButton:
    return RowButton(id=button_id, title="Copy", spoken=f"Copy the {what}", copies=text)
