"""Errors, notes and arguments in the words of the specification."""

from __future__ import annotations

import pytest

from kensaku import errors
from kensaku.compat._errors import error_of
from kensaku.compat._notes import japanese_note_lines, japanese_notes
from kensaku.compat.tavily_tools import dialect
from kensaku.compat.tavily_tools.errors import TavilyAPIError, explain_arguments
from kensaku.compat.tavily_tools.messages import error_type, message
from kensaku.compat.tavily_tools.tools import wait_before_retry
from kensaku.models import Attempt, Hit, Outcome, Page, Query, Response
from kensaku.tools import Param


def _outage(status: int | None) -> errors.Outage:
    return errors.Outage("tavily", "down", status=status)


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (errors.KeyRefused("tavily", "m", status=401), "AUTH_ERROR"),
        (errors.NotConfigured("tavily", "m"), "AUTH_ERROR"),
        (errors.RateLimited("tavily", "m"), "RATE_LIMIT_ERROR"),
        (errors.QuotaExhausted("tavily", "m"), "RATE_LIMIT_ERROR"),
        (errors.Cooling("tavily", "m"), "RATE_LIMIT_ERROR"),
        (errors.Cooling("tavily", "m", cause="KeyRefused"), "AUTH_ERROR"),
        (errors.Cooling("tavily", "m", cause="QuotaExhausted"), "RATE_LIMIT_ERROR"),
        (errors.InvalidQuery("m"), "VALIDATION_ERROR"),
        (errors.BadQuery("tavily", "m"), "VALIDATION_ERROR"),
        (errors.DoesNotFit("tavily", "m"), "VALIDATION_ERROR"),
        (_outage(503), "SERVICE_UNAVAILABLE"),
        (_outage(500), "SERVER_ERROR"),
        (_outage(599), "SERVER_ERROR"),
        (_outage(600), "NETWORK_ERROR"),
        (_outage(None), "NETWORK_ERROR"),
        (errors.CircuitOpen("tavily", "m"), "SERVICE_UNAVAILABLE"),
        (errors.Timeout("tavily", "m"), "TIMEOUT_ERROR"),
        (errors.Timeout("tavily", "m", status=504), "SERVER_ERROR"),
        (errors.Unreachable("tavily", "m"), "NETWORK_ERROR"),
        (errors.Unreadable("tavily", "m"), "API_ERROR"),
        (errors.BudgetExceeded("m"), "API_ERROR"),
    ],
    ids=str,
)
def test_an_error_has_the_type_of_the_specification(error, word):
    """(S1-48)"""
    assert error_type(error) == word
    assert TavilyAPIError.of(error).error_type == word
    assert TavilyAPIError.of(error).status_code == getattr(error, "status", None)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.AddressRefused("m"), "このアドレスへのアクセスは許可されていません"),
        (errors.NotAllowed("m"), "サイトが自動取得を許可していません"),
        (errors.TooLarge("m"), "ページが大きすぎます"),
        (errors.PageUnavailable("m"), "ページを取得できませんでした"),
        (errors.PageUnavailable("m", status=404), "ページを取得できませんでした（HTTP 404）"),
        (errors.Unparsable("m"), "ページから文章を取り出せませんでした"),
        (errors.FetchError("m"), "ページを取得できませんでした"),
        (errors.InvalidQuery("too long"), "検索の指定が正しくありません（too long）"),
        (errors.Outage("tavily", "m", status=500), "サービスが停止しています（HTTP 500）"),
        (
            errors.Cooling("tavily", "m", cause="KeyRefused"),
            "API キーが受け付けられませんでした。環境変数 TAVILY_API_KEY を確認してください",
        ),
        (
            errors.Cooling("tavily", "m", cause="KeyRefused", remedy="check MY_KEY"),
            "API キーが受け付けられませんでした。環境変数 MY_KEY を確認してください",
        ),
        (errors.Cooling("tavily", "m", cause="Blocked"), "待機中のため問い合わせていません"),
    ],
    ids=str,
)
def test_the_reason_is_in_japanese(error, text):
    """(S1-41)"""
    assert message(error) == text


@pytest.mark.parametrize(
    ("error", "retry", "wait"),
    [
        (errors.RateLimited("tavily", "m"), 0, 1.0),
        (errors.RateLimited("tavily", "m"), 2, 4.0),
        (errors.RateLimited("tavily", "m"), 3, None),
        (errors.RateLimited("tavily", "m", retry_after=60.0), 0, 60.0),
        (errors.RateLimited("tavily", "m", retry_after=60.5), 0, None),
        (errors.RateLimited("tavily", "m", retry_after=0.0), 1, 0.0),
        (errors.Cooling("tavily", "m"), 0, 1.0),
        (errors.Cooling("tavily", "m", cause="RateLimited"), 0, 1.0),
        (errors.Cooling("tavily", "m", cause="KeyRefused"), 0, None),
        (_outage(500), 1, 2.0),
        (_outage(499), 0, None),
        (_outage(None), 0, None),
        (errors.KeyRefused("tavily", "m"), 0, None),
        (errors.BudgetExceeded("m"), 0, None),
    ],
    ids=str,
)
def test_what_passes_is_tried_again(error, retry, wait):
    """Three times; a wait of a minute is the longest (S1-12)."""
    assert wait_before_retry(error, retry) == wait


PARAMS = (
    Param("q", "string", {"en": ""}, required=True, minimum=1, maximum=9),
    Param("n", "integer", {"en": ""}, minimum=2),
    Param("m", "number", {"en": ""}, maximum=2),
    Param("b", "boolean", {"en": ""}),
    Param("u", "array", {"en": ""}, minimum=1),
    Param("c", "string", {"en": ""}, choices=("x", "y")),
)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (None, "q は必須です"),
        ("", "q は必須です"),
        ({"q": " "}, "q は1〜9文字の文字列で指定してください（指定値: 0文字）"),
        ({"q": 5}, "q は1〜9文字の文字列で指定してください（指定値: 5）"),
        ({"q": "a", "n": 1}, "n は2以上の整数で指定してください（指定値: 1）"),
        ({"q": "a", "m": 3}, "m は〜2の数値で指定してください（指定値: 3）"),
        ({"q": "a", "b": "x" * 99}, f"b はtrue か falseで指定してください（指定値: '{'x' * 59}）"),
        ({"q": "a", "u": []}, "u は1件以上の文字列のリストで指定してください（指定値: 0件）"),
        ({"q": "a", "c": "z"}, "c は x または y で指定してください（指定値: 'z'）"),
        ({"z" * 50: 1}, f"引数 '{'z' * 40}' はありません（使える引数: q, n, m, b, u, c）"),
        ("[1]", "引数は JSON のオブジェクトで指定してください"),
        ([], "q は必須です"),
        ({"q": "a"}, "引数が正しくありません"),
    ],
)
def test_a_wrong_argument_is_explained_in_japanese(sent, text):
    """The value and the bound (S1-13)."""
    assert explain_arguments(PARAMS, sent) == text


@pytest.mark.parametrize(
    ("note", "japanese"),
    [
        ("the query was cut at a word to 400 characters",
         "検索クエリが長いため、先頭の 400 文字で検索しました"),
        ("tavily: nobody could search; this is what was found 3 minutes ago",
         "検索できなかったため、3 分前に得た結果を示しています"),
        ("2 results without an address were left out", "URL のない結果 2 件を除きました"),
        ("1 of 5 hits were of other domains and were left out",
         "対象外のドメインの結果 1 件（全 5 件中）を除きました"),
        ("1 of 2 pages could not be read", "ページ 1 件（全 2 件中）を読めませんでした"),
        ("tavily: something\nelse", "tavily: something else"),
    ],
)  # fmt: skip
def test_notes_are_translated_and_unknown_ones_stay(note, japanese):
    """Each once."""
    assert japanese_notes([note, note]) == [japanese]
    assert japanese_note_lines([note]) == [f"注：{japanese}"]


def _response(outcome=Outcome.FOUND, hits=(), **more) -> Response:
    return Response(Query("otters"), outcome, tuple(hits), **more)


def _failed(provider: str, error: errors.KensakuError, *, sent: bool = True) -> Attempt:
    return Attempt(provider, Outcome.UNAVAILABLE, error, sent=sent)


REFUSED, DOWN = errors.KeyRefused("tavily", "m", status=401), errors.Outage("brave", "m")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (_response(hits=[Hit("https://a.example/", "A", "text"),
                         Hit("https://b.example/", "B", "more", 0.005)], notes=("n",)),
         "## 検索結果: otters\n\n### 1. A\nURL: https://a.example/\nスコア: なし\ntext\n\n"
         "### 2. B\nURL: https://b.example/\nスコア: 0.01\nmore\n\n注：n"),
        (_response(answer="Yes."), "## 検索結果: otters\n\nYes."),
        (_response(answer="Yes.", notes=("n",)), "## 検索結果: otters\n\nYes.\n\n注：n"),
        (_response(Outcome.EMPTY, notes=("n",)),
         "## 検索結果: otters\n\n検索結果が見つかりませんでした。\n\n注：n"),
        (_response(Outcome.UNAVAILABLE),
         "Tavily API エラー: 検索先が設定されていません\nエラータイプ: AUTH_ERROR"),
        (_response(Outcome.UNAVAILABLE,
                   attempts=(_failed("brave", DOWN), _failed("tavily", REFUSED))),
         "Tavily API エラー: brave：サービスが停止しています / "
         "tavily：API キーが受け付けられませんでした（HTTP 401）\nエラータイプ: AUTH_ERROR"),
        (_response(Outcome.UNAVAILABLE, attempts=(_failed("brave", DOWN),) * 2),
         "Tavily API エラー: brave：サービスが停止しています\nエラータイプ: NETWORK_ERROR"),
        (_response(Outcome.UNAVAILABLE, attempts=(_failed("exa", errors.RateLimited("exa", "m")),)),
         "Tavily API エラー: exa：リクエストが多すぎます\nエラータイプ: RATE_LIMIT_ERROR"),
    ],
    ids=["found", "answer", "answer, note", "empty", "nobody asked", "two failed", "one, twice", "one"],
)  # fmt: skip
def test_the_whole_text_of_a_search(response, text):
    """Byte for byte (S1-08, S1-10, S1-41)."""
    assert dialect.write(response) == text


def test_pages_failures_and_notes_stand_one_below_the_other():
    """(S1-23 … S1-27)"""
    pages = [Page("https://a.example/", text="plain"), Page("https://b.example/", markdown="# B")]
    failed = [("https://c.example/", "no\nreason"), ("https://d.example/", errors.TooLarge("m"))]
    lost = "## 失敗したURL\n- https://c.example/: no reason\n- https://d.example/: ページが大きすぎます"

    assert dialect.extracted(pages, failed, ["n"]) == (
        "## コンテンツ抽出結果\n\n### URL: https://a.example/\nplain\n\n---\n\n"
        f"### URL: https://b.example/\n# B\n\n---\n\n{lost}\n\n---\n\n注：n"
    )
    assert dialect.extracted(pages[:1], [], ["n", "o"]) == (
        "## コンテンツ抽出結果\n\n### URL: https://a.example/\nplain\n\n---\n\n注：n\n注：o"
    )
    assert dialect.extracted([], failed, ["n"]) == (
        "## コンテンツ抽出結果\n\nすべてのURLからコンテンツを抽出できませんでした。\n\n"
        f"{lost}\n\n注：n"
    )
    assert dialect.context("a\nb", "text", ["n", "o"]) == (
        "## RAG用検索コンテキスト: a b\n\ntext\n\n注：n\n\n注：o"
    )


def test_the_error_of_a_response_is_that_of_a_request_that_was_sent():
    """Then one that was not; without any, it did not answer in time."""
    asked = _failed("tavily", REFUSED)
    not_asked = _failed("brave", errors.NotConfigured("brave", "no key"), sent=False)

    def of(*attempts: Attempt) -> errors.KensakuError:
        return error_of(_response(Outcome.UNAVAILABLE, attempts=attempts), "exa")

    assert of(_failed("x", DOWN), asked, not_asked) is REFUSED
    assert of(not_asked) is not_asked.error
    assert str(of()) == "exa: it did not answer in time"
    assert isinstance(of(), errors.Outage)
