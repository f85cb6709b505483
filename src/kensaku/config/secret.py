"""A key that nothing shows by accident."""

from __future__ import annotations

from typing import Any


class Secret:
    """A key. Nothing shows it by accident: not `repr`, `str`, `vars`, JSON or a pickle."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key itself, to send it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(•••)"

    def __reduce__(self) -> Any:
        raise TypeError("a Secret is not written anywhere")

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    @property
    def masked(self) -> str:
        """Enough to tell two keys apart, and no more."""
        return f"…{self._value[-4:]}" if len(self._value) >= 16 else "…"
