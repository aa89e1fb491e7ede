"""Files of rows cut at a token, byte by byte, with what they say of the calls that computed them."""

from __future__ import annotations

from collections.abc import Iterable

from app.kvcache.call_log import cut
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.files import Tensor
from app.kvcache.disk.layout import PATH
from app.kvcache.disk.stored import RECORD, read_record, record_tensor


def cut_rows(found: Iterable[Tensor], start: int, end: int, codec: CallLogCodec) -> list[Tensor]:
    """Return what a file holds beside its path, cut at a token: its record, and rows [start, end).

    Raises ValueError when they are none.
    """
    cut_ones: list[Tensor] = []
    for tensor in found:
        if tensor.name == RECORD:
            provenances = cut(codec.read_provenances(read_record(tensor)), end)[0]
            cut_ones.append(record_tensor(codec.write(provenances)))
        elif tensor.name != PATH:
            cut_ones.append(_first(tensor, end - start))
    return cut_ones


def _first(tensor: Tensor, tokens: int) -> Tensor:
    """Return the first rows of an array [batch, heads, tokens, width]. Raises ValueError when it is none."""
    batch, heads, length, width = tensor.shape
    whole = len(tensor.data) // max(1, batch * heads)
    part = whole // max(1, length) * tokens
    data = b"".join(tensor.data[at : at + part] for at in range(0, len(tensor.data), max(1, whole)))
    return tensor._replace(shape=(batch, heads, tokens, width), data=data)
