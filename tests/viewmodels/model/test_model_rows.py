"""What a row of the list of models says, and where it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.models.entry import ModelEntry, Source
from app.protocol.events import ModelLoading
from app.protocol.memory import GIB, Memory, ModelSupport
from app.viewmodels.model.file_check import CheckState
from app.viewmodels.model.model_rows import ModelRow, ModelRows, Standing, rows_of

NOW = 1_761_998_400.0
SUPPORT = ModelSupport(frozenset({"qwen3", "llama"}), Memory(16 * GIB, 12 * GIB))
STANDING = Standing({}, NOW, SUPPORT)
QWEN = ModelEntry(
    path="/models/Qwen3-8B-4bit",
    name="Qwen3-8B-4bit",
    source=Source.HUB,
    root="/hub",
    owner="mlx-community",
    model_type="qwen3",
    parameters=8_190_000_000,
    precision="4-bit",
    weight_bytes=4_600_000_000,
    context=40_960,
)


def row(entry: ModelEntry, standing: Standing = STANDING) -> ModelRow:
    (only,) = rows_of([entry], standing)
    return only


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def test_a_row_says_what_the_model_is_and_what_it_leaves() -> None:
    shown = row(QWEN)
    assert plain(shown.details) == "qwen3  ·  8.2 B  ·  4-bit  ·  4.6 GB  ·  40k tokens"
    assert shown.source == "mlx-community  ·  Hugging Face"
    assert plain(shown.fit) == "fits, 4.3 GB for the cache"
    assert (shown.reason, shown.age, shown.is_too_large, shown.is_current) == ("", "", False, False)
    expected = (
        "Qwen3-8B-4bit, qwen3, 8.2 B, 4-bit, 4.6 GB of weights, 40k tokens, fits, 4.3 GB for the cache, "
        "mlx-community, Hugging Face"
    )
    assert plain(shown.spoken) == expected


def test_a_context_that_is_limited_is_said_so() -> None:
    limited = replace(STANDING, limits={QWEN.path: 8192})
    assert plain(row(QWEN, limited).details).endswith("40k tokens, limited to 8 192")
    assert plain(row(replace(QWEN, context=0), limited).details).endswith("  ·  limited to 8 192")
    assert row(replace(QWEN, context=4096), limited).details == row(replace(QWEN, context=4096)).details


def test_what_is_not_known_is_left_out() -> None:
    bare = row(ModelEntry("/m", "m", Source.ADDED), Standing({}, NOW, ModelSupport()))
    assert bare == ModelRow("/m", "m", "Added folder", is_added=True)
    assert bare.spoken == "m, Added folder"


@pytest.mark.parametrize(
    ("weight_bytes", "is_too_large", "fit"),
    [
        (5 * GIB, False, "fits, 4.3 GB for the cache"),
        (9 * GIB, False, "fits, 1.1 GB for the cache"),
        (11 * GIB, False, "fits, no room for the cache"),
        (12 * GIB, True, "too large: 12.9 of 13 GB"),
        (40 * GIB, True, "too large: 42.9 of 13 GB"),
        (0, False, ""),
    ],
)
def test_what_a_model_leaves_for_the_cache_is_said(weight_bytes: int, is_too_large: bool, fit: str) -> None:
    shown = row(replace(QWEN, weight_bytes=weight_bytes))
    assert (shown.is_too_large, plain(shown.fit)) == (is_too_large, fit)


def test_a_type_that_the_engine_does_not_know_is_a_reason() -> None:
    strange = replace(QWEN, model_type="bert")
    assert row(strange).reason == "mlx-lm has no model of type “bert”."
    assert row(strange).fit == ""
    assert row(replace(strange, reason="It has no weights.")).reason == "It has no weights."
    assert row(strange, Standing({}, NOW, ModelSupport())).reason == "", "nothing is refused before the engine has said"


def test_what_is_not_used_of_a_model_is_said() -> None:
    assert row(replace(QWEN, sees=True)).details.endswith("  ·  text only")
    assert row(replace(QWEN, calls_tools=True)).details.endswith("  ·  without tools")
    assert row(replace(QWEN, sees=True, calls_tools=True)).details.endswith("  ·  text only, without tools")


def test_the_model_in_use_and_the_one_being_opened_are_marked() -> None:
    using = replace(STANDING, current=QWEN.path, used={QWEN.path: int(NOW) - 7200})
    assert (row(QWEN, using).is_current, plain(row(QWEN, using).age)) == (True, "2 h")
    assert "open now" in row(QWEN, using).spoken
    loading = replace(STANDING, loading=ModelLoading(QWEN.path, "Reading the weights", 0.4))
    assert (row(QWEN, loading).stage, row(QWEN, loading).done) == ("Reading the weights", 0.4)
    assert row(QWEN, replace(loading, loading=ModelLoading(QWEN.path, ""))).stage == "Opening"
    assert row(replace(QWEN, path="/other"), loading).stage == ""


def test_a_check_of_files_shows_in_its_row() -> None:
    checking = replace(STANDING, check=CheckState(QWEN.path, 0.25))
    assert (row(QWEN, checking).stage, row(QWEN, checking).done) == ("Verifying its files", 0.25)
    ollama = replace(QWEN, source=Source.OLLAMA)
    assert row(ollama).can_be_verified
    assert not row(QWEN).can_be_verified
    assert not row(replace(ollama, reason="It has no weights.")).can_be_verified


def test_rows_stand_by_use_then_by_name_and_what_cannot_be_opened_last() -> None:
    names = {"b": "", "A": "", "c": "", "d": "", "E": "It has no weights.", "f": "Its weights are GGUF."}
    entries = [ModelEntry(f"/{name}", name, Source.HUB, reason=reason) for name, reason in names.items()]
    standing = replace(STANDING, used={"/c": 100, "/d": 200, "/f": 300})
    assert [shown.name for shown in rows_of(entries, standing)] == ["d", "c", "A", "b", "f", "E"]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("", True),
        ("QWEN", True),
        ("8b 4-BIT", True),
        ("community hugging", True),
        ("qwen llama", False),
        ("GGUF", False),
    ],
)
def test_every_word_that_is_typed_must_be_there(text: str, is_found: bool) -> None:
    assert row(QWEN).matches(text) == is_found


def test_the_list_says_names_and_what_a_screen_reader_says() -> None:
    model = ModelRows()
    model.show(rows_of([QWEN, replace(QWEN, path="/x", name="x", reason="It has no weights.")], STANDING))
    first, second = model.index(0), model.index(1)
    assert (first.data(), second.data()) == ("Qwen3-8B-4bit", "x")
    assert second.data(Qt.ItemDataRole.AccessibleTextRole) == model.rows[1].spoken
    assert first.data(Qt.ItemDataRole.ToolTipRole) == "/models/Qwen3-8B-4bit"
    assert second.data(Qt.ItemDataRole.ToolTipRole) == "It has no weights."
    assert first.data(Qt.ItemDataRole.DecorationRole) is None
