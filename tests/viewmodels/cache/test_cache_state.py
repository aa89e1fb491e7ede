"""The cache as a whole, in a line."""

from app.protocol.trie_view import TrieView
from app.viewmodels.cache.cache_state import cache_line


def test_cache_line() -> None:
    assert cache_line(TrieView(1)) == "Cache empty"
    view = TrieView(1, live_bytes=300_000_000, paged_bytes=2_800_000_000, budget_bytes=8_000_000_000)
    assert cache_line(view) == "Cache 3.1 of 8.0\u00a0GB"
    assert cache_line(TrieView(1, live_bytes=34_000_000)) == "Cache 34\u00a0MB"
