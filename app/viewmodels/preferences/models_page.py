"""The page of the settings about models: which begin, where they lie, where they are had from."""

from __future__ import annotations

from pathlib import Path

from app.viewmodels.chat.presets import Presets
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.kit.settings import GUIDE, Settings
from app.viewmodels.model.current_model import GUIDE_NAME
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.preferences.rows import Buttons, Choice, Entry, Group, Handlers, Question, Row, RowButton

_LAST = "The one used last"
_FOUND = "Models of Hugging Face, LM Studio and Ollama are found without being added. Nothing in a folder is changed."
_ABOUT_ACCESS = "Only for models that are not public. It is kept in the system’s keychain and sent to this hub alone."


class ModelsPage:
    """Models at the start, folders that are looked through, and the hub."""

    id = "models"
    title = "Models"

    def __init__(self, settings: Settings, model: ModelRegion, hub: HubRegion, presets: Presets) -> None:
        self._settings, self._model, self._hub, self._presets = settings, model, hub, presets
        self._problem = ""

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        return (
            Group("Start", (self._start_model(), self._start_preset())),
            Group("Folders Looked Through", self._folders(), _FOUND),
            Group("Hub", self._of_the_hub(), "Nothing is sent or fetched before you search or choose a model."),
        )

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {
            "start_model": lambda _id, value: self._settings.update(start_model=value),
            "start_preset": lambda _id, value: self._settings.update(start_preset=value),
            "add_folder": lambda _id, folder: self._model.list.add_folder(folder),
            "remove_folder": lambda folder, _value: self._model.list.remove_folder(folder),
            "hub": lambda _id, typed: self._choose_hub(typed),
            "token": lambda _id, typed: self._keep_token(typed),
            "remove_token": lambda _id, _value: self._hub.keep_token(""),
        }

    def show(self) -> None:
        """Look which models there are."""
        self._problem = ""
        self._model.list.look()

    def _start_model(self) -> Choice:
        chosen, guide = self._settings.values.start_model, self._model.current_model.guide
        known = {row.id: row.name for row in self._model.list.state.now if row.id != guide and not row.reason}
        if chosen not in ("", GUIDE, *known):
            known[chosen] = self._model.current_model.name_of(chosen)
        return Choice(
            id="start_model",
            title="Model at the start",
            value=chosen,
            choices=(("", _LAST), (GUIDE, GUIDE_NAME), *known.items()),
        )

    def _start_preset(self) -> Choice:
        chosen = self._settings.values.start_preset
        names = dict.fromkeys([*(one.name for one in self._presets.all), *([chosen] if chosen else [])])
        return Choice(
            id="start_preset",
            title="Settings of new conversations",
            detail="A preset of temperature, top-p and the like.",
            value=chosen,
            choices=(("", _LAST), *((name, name) for name in names)),
        )

    def _folders(self) -> tuple[Row, ...]:
        folders = self._settings.values.model_folders
        rows = [
            Buttons(
                id=f"folder:{one}",
                title=Path(one).name or one,
                detail=one,
                buttons=(RowButton(id=f"remove_folder:{one}", title="Remove", spoken=f"Remove {one}"),),
            )
            for one in folders
        ]
        add = RowButton(id="add_folder", title="Add Folder…", folder_title="Add Folder")
        return *rows, Buttons(id="folders", title="No folder was added" if not folders else "", buttons=(add,))

    def _of_the_hub(self) -> tuple[Row, ...]:
        hub, now = self._hub, self._hub.state.now
        address = Entry(
            id="hub",
            title="Address",
            value="" if hub.is_usual else hub.endpoint,
            hint=hub.endpoint,
            problem=self._problem,
        )
        kept = f"A token is kept for {now.host}. Another one replaces it." if now.has_token else _ABOUT_ACCESS
        token = Entry(id="token", title="Access token", detail=kept, is_secret=True)
        if not now.has_token:
            return address, token
        question = Question(
            "Remove the access token?", f"Models of {now.host} that are not public cannot be had without it.", "Remove"
        )
        remove = RowButton(id="remove_token", title="Remove Token…", question=question)
        return address, token, Buttons(id="kept_token", title="Token in the keychain", buttons=(remove,))

    def _choose_hub(self, typed: str) -> None:
        self._problem = self._hub.choose_hub(typed)

    def _keep_token(self, typed: str) -> None:
        if typed.strip():
            self._hub.keep_token(typed.strip())
