"""A request to an upstream, as a provider describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Request:
    """What to send. Its repr shows neither key nor query."""

    url: str
    params: Mapping[str, str | int] | Sequence[tuple[str, str | int]] = field(
        default=(), repr=False
    )
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Any = field(default=None, repr=False)  # given: a POST

    @property
    def method(self) -> str:
        """POST when there is a body, else GET."""
        return "GET" if self.json is None else "POST"
