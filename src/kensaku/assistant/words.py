"""What the assistant says in its own words, in the language of the question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kensaku.text.languages import guess_language


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences of one language."""

    notify: str
    confirm: str
    escalate: str
    ask_confirm: str
    ask_help: str
    ask_tool: str
    ask_without: str
    unavailable: str
    empty: str
    no_answer: str
    not_confirmed: str
    not_answered: str
    cancelled: str
    differ: str
    unverified: str


_ENGLISH = Phrases(
    notify="This is likely, not certain.",
    confirm="This is uncertain: check it before you rely on it.",
    escalate="This is very uncertain: the sources hardly answer the question.",
    ask_confirm="The answer is uncertain. Shall it be given as it is?",
    ask_help="Nothing found so far answers this well. What else could help: other words, a page?",
    ask_tool="May {tool} run?",
    ask_without="Shall the query be sent without it?",
    unavailable="Nobody could search. That does not mean that nothing exists.",
    empty="Nothing was found.",
    no_answer="None of the sources that were found answers this.",
    not_confirmed="Nobody confirmed the answer; it was withheld.",
    not_answered="A question that had to be answered first was not answered; nothing was guessed.",
    cancelled="The run was cancelled.",
    differ="Sources differ:",
    unverified="(not verified)",
)
_JAPANESE = Phrases(
    notify="おそらく正しいですが、確実ではありません。",
    confirm="不確かな回答です。利用する前に確認してください。",
    escalate="非常に不確かな回答です。出典は質問にほとんど答えていません。",
    ask_confirm="回答は不確かです。このまま回答しますか？",
    ask_help="十分な答えが見つかっていません。別の言葉やページなど、手がかりはありますか？",
    ask_tool="{tool} を実行してもよいですか？",
    ask_without="それを除いて検索しますか？",
    unavailable="検索できませんでした。情報が存在しないという意味ではありません。",
    empty="何も見つかりませんでした。",
    no_answer="見つかった出典には、答えがありませんでした。",
    not_confirmed="確認が得られなかったため、回答を控えました。",
    not_answered="先に答えが必要な質問に回答がなかったため、推測せずに中止しました。",
    cancelled="実行は取り消されました。",
    differ="出典により異なります：",
    unverified="（未確認）",
)


def phrases_for(text: str) -> Phrases:
    """Return the phrases for an answer to `text`."""
    return _JAPANESE if guess_language(text) == "ja" else _ENGLISH


def asks_for_consent(text: str) -> bool:
    """Whether a text begins as the question whether a tool may run."""
    forms = (re.escape(p.ask_tool).replace(r"\{tool\}", r"\w+") for p in (_ENGLISH, _JAPANESE))
    return any(re.match(form, text) for form in forms)
