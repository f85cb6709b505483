"""The notes of a response in Japanese, for the two surfaces whose specification is Japanese."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kensaku.text.escape import flatten

__all__ = ["japanese_note_lines", "japanese_notes"]

# What the search notes in English → the same in Japanese.
_SENTENCES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(english), japanese)
    for english, japanese in (
        (
            r"the query was cut at a word to (\d+) characters",
            "検索クエリが長いため、先頭の {} 文字で検索しました",
        ),
        (
            r"nobody could search; this is what was found (\d+) minutes ago",
            "検索できなかったため、{} 分前に得た結果を示しています",
        ),
        (r"(\d+) results without an address were left out", "URL のない結果 {} 件を除きました"),
        (
            r"(\d+) of (\d+) hits were of other domains and were left out",
            "対象外のドメインの結果 {} 件（全 {} 件中）を除きました",
        ),
        (
            r"(\d+) of (\d+) pages could not be read",
            "ページ {} 件（全 {} 件中）を読めませんでした",
        ),
    )
)
_PROVIDER = re.compile(r"^[a-z0-9_]+: ")


def japanese_notes(notes: Iterable[str]) -> list[str]:
    """Return the notes in Japanese. A note that has no translation stays as it is."""
    return list(dict.fromkeys(_translate(flatten(note)) for note in notes))


def japanese_note_lines(notes: Iterable[str]) -> list[str]:
    """Return one line for each note, as a text for a model shows it."""
    return [f"注：{note}" for note in japanese_notes(notes)]


def _translate(note: str) -> str:
    text = _PROVIDER.sub("", note)
    for english, japanese in _SENTENCES:
        if found := english.fullmatch(text):
            return japanese.format(*found.groups())
    return note
