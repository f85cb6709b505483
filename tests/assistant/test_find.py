"""The search for each question: in which order, with how many rounds and pages, until when."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant import find
from kensaku.assistant.actions import Thresholds
from kensaku.errors import IndexFault
from kensaku.research.questions import Question

QUERIES = ("one", "two", "three", "four")


class Tools:
    """Tools that find nothing, and write down what is asked of them."""

    def __init__(self, home: Path, **options: Any) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.notes: list[str] = []
        self.collection, self.route = options.get("collection"), options.get("route")
        self.names: Any = options.get("names", ["docs"])
        settings = SimpleNamespace(
            index_url=options.get("index_url"), home=home, route=options.get("usual", ("tavily",))
        )
        self.client = SimpleNamespace(settings=settings, index=self)

    async def collections(self) -> list[str]:
        self.calls.append(("collections",))
        if isinstance(self.names, Exception):
            raise self.names
        return list(self.names)

    async def rag_search(self, query: str) -> str:
        self.calls.append(("rag", query))
        return f"rag {query}"

    async def web_search(self, query: str) -> str:
        self.calls.append(("web", query))
        return f"web {query}"

    async def web_extract(self, urls: list[str], about: list[str]) -> str:
        self.calls.append(("read", urls, about))
        return "pages"


class Evidence:
    """Sources that answer after so many looks, with this confidence."""

    def __init__(self, answered_at: int = 99, confidence: float | None = 0.7) -> None:
        self.questions = [Question("q", QUERIES)]
        self.answered_at, self.confidence = answered_at, confidence
        self.looks = 0
        self.taken: list[Any] = []
        self.unread_urls = ["u1", "u2", "u3", "u4"]

    def finding(self, n: int) -> Any:
        self.looks += 1
        sentences = ("s",) if self.looks >= self.answered_at else ()
        return SimpleNamespace(sentences=sentences, confidence=self.confidence)

    def add(self, n: int, result: str) -> None:
        self.taken.append((n, result))

    def add_pages(self, result: str) -> None:
        self.taken.append(result)

    def unread(self, n: int, count: int) -> list[str]:
        return self.unread_urls[:count]


def run_of(tools: Tools) -> Any:
    """A run with these tools."""
    return SimpleNamespace(tools=tools, thresholds=Thresholds(0.9, 0.7, 0.4))


READ = ("read", ["u1", "u2", "u3"], ["one"])
ROUNDS = [("web", "one"), READ, ("web", "two"), READ, ("web", "three"), READ]


@pytest.mark.parametrize(
    ("answered_at", "calls"),
    [
        (1, []),
        (2, [("rag", "one")]),
        (3, [("rag", "one"), ("web", "one")]),
        (4, [("rag", "one"), ("web", "one"), READ]),
        (5, [("rag", "one"), ("web", "one"), READ, ("web", "two")]),
        (99, [("rag", "one"), *ROUNDS]),
    ],
)
async def test_collections_then_the_web_then_pages_until_it_is_answered(
    answered_at: int, calls: list[Any], tmp_path: Path
) -> None:
    """Three rounds at most, each with one query of the plan and three pages."""
    tools, evidence = Tools(tmp_path, collection="docs"), Evidence(answered_at)
    await find.find_out(run_of(tools), evidence)  # type: ignore[arg-type]

    assert tools.calls == calls
    results = ["pages" if c[0] == "read" else (0, f"{c[0]} {c[1]}") for c in calls]
    assert evidence.taken == results


async def test_without_unread_pages_none_is_asked_for(tmp_path: Path) -> None:
    """The next query follows at once."""
    tools, evidence = Tools(tmp_path), Evidence()
    evidence.unread_urls = []
    await find.find_out(run_of(tools), evidence)  # type: ignore[arg-type]

    assert tools.calls == [("web", "one"), ("web", "two"), ("web", "three")]


@pytest.mark.parametrize(
    ("confidence", "answered"), [(0.7, True), (0.69, False), (0.0, False), (None, False)]
)
async def test_an_answer_needs_the_confidence_of_a_notice(
    confidence: float | None, answered: bool, tmp_path: Path
) -> None:
    """Sentences alone are none; exactly at the threshold it is one."""
    evidence: Any = Evidence(1, confidence)
    assert await find._is_answered(0, run_of(Tools(tmp_path)), evidence) is answered
    evidence.answered_at = 99
    assert await find._is_answered(0, run_of(Tools(tmp_path)), evidence) is False


@pytest.mark.parametrize(
    ("options", "web"),
    [
        ({"usual": ("local",)}, False),
        ({"route": ("local",)}, False),
        ({"route": ["local"]}, False),
        ({"route": ("local", "tavily")}, True),
        ({"route": ("tavily",), "usual": ("local",)}, True),
        ({}, True),
    ],
)
async def test_a_route_of_collections_alone_goes_nowhere_else(
    options: dict[str, Any], web: bool, tmp_path: Path
) -> None:
    """The route of the call counts over that of the settings."""
    tools = Tools(tmp_path, collection="docs", **options)
    await find.find_out(run_of(tools), Evidence())  # type: ignore[arg-type]

    assert tools.calls == [("rag", "one"), *(ROUNDS if web else [])]


@pytest.mark.parametrize(
    ("options", "folder", "own", "looked"),
    [
        ({"collection": "docs"}, False, True, False),
        ({}, False, False, False),
        ({}, True, True, True),
        ({"names": []}, True, False, True),
        ({"index_url": "http://q"}, False, True, True),
        ({"names": IndexFault("broken")}, True, False, True),
    ],
)
async def test_whether_there_is_anything_of_ones_own(
    options: dict[str, Any], folder: bool, own: bool, looked: bool, tmp_path: Path
) -> None:
    """An index that was never filled is not opened; one that is broken is noted."""
    if folder:
        (tmp_path / "index" / "collections").mkdir(parents=True)
    tools: Any = Tools(tmp_path, **options)

    assert await find._has_collections(tools) is own
    assert tools.calls == ([("collections",)] if looked else [])
    broken = isinstance(options.get("names"), IndexFault)
    said = ["the collections could not be searched: broken"] if broken else []
    assert tools.notes == said


async def test_questions_are_searched_side_by_side_and_the_first_error_ends_all() -> None:
    """As itself, and not inside of a group."""
    ended = asyncio.Event()

    async def fails() -> None:
        raise KeyError("first")

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(KeyError, match="first"):
        await find._side_by_side([waits(), fails()])
    assert ended.is_set()


async def test_every_question_is_weighed() -> None:
    """In their order."""
    evidence: Any = Evidence()
    evidence.questions *= 3
    evidence.finding = lambda n: f"finding {n}"

    assert await find.weigh(evidence) == ["finding 0", "finding 1", "finding 2"]
