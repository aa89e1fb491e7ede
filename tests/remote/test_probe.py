"""What a server is found out to be, and what is told where that cannot be found out."""

from __future__ import annotations

import pytest

from app.remote import kinds
from app.remote.faults import ServerError
from tests.remote.scripted import Script, serving
from tests.remote.started import look_at

LIST = "/v1/models"


@pytest.mark.parametrize("status", [401, 403])
def test_a_missing_key_is_asked_for_though_the_server_says_that_it_is_well(status: int) -> None:
    script = Script(kind="mlx_lm.server", pages={LIST: (status, "application/json", b"{}")})
    with serving(script), pytest.raises(ServerError, match="asks for a key"):
        look_at(script.server)


@pytest.mark.parametrize("status", [404, 500, 503])
def test_a_server_that_refuses_its_list_is_not_taken_for_one_that_has_none(status: int) -> None:
    script = Script(kind="mlx_lm.server", pages={LIST: (status, "application/json", b"{}")})
    with serving(script), pytest.raises(ServerError):
        look_at(script.server)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"object": "list"}'])
def test_one_whose_list_cannot_be_read_is_known_by_being_well(body: bytes) -> None:
    with serving(Script(kind="mlx_lm.server", pages={LIST: (200, "application/json", body)})) as script:
        found = look_at(script.server)
        assert (found.kind, found.models[0].name) == (kinds.MLX, kinds.MLX_DEFAULT)
    script = Script(pages={LIST: (200, "application/json", body)})
    with serving(script), pytest.raises(ServerError, match="no answer that can be read"):
        look_at(script.server)
