"""The sources of a model's chat templates, wherever in its folder they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.tokenizing.model_files import read_bytes, read_json

DEFAULT = "default"


def template_sources(folder: Path) -> dict[str, str]:
    """Return the sources of a folder's chat templates by their names.

    Of files that name the same, chat_template.jinja and additional_chat_templates count first, tokenizer_config.json
    next, chat_template.json last. Raises ModelError for a file that may not be read, and OSError.
    """
    sources = _named(_field(folder / "chat_template.json"))
    sources |= _named(_field(folder / "tokenizer_config.json"))
    for path in sorted((folder / "additional_chat_templates").glob("*.jinja")):
        sources[path.stem] = _text(path)
    if (folder / "chat_template.jinja").is_file():
        sources[DEFAULT] = _text(folder / "chat_template.jinja")
    return sources


def default_source(folder: Path) -> str | None:
    """Return the source of the template for plain conversations: the default, else the first; None without any."""
    sources = template_sources(folder)
    return sources.get(DEFAULT) or next((source for _, source in sorted(sources.items())), None)


def _field(path: Path) -> Any:
    """Return what a JSON file calls its chat template. One that is no JSON has none: who needs the file says so."""
    try:
        content = read_json(path) if path.is_file() else None
    except ValueError:
        return None
    return content.get("chat_template") if isinstance(content, dict) else None


def _named(field: Any) -> dict[str, str]:
    """Return the sources of a template, of templates by name, or of a list of names and templates."""
    if isinstance(field, str):
        return {DEFAULT: field}
    if isinstance(field, list):
        entries = [(item.get("name"), item.get("template")) for item in field if isinstance(item, dict)]
    else:
        entries = list(field.items()) if isinstance(field, dict) else []
    return {name: source for name, source in entries if isinstance(name, str) and isinstance(source, str)}


def _text(path: Path) -> str:
    return read_bytes(path).decode("utf-8", "replace")
