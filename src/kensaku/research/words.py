"""The report's own words, in the language of the input."""

from __future__ import annotations

from dataclasses import dataclass

from kensaku.text.languages import guess_language


@dataclass(frozen=True, slots=True)
class Words:
    """Headings and phrases of a report in one language."""

    sources: str
    passages: str
    not_found: str
    not_searched: str
    differ: str
    also: str
    nothing: str
    unverified: str
    no_date: str
    aspects: tuple[str, ...]
    answer_in: str  # the language, as a model is told


_ENGLISH = Words(
    sources="Sources",
    passages="Passages",
    not_found="Not found",
    not_searched="Could not be searched",
    differ="Sources differ:",
    also="Also on these pages",
    nothing="The sources that were found say nothing about this.",
    unverified="(not verified)",
    no_date="n.d.",
    aspects=("what is {}", "history of {}", "{} latest developments"),
    answer_in="English, unless the task is in another language",
)
_JAPANESE = Words(
    sources="出典",
    passages="引用箇所",
    not_found="見つからなかったこと",
    not_searched="検索できなかったこと",
    differ="出典により異なります：",
    also="関連する内容",
    nothing="見つかった出典には、これについての記述がありません。",
    unverified="（未確認）",
    no_date="日付なし",
    aspects=("{}とは", "{}の歴史", "{}の最新動向"),
    answer_in="Japanese",
)


def words_for(text: str) -> Words:
    """Return the words for a report on `text`."""
    return _JAPANESE if guess_language(text) == "ja" else _ENGLISH
