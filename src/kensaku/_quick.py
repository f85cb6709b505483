"""Frozen values that are quick to make.

@quick
@dataclass(frozen=True, slots=True)
class Hit: …
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import update_wrapper
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Give a frozen dataclass with slots an `__init__` that takes a third of the time.

    The standard one looks up every field by its name to get past its own `__setattr__`, which was
    an eighth of the time of a search. Here a value is of an open class with the same slots while
    it is filled, and is closed at the end. Subclasses keep the standard one. No `InitVar`.
    """
    known: Any = fields(cls)  # type: ignore[arg-type]
    names = ", ".join(f.name for f in known)
    scope: dict[str, Any] = {
        "MISSING": MISSING,
        "Closed": cls,
        "Open": type(f"Open{cls.__name__}", (), {"__slots__": cls.__slots__}),  # type: ignore[attr-defined]
        "become": object.__setattr__,
        "usual": cls.__init__,
    }
    lines = [
        f"def __init__(self, {names}):",
        "if self.__class__ is not Closed:",
        f"    return usual(self, {names})",
        "become(self, '__class__', Open)",
    ]
    for f in known:
        lines.append(f"self.{f.name} = {f.name}")
        if f.default_factory is not MISSING:
            scope[f"new_{f.name}"] = f.default_factory
            lines[-1] += f" if {f.name} is not MISSING else new_{f.name}()"
    exec("\n    ".join([*lines, "self.__class__ = Closed"]), scope)
    made = scope["__init__"]
    made.__defaults__ = tuple(
        f.default for f in known if f.default is not MISSING or f.default_factory is not MISSING
    )
    cls.__init__ = update_wrapper(made, cls.__init__)  # type: ignore[method-assign]
    return cls
