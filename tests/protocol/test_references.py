from __future__ import annotations

import pytest

from app.protocol.references import ServerModel, is_on_server, server_model


def test_a_model_on_a_server_is_named_by_both() -> None:
    model = ServerModel("0a1b", "mlx-community/Qwen3-4B")
    assert model.reference == "server:0a1b/mlx-community/Qwen3-4B"
    assert server_model(model.reference) == model
    assert is_on_server(model.reference)


@pytest.mark.parametrize(
    "other", ["/models/x", "ollama:llama3:8b", "server:", "server:0a1b", "server:0a1b/", "server:../x"]
)
def test_what_names_no_model_on_a_server(other: str) -> None:
    assert server_model(other) is None


def test_a_name_with_a_line_break_or_without_end_is_none() -> None:
    assert server_model("server:0a1b/x\ny") is None
    assert server_model("server:0a1b/" + "x" * 301) is None


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("tiny", "tiny"),
        ("mlx-community/Qwen3-4B", "Qwen3-4B"),
        ("/home/ana/models/gemma.gguf", "gemma"),
        ("org/", "org"),
        (".gguf", ".gguf"),
    ],
)
def test_a_model_is_called_without_what_stands_around_its_name(name: str, title: str) -> None:
    assert ServerModel("a1", name).title == title
