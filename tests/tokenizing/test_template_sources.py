"""A chat template is found wherever a folder keeps it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.engine.model import LoadedModel
from app.tokenizing.template_sources import default_source, template_sources
from tests.engine.bench import opened_folder, user
from tests.fakes.model_folder import write_model_folder

FILES: dict[str, Any] = {
    "nowhere": {},
    "in a file of its own": {"chat_template.jinja": "A"},
    "in the tokenizer's": {"tokenizer_config.json": {"chat_template": "A"}},
    "in a file of JSON": {"chat_template.json": {"chat_template": "A"}},
    "in several": {
        "chat_template.json": {"chat_template": "C"},
        "tokenizer_config.json": {"chat_template": "B"},
        "chat_template.jinja": "A",
    },
    "in a list": {
        "tokenizer_config.json": {
            "chat_template": [{"name": "tool_use", "template": "B"}, {"name": "default", "template": "A"}, 7]
        }
    },
    "by another name": {"tokenizer_config.json": {"chat_template": {"rag": "A", "tool_use": "B"}}},
    "beside others": {"additional_chat_templates/rag.jinja": "B", "tokenizer_config.json": {"chat_template": "A"}},
    "among others": {"additional_chat_templates/rag.jinja": "A", "additional_chat_templates/tool_use.jinja": "B"},
    "of an odd type": {"chat_template.json": {"chat_template": "A"}, "tokenizer_config.json": {"chat_template": 7}},
}


def write(folder: Path, files: dict[str, Any], template: str) -> None:
    """Write files in which "A" is short for a template."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        known = json.loads(path.read_text()) if path.exists() and name.endswith(".json") else {}
        text = content if isinstance(content, str) else json.dumps({**known, **content})
        path.write_text(text.replace('"A"', json.dumps(template)) if name.endswith(".json") else text)
        if text == "A":
            path.write_text(template)


@pytest.mark.parametrize("way", FILES)
def test_the_source_is_found(tmp_path: Path, way: str) -> None:
    write(tmp_path, FILES[way], "{{ 1 }}")
    assert default_source(tmp_path) == ("{{ 1 }}" if FILES[way] else None)


@pytest.mark.parametrize("way", [way for way in FILES if FILES[way]])
def test_a_model_is_opened_with_it(tmp_path: Path, way: str) -> None:
    template = "{% for message in messages %}[{{ message.content }}]{% endfor %}"
    folder = write_model_folder(tmp_path / "m", template=None)
    write(folder, FILES[way], template)
    model = opened_folder(folder)
    assert isinstance(model, LoadedModel)
    assert model.codec.decode(model.prompts.build((user("hi"),)).ids).endswith("[hi]")


def test_all_names_are_told(tmp_path: Path) -> None:
    files = {"additional_chat_templates/rag.jinja": "B", "chat_template.jinja": "A"}
    write(tmp_path, files, "{{ 1 }}")
    assert template_sources(tmp_path) == {"rag": "B", "default": "{{ 1 }}"}
    (tmp_path / "tokenizer_config.json").write_text("{")
    assert len(template_sources(tmp_path)) == 2
