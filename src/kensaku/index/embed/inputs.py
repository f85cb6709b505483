"""What an embedding model reads, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Vector = Sequence[float]


class PassageInput(NamedTuple):
    """A passage to embed, with the title that says what it is about."""

    language: str
    title: str
    text: str

    @property
    def full_text(self) -> str:
        """Title and text, joined."""
        return f"{self.title}\n{self.text}" if self.title else self.text
