"""Servers of models for the pictures: some that were added, one that is being added, and what is asked before words go
there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from app.protocol.events import ModelReady, ServerAwaited
from app.protocol.reports import Problem
from app.remote.faults import ServerError, broken_off, changed, gave_up, refused, unreachable, untrusted
from app.remote.id_prompts import OFF
from app.remote.opening import LEFT_OUT
from app.viewmodels.app import App
from app.viewmodels.chat import question_card
from app.viewmodels.chat.chat_text import LONG_SILENCE
from app.viewmodels.chat.question import Question
from app.viewmodels.kit.settings import ServerState
from app.widgets.models.models_window import ModelsWindow
from app.widgets.models.server_box import ServerBox
from app.widgets.models.servers_page import ServersPage
from app.widgets.window.main_window import MainWindow
from tools.gallery.waiting import wait

Act = Callable[[App, MainWindow], None]

STUDIO = "server:a1/mlx-community/Qwen3-235B-A22B-4bit"
SERVERS = (
    ServerState(
        *("a1", "Studio", "http://studio.local:8080", "mlx_lm.server"),
        {"mlx-community/Qwen3-235B-A22B-4bit": 0, "mlx-community/gpt-oss-120b-4bit": 0},
    ),
    ServerState(
        *("b2", "Workstation", "http://192.168.1.20:8000", "vLLM"),
        {"meta-llama/Llama-3.3-70B-Instruct": 131_072},
    ),
    ServerState("c3", "localhost:11434", "http://localhost:11434", "Ollama", {}),
)


def show_page(width: int = 0, typed: str = "") -> Act:
    """Show the servers that were added."""

    def show(app: App, window: MainWindow) -> None:
        app.settings.update(servers=SERVERS)
        _open_page(app, window, width).field.setText(typed)

    return show


def show_none(app: App, window: MainWindow) -> None:
    """Show the page before a server was added."""
    _open_page(app, window)


def show_silent(app: App, window: MainWindow) -> None:
    """Look again at a server that does not answer."""
    app.settings.update(servers=SERVERS)
    page = _open_page(app, window)
    page.list.select(3)
    _fail(app, unreachable("Workstation", "192.168.1.20:8000").problem)


def add(app: App, window: MainWindow) -> None:
    """Add one whose address is in the same network."""
    box = _open_box(app, window)
    box.address.setText("studio.local:8080")
    box.name.setText("Studio")


def add_in_vain(app: App, window: MainWindow) -> None:
    """Add one that does not answer."""
    box = _open_box(app, window)
    box.address.setText("192.168.1.20:8000")
    _fail(app, unreachable("192.168.1.20:8000", "192.168.1.20:8000").problem)


def add_untrusted(app: App, window: MainWindow) -> None:
    """Add one whose certificate was made by its owner."""
    box = _open_box(app, window)
    box.address.setText("https://studio.local:8443")
    box.name.setText("Studio")
    _fail(app, untrusted("Studio", "self-signed certificate").problem, "9f3a" * 16)


def change(app: App, window: MainWindow) -> None:
    """Change one to which the folder of a tokenizer makes a difference."""
    app.settings.update(servers=(*SERVERS[:1], replace(SERVERS[1], tokenizer="/Models/Llama-3.3-70B-Instruct")))
    page = _open_page(app, window)
    page.list.select(3)
    page.change_button.click()


def ask_first(app: App, window: MainWindow) -> None:
    """Ask something of a model on a server, in a conversation that was not sent there before."""
    talk_with_it(app, window)
    app.chat.requests.send("Could it be a little cheaper?")


def talk_with_it(app: App, window: MainWindow) -> None:
    """Have a model on a server in use."""
    app.settings.update(servers=SERVERS)
    app.model.open(STUDIO)


def fail(error: ServerError, *, goes_on: bool = False) -> Act:
    """Be left without an answer, or with the beginning of one, which can go on."""

    def act(app: App, window: MainWindow) -> None:
        talk_with_it(app, window)
        wait("the server's model is in use", lambda: is_in_use(app))
        question = app.library.tree.path[-2]
        card = question_card.server_failed(error.problem, question.id, goes_on=goes_on)
        app.answering.cards.put(app.library.open_id, card)

    return act


FAILURES: Mapping[str, Act] = {
    "broke-off": fail(broken_off("Studio"), goes_on=True),
    "asks-for-key": fail(refused("Studio", 401, "Invalid API key")),
    "changed": fail(changed("Studio")),
    "busy": fail(refused("Studio", 503, "no slot available")),
    "gave-up": fail(gave_up("Studio", "CUDA error: out of memory"), goes_on=True),
}
"""What may go wrong with an answer, by a name for its picture."""


def wait_for_it(app: App, window: MainWindow) -> None:
    """Ask something of a server that does not answer at first."""
    _ask(app, window)
    app.answering.generations.take(ServerAwaited(_asked(app).run_id or 0, 0, "Studio"))
    app.catch_up()


def hear_nothing(app: App, window: MainWindow) -> None:
    """Ask something of a server, and hear nothing of it for long."""
    _ask(app, window)
    wait("it is read", lambda: _asked(app).prefill is not None)
    _asked(app).heard_at -= LONG_SILENCE + 3
    app.answering.generations.moved.emit()
    app.catch_up()


def count_otherwise(app: App, window: MainWindow) -> None:
    """Be told that a server counts other tokens than it was sent."""
    _open_with(app, window, OFF)


def lose_replica(app: App, window: MainWindow) -> None:
    """Open the model of several servers, of which one does not answer."""
    problem = unreachable("Studio", "192.168.1.21:8000").problem
    _open_with(app, window, f"{problem.title}. {problem.sentence} {LEFT_OUT}")


def _open_with(app: App, window: MainWindow, note: str) -> None:
    talk_with_it(app, window)
    wait("the server's model is in use", lambda: is_in_use(app))
    info = app.model.current_model.info
    if info is not None:
        app.model.take(ModelReady(replace(info, note=note)))
    app.catch_up()


def _ask(app: App, window: MainWindow) -> None:
    talk_with_it(app, window)
    wait("the server's model is in use", lambda: is_in_use(app))
    app.answering.chosen.all.allow(app.library.open_id, "a1")
    app.chat.requests.send("Could it be a little cheaper?")
    wait("it is asked", lambda: bool(app.answering.questions.at_engine))


def _asked(app: App) -> Question:
    (question,) = app.answering.questions.at_engine
    return question


def show_cache(app: App, window: MainWindow) -> None:
    """Look at what the server should still hold."""
    talk_with_it(app, window)
    wait("the server's model is in use", lambda: is_in_use(app))
    window.inspector.show_pane("cache")


def show_map(app: App, window: MainWindow) -> None:
    """Look at the map of a conversation that a server answers."""
    talk_with_it(app, window)
    wait("the server's model is in use", lambda: is_in_use(app))
    window.do("map")


def page_of(window: MainWindow) -> ModelsWindow:
    """Return the window of models."""
    (models,) = window.findChildren(ModelsWindow)
    return models


def box_of(window: MainWindow) -> ServerBox:
    """Return the window in which a server is added."""
    (box,) = window.findChildren(ServerBox)
    return box


def is_asked(app: App) -> bool:
    """Return whether the conversation asks before it is sent to a server."""
    card = app.chat.state.now.card
    return card is not None and card.action_id == "send_to_server"


def is_in_use(app: App) -> bool:
    """Return whether a model on a server is."""
    return app.model.state.now.is_on_server and app.model.state.now.is_open


def _open_page(app: App, window: MainWindow, width: int = 0) -> ServersPage:
    window.do("models")
    models = page_of(window)
    models.show_page("servers")
    if width:
        models.resize(width, 480)
    app.catch_up()
    page: ServersPage = models.findChild(ServersPage)
    return page


def _open_box(app: App, window: MainWindow) -> ServerBox:
    page = _open_page(app, window)
    page.ask_for_server()
    return box_of(window)


def _fail(app: App, problem: Problem, certificate: str = "") -> None:
    """Have the look that was begun fail, without a network."""
    app.servers._on_failed(problem, certificate, app.servers.state.now.looking)
    app.catch_up()
