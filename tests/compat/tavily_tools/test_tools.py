"""The three tools without a network: what they ask the client for, and what they make of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.answers.context import Context
from kensaku.compat.tavily_tools.tools import (
    TAVILY_TOOLS,
    TavilyContext,
    TavilyExtract,
    TavilySearch,
    TavilySearchDeps,
    _failure_of,
)
from kensaku.errors import KeyRefused, Outage, RateLimited
from kensaku.models import Attempt, Hit, Outcome, Query, Response

HIT = Hit("https://a.example/", "A", "text", 0.5)
FOUND = Response(Query("otters"), Outcome.FOUND, (HIT,))
SLOW = RateLimited("tavily", "too many requests")


def unavailable(*errors: Exception | None) -> Response:
    attempts = tuple(Attempt("tavily", Outcome.UNAVAILABLE, e) for e in errors)  # type: ignore[arg-type]
    return Response(Query("otters"), Outcome.UNAVAILABLE, attempts=attempts)


class FakeClient:
    """Gives these answers, one after the other; notes what it is asked, and what is reset."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.reset: list[str] = []
        self._resources = SimpleNamespace(limiter=self._limiter)

    async def search(self, query: str, **options: Any) -> Any:
        self.asked.append((query, options))
        return self.answers.pop(0)

    context = search

    def _limiter(self, name: str) -> Any:
        async def reset() -> None:
            self.reset.append(name)

        return SimpleNamespace(reset=reset)


class Deps(TavilySearchDeps):
    """Dependencies with a client that is there already; waiting is noted."""

    def __init__(self, client: FakeClient, **options: Any) -> None:
        self.waits: list[float]
        object.__setattr__(self, "waits", [])
        object.__setattr__(self, "_client", client)

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        super().__init__(api_key="k", sleep=sleep, **options)

    async def client(self) -> Any:
        return self._client  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"query": " otters "}, {"depth": "basic", "max_results": 5}),
        (
            {"query": "otters", "search_depth": "advanced", "max_results": 7},
            {"depth": "advanced", "max_results": 7},
        ),
    ],
)
async def test_a_search_asks_with_its_arguments_or_the_defaults(
    arguments: dict[str, Any], options: dict[str, Any]
) -> None:
    """The text is for the model, the output for the program (S1-05, S1-06)."""
    client = FakeClient(FOUND)
    result = await TavilySearch(Deps(client)).invoke(arguments)

    assert [(query.strip(), asked) for query, asked in client.asked] == [("otters", options)]
    assert (result.success, result.error, result.output) == (True, None, FOUND.to_dict())
    assert result.text == (
        "## 検索結果: otters\n\n### 1. A\nURL: https://a.example/\nスコア: 0.50\ntext\n"
    )


async def test_a_tool_waits_resets_the_limit_and_asks_again() -> None:
    """Once for each retry; what comes then is the result (S1-12)."""
    client = FakeClient(unavailable(SLOW), unavailable(SLOW), FOUND)
    deps = Deps(client)

    assert (await TavilySearch(deps).invoke({"query": "otters"})).success
    assert (deps.waits, client.reset, len(client.asked)) == ([1.0, 2.0], ["tavily"] * 2, 3)


async def test_three_retries_are_the_most() -> None:
    """Then it is an error, told in two lines (S1-12, S1-41)."""
    client = FakeClient(*[unavailable(SLOW)] * 9)
    deps = Deps(client)
    result = await TavilySearch(deps).invoke({"query": "otters"})

    assert (deps.waits, len(client.reset), len(client.asked)) == ([1.0, 2.0, 4.0], 3, 4)
    assert (result.success, result.error_kind, result.output) == (False, "tool", None)
    assert result.text == f"Tavily API エラー: {result.error}\nエラータイプ: RATE_LIMIT_ERROR"


@pytest.mark.parametrize(
    ("arguments", "kind"), [({"query": ""}, "arguments"), ({"query": "otters"}, "tool")]
)
async def test_an_error_is_of_the_arguments_or_of_the_tool(
    arguments: dict[str, Any], kind: str
) -> None:
    """A model can mend the first."""
    client = FakeClient(unavailable(KeyRefused("tavily", "m", status=401)))

    assert (await TavilySearch(Deps(client)).invoke(arguments)).error_kind == kind


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (FOUND, None),
        (Response(Query("otters"), Outcome.EMPTY), None),
        (unavailable(SLOW, None, Outage("tavily", "down"), None), "down"),
        (unavailable(None), "nobody was asked"),
        (unavailable(), "nobody was asked"),
    ],
    ids=["found", "empty", "the last", "none", "nobody"],
)
def test_the_error_of_a_response_is_the_last_one(response: Response, message: str | None) -> None:
    """Of those that could not search."""
    error = _failure_of(response)

    assert (None if error is None else error.message) == message


def context(outcome: Outcome = Outcome.FOUND, text: str = "packed") -> Context:
    return Context(text, (), 1, outcome, notes=("n",))


@pytest.mark.parametrize(
    ("tokens", "asked"),
    [(None, 4_000), (1, 1), (500, 500), (1_000_000, 1_000_000), (1_000_001, 1_000_000)],
)
async def test_a_context_has_as_many_tokens_as_it_is_told(tokens: int | None, asked: int) -> None:
    """4,000 without a number, and a million at most (S1-33)."""
    client = FakeClient(context())
    arguments = {"query": "otters"} | ({} if tokens is None else {"max_tokens": tokens})
    result = await TavilyContext(Deps(client)).invoke(arguments)

    assert client.asked == [("otters", {"max_tokens": asked})]
    assert result.text == "## RAG用検索コンテキスト: otters\n\npacked\n\n注：n"
    assert result.output == context().to_dict()


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (context(text=""), "max_tokens が小さすぎるため、収まる文章がありません。"),
        (context(Outcome.EMPTY, "x"), "検索結果が見つかりませんでした。"),
    ],
    ids=["no room", "nothing"],
)
async def test_a_context_without_a_text_says_why(found: Context, text: str) -> None:
    """Nothing was found, or nothing fits (S1-10, S1-34)."""
    result = await TavilyContext(Deps(FakeClient(found))).invoke({"query": "otters"})

    assert result.text == f"## RAG用検索コンテキスト: otters\n\n{text}\n\n注：n"


@pytest.mark.parametrize("fence", [False, True])
async def test_a_fence_is_put_around_the_text_when_told(fence: bool) -> None:
    """The output for programs has none."""
    tool = TavilySearch(Deps(FakeClient(FOUND), fence=fence))
    result = await tool.invoke({"query": "otters"})

    assert tool.fence is fence
    assert ("<<<web " in result.text) is fence
    assert result.output == FOUND.to_dict()


def test_the_tools_are_described_as_the_specification_has_them() -> None:
    """Without the bounds of texts, which are told in words (S1-02, S1-14, S1-31)."""
    assert {tool.name: tool().parameters for tool in TAVILY_TOOLS} == {
        "tavily_search": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "検索クエリ"},
                "search_depth": {
                    "type": "string",
                    "enum": ["basic", "advanced"],
                    "default": "basic",
                },
                "max_results": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
            },
            "required": ["query"],
        },
        "tavily_extract": {
            "type": "object",
            "properties": {
                "urls": {
                    "type": "array",
                    "description": "抽出対象URL群（1〜20件、http:// または https:// が必須）",
                    "items": {"type": "string"},
                }
            },
            "required": ["urls"],
        },
        "tavily_context": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "検索クエリ"},
                "max_tokens": {
                    "type": "integer",
                    "description": "最大トークン数（省略時はAPI側デフォルト）",
                    "minimum": 1,
                },
            },
            "required": ["query"],
        },
    }
    assert [(t().text_only, t.logged, t().fence) for t in TAVILY_TOOLS] == [
        (True, "query", False),
        (True, "urls", False),
        (True, "query", False),
    ]


def test_dependencies_show_no_key() -> None:
    """They are printed in traces of frameworks."""
    assert repr(TavilySearchDeps("secret")) == "TavilySearchDeps(fence=False, fallback=True)"
    assert TavilySearch().deps == TavilySearchDeps()


async def test_urls_that_are_all_wrong_are_told_in_the_output_too() -> None:
    """Nobody is asked (S1-22)."""
    client = FakeClient()
    result = await TavilyExtract(Deps(client)).invoke({"urls": ["example.com"]})

    assert result.output == {
        "results": [],
        "failed_results": [
            {
                "url": "example.com",
                "error": "http:// または https:// で始まるURLを指定してください",
            }
        ],
        "notes": [],
    }
