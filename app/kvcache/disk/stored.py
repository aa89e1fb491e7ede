"""Stored state as a file holds it: arrays to bytes, and back when a branch is entered. Model thread only.

Rows are read layer by layer, so that no more than one of them exists beside the live ones. A file is verified before
MLX sees it; see `Tier.verify`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, cast

import mlx.core as mx

from app.kvcache.call_log import CallLog
from app.kvcache.disk.files import DamagedFileError, Tensor
from app.kvcache.layers import Arrays, CacheFaultError, RowArrays
from app.kvcache.snapshot import StateSnapshot

RECORD = "record"  # the tensor with the record of calls

_DTYPES = {
    mx.bool_: "BOOL",
    mx.uint8: "U8",
    mx.int8: "I8",
    mx.uint16: "U16",
    mx.int16: "I16",
    mx.uint32: "U32",
    mx.int32: "I32",
    mx.uint64: "U64",
    mx.int64: "I64",
    mx.float16: "F16",
    mx.bfloat16: "BF16",
    mx.float32: "F32",
}
_DTYPES_BY_NAME = {name: dtype for dtype, name in _DTYPES.items()}


def tensors(layers: Sequence[Arrays]) -> Iterator[Tensor]:
    """Give the arrays of all layers as bytes, named by layer and place; places that hold nothing are left out."""
    for layer, arrays in enumerate(layers):
        for place, x in enumerate(arrays):
            if x is not None:
                flat = mx.contiguous(x).reshape(-1).view(mx.uint8)
                yield Tensor(array_name(layer, place), _DTYPES[x.dtype], x.shape, bytes(cast(Any, flat)))


def record_tensor(record: array[int]) -> Tensor:
    """Return a record of calls as a file holds it."""
    return Tensor(RECORD, "I32", (len(record),), record.tobytes())


def read_record(tensor: Tensor) -> array[int]:
    """Return the record of calls in a tensor. Raises ValueError when the tensor is none."""
    if tensor.dtype != "I32" or len(tensor.shape) != 1:
        raise ValueError(f"a record of {tensor.dtype} {tensor.shape}")
    record = array("i")
    record.frombytes(tensor.data)
    return record


# Whatever becomes of a file that was verified, and has gone or changed since.
_GONE = (OSError, RuntimeError, ValueError, KeyError, DamagedFileError)
Load = Callable[[Sequence[str]], Mapping[str, mx.array]]  # names -> the arrays of these names, at least


class StoredRows:
    """Rows [start, end) of a path, in a file that begins with those of token `first`. kinds: arrays of each layer."""

    def __init__(self, load: Load, first: int, start: int, end: int, kinds: Sequence[int]) -> None:
        self.layers = _Layers(load, start - first, end - first, kinds)
        self.tokens = end - start

    def part(self, start: int, end: int) -> tuple[RowArrays, ...]:
        """Return rows [start, end), counted from the first of these."""
        return tuple(tuple(x[..., start:end, :] for x in layer) for layer in self.layers)


class _Layers(Sequence[RowArrays]):
    """Layers of a file, each read when it is asked for and held by nobody here."""

    def __init__(self, load: Load, start: int, end: int, kinds: Sequence[int]) -> None:
        self._load, self._start, self._end, self._kinds = load, start, end, kinds

    def __len__(self) -> int:
        return len(self._kinds)

    def __getitem__(self, layer: int) -> RowArrays:  # type: ignore[override]  # no slices
        if not 0 <= layer < len(self):
            raise IndexError(layer)
        names = [array_name(layer, place) for place in range(self._kinds[layer])]
        try:
            arrays = self._load(names)
            rows = tuple(arrays[name][..., self._start : self._end, :] for name in names)
            mx.eval(rows)  # until then the whole of a layer is held, of which this is a part
            return rows
        except _GONE as error:
            raise CacheFaultError(f"the rows of layer {layer} cannot be read: {error}") from error


def read_state(load: Load, names: Collection[str], call_log: CallLog, sizes: Sequence[int]) -> StateSnapshot:
    """Return the whole state of a file with these tensors. sizes: how many places each layer of the model has."""
    arrays = load([name for name in names if "." in name])
    layers = tuple(
        tuple(arrays.get(array_name(layer, place)) for place in range(size)) for layer, size in enumerate(sizes)
    )
    nbytes = sum(int(x.nbytes) for layer in layers for x in layer if x is not None)
    return StateSnapshot(layers, call_log, nbytes).detached()


def dtype_name(x: mx.array) -> str:
    """Return the type of an array as files name it. Raises KeyError when they have no name for it."""
    return _DTYPES[x.dtype]


def bytes_of(dtype: str) -> int:
    """Return the bytes of an element of the type that files name so."""
    return int(_DTYPES_BY_NAME[dtype].size)


def array_name(layer: int, place: int) -> str:
    """Return the name of an array in a file, by its layer and its place there."""
    return f"{layer}.{place}"


def loader_of(tensor: Callable[[str], Tensor]) -> Load:
    """Make arrays of the tensors that are found under their names."""
    return lambda names: {name: _array(tensor(name)) for name in names}


def _array(tensor: Tensor) -> mx.array:
    flat = mx.array(cast(Any, memoryview(tensor.data)))
    return flat.view(_DTYPES_BY_NAME[tensor.dtype]).reshape(tensor.shape)
