"""Frozen dataclasses that cost next to nothing where they are defined, for what is imported before there is a window.

The standard decorator writes and compiles methods for each class: two hundred classes take a fifth of what a person
waits for at a start. A frozen class with slots is here given methods for comparing, hashing, showing and keeping that
are made without compiling, and do what the standard ones do. Its `__init__` is compiled when the first object of the
class is made: most classes have none before there is a window.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """Make a dataclass, as the standard decorator does."""
        if cls is None and options == {"frozen": True, "slots": True}:
            return _frozen
        return dataclasses.dataclass(cls, **options)


def _frozen(cls: type) -> Any:
    own = vars(cls)
    made: Any = dataclasses.dataclass(slots=True, init=False, eq=False, repr=False)(cls)
    fields = dataclasses.fields(made)
    compared = _values([field.name for field in fields if field.compare])
    shown = [field.name for field in fields if field.repr]

    def is_equal(self: Any, other: object) -> bool:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(compared(self))

    def said(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({values})"

    def first_init(self: Any, *values: Any, **named: Any) -> None:
        made.__init__ = _compiled_init(made, fields)
        made.__init__(self, *values, **named)

    methods = {"__init__": first_init, "__eq__": is_equal, "__hash__": hashed, "__repr__": said}
    for name, method in (methods | _OF_ALL).items():
        if name not in own:
            setattr(made, name, method)
    return made


def _compiled_init(made: Any, fields: Iterable[dataclasses.Field[Any]]) -> Any:
    """Write and compile `__init__` for a class with these fields, as the standard decorator does.

    A field that it does not take is left to `__post_init__`.
    """
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    parameters, lines = [], []
    for field in (field for field in fields if field.init):
        name, parameter, value = field.name, field.name, field.name
        if field.default is not dataclasses.MISSING:
            names[f"_{name}"] = field.default
            parameter = f"{name}=_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"_{name}"] = field.default_factory
            parameter, value = f"{name}=_missing", f"_{name}() if {name} is _missing else {name}"
        parameters.append(parameter)
        lines.append(f" _set(self, {name!r}, {value})")
    lines.append(" self.__post_init__()" if hasattr(made, "__post_init__") else " return None")
    head = f"def __init__({', '.join(['self', *parameters])}):"
    exec("\n".join([head, *lines]), names)  # noqa: S102 - of names in our own source
    names["__init__"].__qualname__ = f"{made.__qualname__}.__init__"
    return names["__init__"]


def _refuse_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: Iterable[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_OF_ALL = {
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}


def _values(names: list[str]) -> Any:
    """Return a function that gives the values of these attributes of an object, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda one: (getattr(one, names[0]),)) if names else lambda _one: ()
