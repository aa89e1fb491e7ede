"""Dataclasses that the type checker keeps frozen, for what is imported before there is a window.

The standard decorator writes and compiles six methods for a frozen class: two hundred classes take a fifth of what a
person waits for at a start. A frozen class with slots is here given methods for comparing, hashing and showing that are
made without compiling, and do what the standard ones do. Nothing refuses an assignment when the program runs: mypy has
refused it before, in all of the code, and an object is made in a quarter of the time.
"""

from __future__ import annotations

import dataclasses
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
    made: Any = dataclasses.dataclass(slots=True, eq=False, repr=False)(cls)
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

    for name, method in (("__eq__", is_equal), ("__hash__", hashed), ("__repr__", said)):
        if name not in own:
            setattr(made, name, method)
    return made


def _values(names: list[str]) -> Any:
    """Return a function that gives the values of these attributes of an object, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda one: (getattr(one, names[0]),)) if names else lambda _one: ()
