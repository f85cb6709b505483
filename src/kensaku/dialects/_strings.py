"""The sentences of plain, markdown and compact, in English and Japanese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.errors import NotConfigured, ProviderError, UnknownName
from kensaku.models import Outcome
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Response


@dataclass(frozen=True, slots=True)
class Strings:
    """The sentences of one language."""

    results: str
    answer: str
    note: str
    empty: str
    unavailable: str
    searched: str
    rephrase: str
    next_step: str
    wait: str
    configure: str
    retry_later: str
    local_only: str
    nearest: str
    low_confidence: str
    colon: str
    comma: str


ENGLISH = Strings(
    results='Results for "{query}" ({n})',
    answer="Answer",
    note="Note",
    empty='Nothing was found for "{query}".',
    unavailable='Nobody could search for "{query}". This does not mean that there is nothing.',
    searched="Searched by {names}.",
    rephrase="Try other words, fewer filters, or a wider range of dates.",
    next_step="Next",
    wait="try again in {seconds:.0f} s, or ask another provider.",
    configure="set a key or an address as said above, or add documents to the local index.",
    retry_later="try again later, or say that the search did not work; do not answer as if it had.",
    local_only="these results are from the local index, not from the web",
    nearest="Nearest in the local index, though not about this:",
    low_confidence="confidence is low: search again in other words, or ask the person",
    colon=": ",
    comma=", ",
)

JAPANESE = Strings(
    results="「{query}」の検索結果（{n} 件）",
    answer="回答",
    note="注",
    empty="「{query}」に一致する結果は見つかりませんでした。",
    unavailable="「{query}」を検索できませんでした。結果がないという意味ではありません。",
    searched="検索先：{names}。",
    rephrase="別の言葉にする、絞り込みを減らす、期間を広げるなどを試してください。",
    next_step="次の手順",
    wait="{seconds:.0f} 秒後にもう一度試すか、別の検索先を使ってください。",
    configure="上に示したキーやアドレスを設定するか、ローカル索引に文書を追加してください。",
    retry_later="時間をおいて再試行するか、検索できなかったと伝えてください。検索したかのように答えないでください。",
    local_only="この結果はウェブではなくローカル索引のものです",
    nearest="ローカル索引で近いもの（この問いの答えではありません）：",
    low_confidence="信頼度が低いため、別の言葉で検索し直すか、利用者に確認してください",
    colon="：",
    comma="、",
)

LANGUAGES = {"en": ENGLISH, "ja": JAPANESE}

# By class name; the first class of the error's MRO that is listed here applies.
_JAPANESE_REASONS = {
    "BadQuery": "この検索クエリは受け付けられません",
    "KeyRefused": "API キーが受け付けられませんでした",
    "QuotaExhausted": "API キーの利用枠を使い切りました",
    "RateLimited": "リクエストが多すぎます",
    "Blocked": "自動アクセスとして拒否されました",
    "Unreadable": "応答を読み取れませんでした",
    "Timeout": "時間内に応答がありませんでした",
    "NoNetwork": "ネットワークに接続されていません",
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
    "AddressRefused": "このアドレスは取得できません",
    "NotAllowed": "サイトが読み取りを拒否しています",
    "TooLarge": "ページが大きすぎます",
    "PageUnavailable": "サーバーからページを取得できませんでした",
    "Unparsable": "本文を取り出せませんでした",
    "KensakuError": "エラーが発生しました",
}


def strings_for(language: str) -> Strings:
    """Return the sentences of a language. Raises `UnknownName`."""
    if (strings := LANGUAGES.get(language)) is None:
        raise UnknownName("language of a dialect", language, LANGUAGES)
    return strings


def reason(error: KensakuError, language: str = "en") -> str:
    """Return the cause and the remedy in one line, without the provider's name."""
    if language == "ja":
        return _japanese_reason(error)
    cause = flatten(error.message)
    return f"{cause}; {flatten(error.remedy)}" if error.remedy else cause


def reasons(response: Response, language: str = "en") -> list[str]:
    """Return one line for each reason, with the providers that failed for it."""
    strings = LANGUAGES[language]
    providers: dict[str, list[str]] = {}
    for a in response.attempts:
        if a.error:
            names = providers.setdefault(reason(a.error, language), [])
            names += [a.provider] if a.provider not in names else []
    return [f"{strings.comma.join(names)}{strings.colon}{why}" for why, names in providers.items()]


def next_step(response: Response, language: str = "en") -> str:
    """Say what to do when no provider could search."""
    strings = LANGUAGES[language]
    waits = [
        a.error.retry_after
        for a in response.attempts
        if isinstance(a.error, ProviderError) and a.error.retry_after
    ]
    if waits:
        return strings.wait.format(seconds=max(1.0, min(waits)))
    return strings.configure if unconfigured_providers(response) else strings.retry_later


def unconfigured_providers(response: Response) -> list[str]:
    """Return the providers if each of them lacks a key or an address, and nothing else failed."""
    if not all(isinstance(a.error, NotConfigured) for a in response.attempts):
        return []
    return [a.provider for a in response.attempts]


def local_only(response: Response) -> bool:
    """Whether all hits are from the local index."""
    return bool(response.hits) and all(h.provider == "local" for h in response.hits)


def notes_of(response: Response, language: str = "en") -> list[str]:
    """Return the response's notes, and those about its source and its confidence."""
    strings = LANGUAGES[language]
    notes = [strings.local_only] if local_only(response) else []
    notes += [flatten(note) for note in response.notes]
    if response.hits and response.confidence.level == "low":
        notes.append(strings.low_confidence)
    return notes


def answering_providers(response: Response) -> list[str]:
    """Return the providers that answered, with or without hits."""
    names = [a.provider for a in response.attempts if a.outcome is not Outcome.UNAVAILABLE]
    return list(dict.fromkeys(names))


def _japanese_reason(error: KensakuError) -> str:
    names = (cls.__name__ for cls in type(error).__mro__)
    sentence = next(_JAPANESE_REASONS[n] for n in names if n in _JAPANESE_REASONS)
    if isinstance(error, ProviderError):
        if error.status:
            sentence += f"（HTTP {error.status}）"
        sentence += _japanese_remedy(error)
    return sentence


def _japanese_remedy(error: ProviderError) -> str:
    """Translate the variable or the command of the remedy; the reason covers the rest."""
    if error.retry_after:
        return f"。{max(1.0, error.retry_after):.0f} 秒後に再試行できます"
    if names := _VARIABLE.findall(error.remedy):
        return f"。環境変数 {names[0]} を確認してください"
    if command := _COMMAND.search(error.remedy):
        return f"。{command.group()} を実行してください"
    return ""


_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_COMMAND = re.compile(r'pip install "[^"]+"')
