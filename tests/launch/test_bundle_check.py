"""What a frozen program checks of itself, tried on a checkout: what is there passes, what is missing is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.launch import bundle_check
from app.launch.paths import guide_model, resources


def test_a_checkout_is_not_frozen() -> None:
    assert not bundle_check.is_frozen()


def test_modules() -> None:
    assert list(bundle_check.missing_modules(["app.launch.paths", "json"])) == []
    (fault,) = bundle_check.missing_modules(["json", "mlx_lm.models.no_such_model"])
    assert fault.startswith("mlx_lm.models.no_such_model cannot be imported")


def test_an_empty_list_of_modules_is_a_fault() -> None:
    assert len(list(bundle_check.missing_modules([]))) == 1


def test_a_module_that_ends_for_want_of_its_package_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wants_more.py").write_text("import sys\nprint('install more')\nsys.exit(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(bundle_check.missing_modules(["wants_more"])) == []
    assert capsys.readouterr().out == ""


def test_types() -> None:
    assert list(bundle_check.missing_types(["json", "mlx_lm.models.llama", "mlx_lm.models.qwen3"])) == []
    (fault,) = bundle_check.missing_types(["mlx_lm.models.llama", "mlx_lm.models.no_such_model"])
    assert fault == "1 of 2 types of models are not listed: no_such_model."
    assert len(list(bundle_check.missing_types(["json"]))) == 1


def test_tokenizers(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.auto import tokenization_auto

    assert list(bundle_check.missing_tokenizers()) == []
    monkeypatch.setitem(tokenization_auto.TOKENIZER_MAPPING_NAMES, "strange", "NoSuchTokenizer")
    (fault,) = bundle_check.missing_tokenizers()
    assert "NoSuchTokenizer of strange" in fault


def test_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.auto import configuration_auto

    names = ["mlx_lm.models.llama", "mlx_lm.models.qwen3", "mlx_lm.models.strange", "mlx_lm.models.no_such_model"]
    assert list(bundle_check.missing_configurations(names)) == []
    mapping = configuration_auto.CONFIG_MAPPING
    monkeypatch.setitem(mapping._mapping, "strange", "StrangeConfig")
    monkeypatch.setattr(type(mapping), "__getitem__", refuse)
    assert [fault.split()[3] for fault in bundle_check.missing_configurations(names)] == ["llama", "qwen3", "strange"]


def refuse(_mapping: object, model_type: str) -> None:
    raise ImportError(model_type)


def test_template() -> None:
    assert list(bundle_check.template_faults(guide_model())) == []


def test_window(qapp: QApplication, tmp_path: Path) -> None:
    assert list(bundle_check.window_faults(resources() / "icon" / "espalier.svg")) == []
    empty = tmp_path / "empty.svg"
    empty.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>')
    (fault,) = bundle_check.window_faults(empty)
    assert "drawn as nothing" in fault


def test_unwanted_modules() -> None:
    assert list(bundle_check.unwanted_modules(("no_such_package", "no_such_package.part"))) == []
    assert list(bundle_check.unwanted_modules(("pytest",))) == ["pytest is in the bundle and should not be."]
