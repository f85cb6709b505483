"""What chat channels say besides the assistant's own sentences, in the language of the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kensaku.assistant.approval import Intervention
from kensaku.text.languages import guess_language


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    searching: str
    sources: str
    stop: str
    cancelled: str
    broken: str
    too_many: str
    closed: str
    not_yours: str
    other_words: str
    hello: str
    labels: Mapping[Intervention, str]


_ENGLISH = Words(
    searching="Searching …",
    sources="Sources",
    stop="Stop",
    cancelled="Cancelled.",
    broken="This went wrong; nothing is known about the answer. Please ask again.",
    too_many="Too many messages. Please wait a minute.",
    closed="This question is not open any more.",
    not_yours="Only the person who asked can answer this.",
    other_words="Or reply with other words, or the address of a page.",
    hello="Ask me something. I search, and answer with sources.",
    labels={
        "proceed": "Yes", "modify": "Change", "skip": "Skip", "retry": "Again", "cancel": "Cancel",
    },
)  # fmt: skip
_JAPANESE = Words(
    searching="検索しています …",
    sources="出典",
    stop="中止",
    cancelled="取り消しました。",
    broken="処理に失敗しました。答えがあるかどうかは分かりません。もう一度お尋ねください。",
    too_many="メッセージが多すぎます。1分ほどお待ちください。",
    closed="この質問はもう受け付けていません。",
    not_yours="質問した本人だけが答えられます。",
    other_words="別の言葉やページのアドレスを返信することもできます。",
    hello="質問を送ってください。検索して、出典とともに答えます。",
    labels={
        "proceed": "はい", "modify": "変更", "skip": "スキップ", "retry": "再試行",
        "cancel": "キャンセル",
    },
)  # fmt: skip


def words_for(text: str) -> Words:
    """Return the words for a reply to `text`."""
    return words_in(guess_language(text))


def words_in(language: str) -> Words:
    """Return the words of a language, by its code."""
    return _JAPANESE if language.lower().startswith("ja") else _ENGLISH
