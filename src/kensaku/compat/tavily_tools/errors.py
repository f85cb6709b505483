"""`TavilyAPIError`: the specification's own exception, and what an argument should have been."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from kensaku.compat.tavily_tools import dialect
from kensaku.compat.tavily_tools.messages import error_type, message
from kensaku.errors import InvalidQuery, KensakuError, ProviderError
from kensaku.foreign_json import decode_json
from kensaku.tools.base import Param


class TavilyErrorType(StrEnum):
    """The kinds of errors: those of the specification and of its data model."""

    AUTH_ERROR = "AUTH_ERROR"
    RATE_LIMIT_ERROR = "RATE_LIMIT_ERROR"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    SERVER_ERROR = "SERVER_ERROR"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    TIMEOUT_ERROR = "TIMEOUT_ERROR"
    NETWORK_ERROR = "NETWORK_ERROR"
    RETRY_EXHAUSTED = "RETRY_EXHAUSTED"
    API_ERROR = "API_ERROR"


_PASSES = (
    TavilyErrorType.RATE_LIMIT_ERROR,
    TavilyErrorType.SERVER_ERROR,
    TavilyErrorType.SERVICE_UNAVAILABLE,
    TavilyErrorType.TIMEOUT_ERROR,
)


class TavilyAPIError(KensakuError):
    """A tool could not do its work. The tools return it as text; they never raise it into a run."""

    def __init__(
        self,
        error_type: TavilyErrorType | str = TavilyErrorType.API_ERROR,
        message: str = "",
        *,
        status_code: int | None = None,
    ) -> None:
        self.error_type = TavilyErrorType(error_type)
        self.status_code = status_code
        super().__init__(message or self.error_type.value)

    @classmethod
    def of(cls, error: KensakuError) -> TavilyAPIError:
        """Convert any error of ours."""
        if isinstance(error, cls):
            return error
        status = error.status if isinstance(error, ProviderError) else None
        return cls(error_type(error), message(error), status_code=status)

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may work later."""
        return self.error_type in _PASSES

    def text(self) -> str:
        """The two lines that a model reads."""
        return dialect.failure(self.message, self.error_type.value)


# --- arguments


def explain_arguments(params: Iterable[Param], raw: Mapping[str, Any] | str | None) -> str:
    """Say in Japanese what is wrong with the arguments of a call."""
    known = {p.name: p for p in params}
    sent = _as_object(raw)
    if sent is None:
        return "引数は JSON のオブジェクトで指定してください"
    if unknown := [name for name in sent if name not in known]:
        return f"引数 {unknown[0][:40]!r} はありません（使える引数: {', '.join(known)}）"
    for p in known.values():
        value = sent.get(p.name)
        if value is None and p.required:
            return f"{p.name} は必須です"
        try:
            if value is not None:
                p.check(value)
        except InvalidQuery:
            return f"{p.name} は{_wanted(p)}で指定してください（指定値: {_given(p, value)}）"
    return "引数が正しくありません"


def _as_object(raw: Mapping[str, Any] | str | None) -> Mapping[str, Any] | None:
    try:
        raw = decode_json(raw or "{}") if isinstance(raw, str) else raw
    except ValueError:
        return None
    return raw if isinstance(raw, Mapping) else None if raw else {}


_NOUNS = {
    "string": "文字列", "integer": "整数", "number": "数値", "boolean": "true か false",
    "array": "文字列のリスト",
}  # fmt: skip
_UNITS = {"string": "文字", "array": "件"}


def _wanted(p: Param) -> str:
    if p.choices:
        return f" {' または '.join(p.choices)} "
    noun = _NOUNS[p.kind]
    if p.minimum is None and p.maximum is None:
        return noun
    low = "" if p.minimum is None else str(p.minimum)
    high = "以上" if p.maximum is None else f"〜{p.maximum}"
    unit = _UNITS.get(p.kind, "")
    size = f"{low}{unit}{high}" if p.maximum is None else f"{low}{high}{unit}"
    return f"{size}の{noun}"


def _given(p: Param, value: Any) -> str:
    if p.kind == "string" and isinstance(value, str) and not p.choices:
        return f"{len(value.strip())}文字"
    if p.kind == "array" and isinstance(value, list):
        return f"{len(value)}件"
    return repr(value)[:60]
