"""How many tokens a model reads at most, in a window of its own."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import formatting
from app.widgets.kit.style import Style
from app.widgets.models.form_box import FormBox, FormField

_LONGEST = 40  # characters
_ABOUT = (
    "A conversation and the answer to it take at most so many tokens. Fewer keep the cache small; what is cached stays "
    "when the limit changes. Leave the field empty for as many as the model allows"
)
_BY_SERVER = (
    "A conversation and the answer to it take at most so many tokens. The server makes room in its memory for so many, "
    "and loads the model again when the limit changes. Leave the field empty for {usual}"
)


class ContextBox(FormBox):
    """Asks for a model's context limit. Attribute: field."""

    def __init__(self, style: Style, models: ModelRegion, path: str, name: str, parent: QWidget | None = None) -> None:
        """Ask for the limit of the model at a path."""
        super().__init__(style, "Limit Context", parent)
        self._models, self._path = models, path
        own, limit = models.own_context(path), models.current_model.context_limit_of(path)
        self.field = FormField(style, f"Context limit of {name} in tokens", self)
        self.field.setMaxLength(_LONGEST)
        usual = models.usual_context(path)
        self.field.setPlaceholderText(formatting.number(usual) if usual else "As long as the model allows")
        self.field.setText("" if limit is None else str(limit))
        about = _BY_SERVER.format(usual=formatting.tokens(usual)) if usual else _ABOUT
        allowed = "; the model allows" if usual else ":"
        about = f"{about}{allowed} {formatting.tokens(own)}." if own else f"{about}."
        self.add_field(f"Context of {name}, at most", self.field, about)
        self.add_problem()
        self.add_buttons()
        self.field.setFocus()

    def take(self) -> str:
        """Limit the context. Returns why what was entered is no limit, "" where it is one."""
        return self._models.limit_context(self._path, self.field.text())
