"""Read a person's words as the reply to a question, in English and Japanese. Pure.

A channel without buttons gets text back: "yes", "はい", "skip", or other words for the query.
"""

from __future__ import annotations

from kensaku.answers.person import MAX_REPLY, Intervention, Question, Reply

_WORDS: dict[str, Intervention] = {
    **dict.fromkeys(("y", "yes", "ok", "okay", "sure", "proceed", "go", "go ahead"), "proceed"),
    **dict.fromkeys(("はい", "うん", "お願いします", "どうぞ", "実行", "了解", "続行"), "proceed"),
    **dict.fromkeys(("n", "no", "cancel", "stop", "abort"), "cancel"),
    **dict.fromkeys(("いいえ", "いや", "キャンセル", "中止", "やめて", "取り消し"), "cancel"),
    **dict.fromkeys(("skip", "スキップ", "飛ばして"), "skip"),
    **dict.fromkeys(("retry", "again", "再試行", "もう一度"), "retry"),
}


_YES = frozenset(("y", "yes", "はい", "うん"))


def is_yes(text: str) -> bool:
    """Whether the words are a clear yes."""
    return text.strip().casefold() in _YES


def is_cancel(text: str) -> bool:
    """Whether the words ask to stop what is under way."""
    return _WORDS.get(text.strip().casefold().strip(" .!。！")) == "cancel"


def read_reply(question: Question, text: str) -> Reply:
    """Return what the words mean. Words that are no choice change the query, where that is one.

    Where they cannot, the answer is no: nothing is done on a guess.
    """
    said = " ".join(text.split())
    action = _WORDS.get(said.casefold().strip(" .!。！"))
    if action is not None and action in question.choices:
        return Reply(action)
    if "modify" in question.choices and said and action is None:
        return Reply("modify", _option(question, said)[:MAX_REPLY])
    return Reply("skip" if "skip" in question.choices else "cancel")


def _option(question: Question, said: str) -> str:
    """Return the option that a number stands for; else the words."""
    number = int(said) if said.isascii() and said.isdigit() and len(said) <= 2 else 0
    return question.options[number - 1] if 1 <= number <= len(question.options) else said
