"""What the index takes for a token. Times are for `make bench-cache`."""

from __future__ import annotations

from tests.bench.bookkeeping import Forest, index_bytes


def test_a_token_takes_at_most_16_bytes_of_index() -> None:
    assert index_bytes(tokens=24_000) <= 16


def test_the_forest_is_as_large_as_it_was_asked_to_be() -> None:
    forest = Forest(nodes=200, tokens=4_096)
    assert 200 <= forest.nodes < 210
    assert forest.cache.price(forest.long_request()).seen == 4_096
