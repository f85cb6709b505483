"""What plain, markdown and compact say, in English and in Japanese; and why nobody could search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.errors import NotConfigured, ProviderError, UnknownName
from kensaku.models import Outcome
from kensaku.text.escape import within

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language."""

    results: str
    answer: str
    note: str
    nothing: str
    nobody: str
    searched: str
    rephrase: str
    next: str
    wait: str
    configure: str
    later: str
    local: str
    low: str
    colon: str
    comma: str


ENGLISH = Words(
    results='Results for "{query}" ({n})',
    answer="Answer",
    note="Note",
    nothing='Nothing was found for "{query}".',
    nobody='Nobody could search for "{query}". This does not mean that there is nothing.',
    searched="Searched by {names}.",
    rephrase="Try other words, fewer filters, or a wider range of dates.",
    next="Next",
    wait="try again in {seconds:.0f} s, or ask another provider.",
    configure="set a key or an address as said above, or add documents to the local index.",
    later="try again later, or say that the search did not work; do not answer as if it had.",
    local="these results are from the local index, not from the web",
    low="confidence is low: search again in other words, or ask the person",
    colon=": ",
    comma=", ",
)

JAPANESE = Words(
    results="「{query}」の検索結果（{n} 件）",
    answer="回答",
    note="注",
    nothing="「{query}」に一致する結果は見つかりませんでした。",
    nobody="「{query}」を検索できませんでした。結果がないという意味ではありません。",
    searched="検索先：{names}。",
    rephrase="別の言葉にする、絞り込みを減らす、期間を広げるなどを試してください。",
    next="次の手順",
    wait="{seconds:.0f} 秒後にもう一度試すか、別の検索先を使ってください。",
    configure="上に示したキーやアドレスを設定するか、ローカル索引に文書を追加してください。",
    later="時間をおいて再試行するか、検索できなかったと伝えてください。検索したかのように答えないでください。",
    local="この結果はウェブではなくローカル索引のものです",
    low="信頼度が低いため、別の言葉で検索し直すか、利用者に確認してください",
    colon="：",
    comma="、",
)

LANGUAGES = {"en": ENGLISH, "ja": JAPANESE}

# The nearest class of an error's line of ancestors is used.
_JAPANESE_REASONS = {
    "BadQuery": "この検索クエリは受け付けられません",
    "KeyRefused": "API キーが受け付けられませんでした",
    "QuotaExhausted": "API キーの利用枠を使い切りました",
    "RateLimited": "リクエストが多すぎます",
    "Blocked": "自動アクセスとして拒否されました",
    "Unreadable": "応答を読み取れませんでした",
    "Timeout": "時間内に応答がありませんでした",
    "Unreachable": "接続できませんでした",
    "Outage": "サービスが停止しています",
    "NotConfigured": "設定されていません",
    "Cooling": "待機中のため問い合わせていません",
    "CircuitOpen": "失敗が続いたため、しばらく問い合わせません",
    "DoesNotFit": "検索クエリがこの検索先の上限を超えています",
    "NotAsked": "問い合わせていません",
    "BudgetExceeded": "予算を使い切りました",
    "InvalidQuery": "検索の指定が正しくありません",
    "IndexFault": "ローカル索引を利用できません",
    "KensakuError": "エラーが発生しました",
}


def words(language: str) -> Words:
    """The words of a language. Raises `UnknownName`."""
    if (found := LANGUAGES.get(language)) is None:
        raise UnknownName("language of a dialect", language, LANGUAGES)
    return found


def reason(error: KensakuError, language: str = "en") -> str:
    """Why, in one line, and what to do about it; without the name of the provider."""
    if language == "ja":
        return _japanese(error)
    said = within(error.message)
    return f"{said}; {within(error.remedy)}" if error.remedy else said


def reasons(response: Response, language: str = "en") -> list[str]:
    """Provider by provider, why it did not answer; the same thing is said once."""
    colon = LANGUAGES[language].colon
    return list(
        dict.fromkeys(
            f"{a.provider}{colon}{reason(a.error, language)}" for a in response.attempts if a.error
        )
    )


def next_step(response: Response, language: str = "en") -> str:
    """What to do when nobody could search."""
    say = LANGUAGES[language]
    waits = [
        a.error.retry_after
        for a in response.attempts
        if isinstance(a.error, ProviderError) and a.error.retry_after
    ]
    if waits:
        return say.wait.format(seconds=max(1.0, min(waits)))
    return say.configure if only_unconfigured(response) else say.later


def only_unconfigured(response: Response) -> list[str]:
    """The providers, when all that stood in the way was a key or an address that is not set."""
    if not all(isinstance(a.error, NotConfigured) for a in response.attempts):
        return []
    return [a.provider for a in response.attempts]


def remarks(response: Response, language: str = "en") -> list[str]:
    """What a reader should know about results that are there."""
    say = LANGUAGES[language]
    found = []
    if response.hits and all(h.provider == "local" for h in response.hits):
        found.append(say.local)
    found += [within(note) for note in response.notes]
    if response.hits and response.confidence.level == "low":
        found.append(say.low)
    return found


def searchers(response: Response) -> list[str]:
    """Those who did search."""
    asked = [a.provider for a in response.attempts if a.outcome is not Outcome.UNAVAILABLE]
    return list(dict.fromkeys(asked))


def _japanese(error: KensakuError) -> str:
    names = (cls.__name__ for cls in type(error).__mro__)
    said = next(_JAPANESE_REASONS[n] for n in names if n in _JAPANESE_REASONS)
    if isinstance(error, ProviderError):
        if error.status:
            said += f"（HTTP {error.status}）"
        said += _japanese_remedy(error)
    return said


def _japanese_remedy(error: ProviderError) -> str:
    """The variable or the command that the English remedy names; the rest is said by the reason."""
    if error.retry_after:
        return f"。{max(1.0, error.retry_after):.0f} 秒後に再試行できます"
    if names := _VARIABLE.findall(error.remedy):
        return f"。環境変数 {names[0]} を確認してください"
    if command := _COMMAND.search(error.remedy):
        return f"。{command.group()} を実行してください"
    return ""


_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_COMMAND = re.compile(r'pip install "[^"]+"')
