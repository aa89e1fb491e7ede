"""The page of the settings about starting and quitting, and the one about how everything looks."""

from __future__ import annotations

import time

from PySide6.QtGui import QFontDatabase

from app.viewmodels.kit.settings import Settings
from app.viewmodels.preferences.alternatives_size import AlternativesSize
from app.viewmodels.preferences.rows import ON, Amount, Choice, Group, Handlers, Toggle
from app.viewmodels.text import dates, formatting

_STARTS = (("last", "Where I was"), ("new", "A new conversation"))
_LOOKS = (("system", "As the system"), ("light", "Light"), ("dark", "Dark"))
_SMALLEST, _LARGEST = 10, 24


class GeneralPage:
    """Starting and quitting, what is kept with answers, and how days are written."""

    id = "general"
    title = "General"

    def __init__(self, settings: Settings, alternatives: AlternativesSize) -> None:
        self._settings, self._alternatives = settings, alternatives

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        values, size = self._settings.values, self._alternatives.bytes
        kept = "" if size is None else f" {formatting.size(size)} of it is in the database now."
        alternatives = Toggle(
            id="keeps_alternatives",
            title="Keep what else the model would have said",
            detail=f"So that another word can be chosen in an answer.{kept}",
            is_on=values.keeps_alternatives,
        )
        start = Choice(
            id="start_with",
            title="When Espalier starts, open",
            detail="What you wrote and did not send is kept either way.",
            value=values.start_with,
            choices=_STARTS,
        )
        quits = Toggle(
            id="asks_to_quit",
            title="Ask before quitting while an answer is written",
            detail="What is written so far is kept either way, and can go on later.",
            is_on=values.asks_to_quit,
        )
        days = Choice(
            id="date_language",
            title="Language of dates",
            detail=f"Days before yesterday are written like today: {formatting.day(time.time())}.",
            value=values.date_language,
            choices=dates.languages(),
        )
        return (
            Group("Start", (start,)),
            Group("Answers", (alternatives,)),
            Group("Dates", (days,)),
            Group("Quitting", (quits,), "Everything is saved as it happens."),
        )

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {
            "keeps_alternatives": lambda _id, value: self._settings.update(keeps_alternatives=value == ON),
            "start_with": lambda _id, value: self._settings.update(start_with=value),
            "date_language": lambda _id, value: self._settings.update(date_language=value),
            "asks_to_quit": lambda _id, value: self._settings.update(asks_to_quit=value == ON),
        }

    def show(self) -> None:
        """Find out how much is kept with the answers."""
        self._alternatives.read()


class AppearancePage:
    """Light or dark, and the type."""

    id = "appearance"
    title = "Appearance"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._fonts: tuple[tuple[str, str], ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        values = self._settings.values
        look = Choice(id="appearance", title="Appearance", value=values.appearance, choices=_LOOKS)
        size = min(_LARGEST, max(_SMALLEST, values.body_size))
        text = Amount(
            id="text_size",
            title="Text size",
            detail="Of everything, in the proportion of a message’s text.",
            value=size,
            low=_SMALLEST,
            high=_LARGEST,
            shown=str(size),
        )
        code = Choice(
            id="code_font",
            title="Font of code",
            detail="Fonts of fixed pitch that are installed.",
            value=values.code_font,
            choices=(("", "The system’s"), *self._fonts),
        )
        return Group("Colours", (look,)), Group("Text", (text, code))

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {
            "appearance": lambda _id, value: self._settings.update(appearance=value),
            "text_size": lambda _id, value: self._choose_size(round(float(value))),
            "code_font": lambda _id, value: self._settings.update(code_font=value),
        }

    def show(self) -> None:
        """Look once which fonts there are."""
        if not self._fonts:
            families = [one for one in QFontDatabase.families() if QFontDatabase.isFixedPitch(one)]
            self._fonts = tuple((one, one) for one in families if not QFontDatabase.isPrivateFamily(one))

    def _choose_size(self, body: int) -> None:
        size = min(_LARGEST, max(_SMALLEST, body))
        self._settings.update(body_size=size)
