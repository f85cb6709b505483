"""The steps of `kensaku search`: a second look into the local index, the browser, the format."""

from __future__ import annotations

import sys
import webbrowser
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.cli.search import _format, _open_in_browser, _search, merge
from kensaku.errors import IndexFault, NotAsked, Timeout, UsageError
from kensaku.models import Attempt, Hit, Image, Outcome, Query, Response
from kensaku.providers.local import Local
from kensaku.testing import FakeUpstream

from .conftest import Cli

QUERY = Query("otter")
HITS = (Hit("https://a.example/", "A", "otter"), Hit("http://b.example/", "B"), Hit("doc:1", "C"))
FOUND = Response(QUERY, Outcome.FOUND, HITS, elapsed_ms=5)


def late(error: Exception | None, provider: str = "local") -> Attempt:
    return Attempt(provider, Outcome.UNAVAILABLE, error)  # type: ignore[arg-type]


class Client:
    """A client whose searches are known, with a local index that counts who waits for it."""

    def __init__(self, *responses: Response, local: bool = True) -> None:
        self.calls: list[dict[str, Any]] = []
        self.prepared = 0
        self._responses = list(responses)
        client = self

        class Prepared(Local):
            async def prepare(self) -> None:
                client.prepared += 1

        provider = Prepared() if local else SimpleNamespace()
        self._resources = SimpleNamespace(provider={"local": provider}.__getitem__)

    async def search(self, query: Query, **options: Any) -> Response:
        self.calls.append(options)
        return self._responses.pop(0)


TIMEOUT, CALLED_OFF = Timeout("local", "late"), NotAsked("local", "no time")
BROKEN = IndexFault("damaged")


@pytest.mark.parametrize(
    ("attempts", "collection", "local", "again"),
    [
        ([late(TIMEOUT)], None, True, True),
        ([late(CALLED_OFF)], None, True, True),
        ([late(TIMEOUT)], "pydocs", True, True),
        ([late(BROKEN), late(TIMEOUT)], None, True, True),
        ([late(TIMEOUT), late(BROKEN)], None, True, False),
        ([late(TIMEOUT)], "notes", True, False),
        ([late(TIMEOUT)], None, False, False),
        ([late(None)], None, True, False),
        ([late(BROKEN)], None, True, False),
        ([late(TIMEOUT, "brave")], None, True, False),
        ([], None, True, False),
    ],
)
async def test_the_local_index_is_waited_for_when_it_was_late(
    attempts: list[Attempt], collection: str | None, local: bool, again: bool
) -> None:
    """And only then, and only for the collection that may still be in the making."""
    query = Query("otter", collection=collection)
    first = Response(query, Outcome.UNAVAILABLE, attempts=tuple(attempts))
    k = Client(first, FOUND, local=local)
    response = await _search(k, query, {"route": "brave,local", "mode": "all", "cache": False})  # type: ignore[arg-type]

    assert k.prepared == int(again)
    assert response.hits == (HITS if again else ())
    local_only = {"route": "local", "mode": None, "timeout": 300.0, "cache": False}
    assert k.calls[1:] == ([local_only] if again else [])


@pytest.mark.parametrize(
    ("options", "seconds"),
    [({}, 300.0), ({"timeout": None}, 300.0), ({"timeout": 5.0}, 300.0), ({"timeout": 400.0}, 400.0)],
)  # fmt: skip
async def test_waiting_has_a_long_end(options: dict[str, Any], seconds: float) -> None:
    """Five minutes, or longer if that was asked for."""
    k = Client(Response(QUERY, Outcome.UNAVAILABLE, attempts=(late(TIMEOUT),)), FOUND)
    await _search(k, QUERY, options)  # type: ignore[arg-type]

    assert k.calls[1]["timeout"] == seconds


def test_two_searches_are_weighed_as_one() -> None:
    """The time is that of both; an index that stood in for the web has to be about the query."""
    other = Response(Query("walrus"), Outcome.FOUND, HITS, elapsed_ms=5, notes=("b",))
    alone = Response(QUERY, Outcome.UNAVAILABLE, attempts=(late(TIMEOUT),), elapsed_ms=7)
    with_web = Response(
        QUERY, Outcome.UNAVAILABLE, attempts=(late(TIMEOUT, "brave"), late(TIMEOUT)), notes=("a",)
    )

    assert merge(alone, other).elapsed_ms == 12
    assert merge(alone, other).outcome is Outcome.FOUND
    assert merge(with_web, other).outcome is Outcome.UNAVAILABLE
    assert merge(with_web, other).notes[0] == "a"


@pytest.mark.parametrize(("number", "url"), [(1, "https://a.example/"), (2, "http://b.example/")])
async def test_a_result_is_opened(number: int, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its number."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: not opened.append(url))
    await _open_in_browser(FOUND, number)

    assert opened == [url]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "there is no result 0; there are 3"),
        (4, "there is no result 4; there are 3"),
        (3, "result 3 is no web page: doc:1"),
        (1, "no browser could be started; open it yourself: https://a.example/"),
    ],
)
async def test_what_cannot_be_opened_is_said(
    number: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file or a script is never opened."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)  # which says nothing: it could not
    with pytest.raises(UsageError) as raised:
        await _open_in_browser(FOUND, number)

    assert str(raised.value) == said
    assert len(opened) == (number == 1)


@pytest.mark.parametrize(
    ("dialect", "terminal", "begins"),
    [
        ("json", False, '{"'),
        ("json", True, '{\n  "'),
        ("plain", False, 'Results for "otter"'),
        ("plain", True, '\x1b[1mResults for "otter"'),
        ("compact", True, "[1] A\n"),
    ],
)
def test_a_terminal_gets_colour_and_indents(
    dialect: str, terminal: bool, begins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe gets neither."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    text = _format(FOUND, dialect)

    assert text.startswith(begins), text[:60]
    assert ("\x1b" in text) is (dialect == "plain" and terminal)


def test_images_follow_the_results(up: FakeUpstream, cli: Cli) -> None:
    """A line each; JSON has them already."""
    body = {
        "results": [{"title": "A", "url": "https://a.example/", "content": "b"}],
        "images": [{"url": "https://a.example/1.png", "description": "an otter"}],
    }
    up.answers("tavily", body=body)
    plain = cli("search", "otter", "--images", "--route", "tavily")
    shown = cli("search", "otter", "--images", "--route", "tavily", "--json")

    assert plain.out.endswith("\nhttps://a.example/1.png an otter\n")
    assert shown.out.count("\n") == 1
    assert [Image(**image).url for image in shown.json["images"]] == ["https://a.example/1.png"]
