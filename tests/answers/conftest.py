"""A small web on loopback: searches that answer by their words, pages behind them, a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kensaku import Hit, Kensaku
from kensaku.testing import FakeUpstream, faults

SLEEP = (
    "Sea otters hold hands while they sleep. They do so that the current does not part them. "
    "A group of resting otters is called a raft."
)
FOOD = "Sea otters eat up to 25 % of their weight each day. Their food is sea urchins and clams."
FOOD_TOO = "Sea otters eat about 30 % of their weight each day, a zoo reported."
RAKKO = "ラッコは貝やウニを食べます。ラッコは北太平洋の沿岸に住んでいます。"
KEY = "sk-0123456789-research"


def page(title: str, *sections: tuple[str, str], date: str = "") -> str:
    """An article of sections with headings."""
    body = "".join(f"<h2>{head}</h2><p>{text}</p>" for head, text in sections)
    meta = f'<meta property="article:published_time" content="{date}">' if date else ""
    return (
        f"<html><head><title>{title}</title>{meta}</head>"
        f"<body><article><h1>{title}</h1>{body}</article></body></html>"
    )


class Web:
    """Which words find which pages."""

    def __init__(self, upstream: FakeUpstream) -> None:
        self.upstream = upstream
        upstream.answers("tavily", [])

    def has(self, words: str, path: str, title: str, text: str, **more: Any) -> str:
        """Serve a page, and let searches with one of the words find it."""
        html = more.pop("html", None) or page(title, ("About", text), date=more.pop("date", ""))
        url = self.upstream.serves(path, html)
        self.finds(words, Hit(url, title, text[:80], **more))
        return url

    def finds(self, words: str, *hits: Hit) -> None:
        """Answer searches that have one of the words with these hits."""
        body = self.upstream.samples["tavily"].with_hits(list(hits))
        wanted = words.split("|")
        self.upstream.fails(
            "tavily",
            faults.wrong_shape(body),
            when=lambda request: any(w in request.json["query"] for w in wanted),
        )

    @property
    def queries(self) -> list[str]:
        """What was searched for."""
        return [request.json["query"] for request in self.upstream.asked("tavily")]


@pytest.fixture
def web(upstream: FakeUpstream) -> Web:
    """Otters: how they sleep, what they eat."""
    made = Web(upstream)
    made.has("sleep", "/p/sleep", "How otters sleep", SLEEP, date="2024-03-02")
    made.has("eat", "/p/food", "What otters eat", FOOD, date="2025-01-15")
    made.has("食べ", "/p/rakko", "ラッコ", RAKKO)
    return made


@pytest.fixture
def client(make_client: Any, web: Web) -> Callable[..., Kensaku]:
    """A client that searches this web and may read it."""

    def make(*route: str, **settings: Any) -> Kensaku:
        reach = {"fetch_allow": ("127.0.0.1",), "fetch_ports": ("any",), "fetch_robots": "never"}
        made: Kensaku = make_client(*(route or ("tavily",)), **{**reach, **settings})
        return made

    return make


class Model:
    """A model on loopback that is asked for a plan, a report, or values."""

    def __init__(self, upstream: FakeUpstream) -> None:
        self.upstream = upstream
        self.settings: dict[str, Any] = {
            "llm_url": f"{upstream.url}/llm",
            "llm_model": "small",
            "llm_api_key": KEY,
        }

    def says(self, to: str, reply: Any) -> None:
        """Reply to prompts that begin with `to`; what is no text is sent as JSON."""
        text = reply if isinstance(reply, str) else json.dumps(reply)
        body = {"choices": [{"message": {"content": text}}]}
        self.upstream.fails("llm", faults.wrong_shape(body), when=lambda r: _asks(r, to))

    def plans(self, *questions: str) -> None:
        """Plan these questions, each with itself as its query."""
        self.says("Plan", {"questions": [{"question": q, "queries": [q]} for q in questions]})

    def asked(self, about: str) -> list[tuple[str, str]]:
        """Return the system's and the user's words of prompts that begin with `about`."""
        seen = [r for r in self.upstream.asked("llm") if _asks(r, about)]
        return [tuple(m["content"] for m in r.json["messages"]) for r in seen]  # type: ignore[misc]


def _asks(request: Any, about: str) -> bool:
    return bool(request.json["messages"][0]["content"].startswith(about))


@pytest.fixture
def model(upstream: FakeUpstream) -> Model:
    """A model that answers nothing until it is told to."""
    return Model(upstream)
