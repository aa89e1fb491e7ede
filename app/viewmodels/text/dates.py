"""Days as a person writes them: in the language of the system, or in one that was chosen for all of the program."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QDate, QLocale

from app.protocol.figures import HARD

SYSTEM = "system"
_LOCALES = (
    *("en_GB", "en_US", "cs_CZ", "da_DK", "de_DE", "es_ES", "fr_FR", "it_IT", "hu_HU", "nl_NL", "nb_NO", "pl_PL"),
    *("pt_PT", "fi_FI", "sv_SE", "tr_TR", "el_GR", "ru_RU", "uk_UA", "ja_JP", "ko_KR", "zh_CN", "zh_TW"),
)
# How a day of this year is written, and one of another year; by the language, or by that of one country.
_USUAL = ("d MMM", "d MMM yyyy")
_DOTTED, _IDEOGRAPHS = ("d. MMM", "d. MMM yyyy"), ("M月d日", "yyyy年M月d日")
_FORMS = {
    "en_US": ("MMM d", "MMM d, yyyy"),
    **dict.fromkeys(("cs", "da", "de", "fi", "nb", "nn"), _DOTTED),
    "hu": ("MMM d.", "yyyy. MMM d."),
    **dict.fromkeys(("ja", "zh"), _IDEOGRAPHS),
    "ko": ("M월 d일", "yyyy년 M월 d일"),
}
_chosen = QLocale.system()


def choose_language(code: str) -> bool:
    """Have days written in this language from now on; returns whether that is another one than before.

    code: a locale's name, as "de_DE". `SYSTEM` is what the system has, and so is what is no name of a language.
    """
    global _chosen
    found = QLocale.system() if code == SYSTEM or code not in _LOCALES else QLocale(code)
    has_changed = found != _chosen
    _chosen = found
    return has_changed


def language() -> str:
    """Return the name of the locale that days are written in."""
    return _chosen.name()


def languages() -> tuple[tuple[str, str], ...]:
    """Return what can be chosen: each code with the language's name in itself."""
    names = {code: QLocale(code).nativeLanguageName() for code in _LOCALES}
    return (SYSTEM, "As the system"), *((code, name[:1].upper() + name[1:]) for code, name in names.items())


def written(day: date, *, with_year: bool) -> str:
    """Write a day: "3 Nov", "3 Nov 2024", "Nov 3, 2024", "3. Nov. 2024", "2024年11月3日"."""
    form = _FORMS.get(_chosen.name()) or _FORMS.get(_chosen.name().partition("_")[0]) or _USUAL
    return _chosen.toString(QDate(day.year, day.month, day.day), form[with_year]).replace(" ", HARD)
