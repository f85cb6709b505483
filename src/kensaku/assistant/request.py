"""What a run is asked to do, checked before anything is sent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kensaku.assistant.actions import Thresholds
from kensaku.assistant.approval import Approvals
from kensaku.assistant.journal import Journal
from kensaku.assistant.model import Model, open_model
from kensaku.assistant.toolbox import Emit, Toolbox
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.locale import translator
from kensaku.models import Query
from kensaku.options import AskOptions
from kensaku.search.budget import Budget
from kensaku.text.clean import visible
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.client import Kensaku

MAX_QUESTION = 4_000
MAX_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Run:
    """One question on its way to an answer, and what it may use."""

    question: str
    tools: Toolbox
    thresholds: Thresholds
    model: Model | None
    began: float
    earlier: tuple[str, ...] = ()  # what the person asked before


def begin(question: str, client: Kensaku, options: AskOptions, emit: Emit) -> Run:
    """Return a run that is about to start. Raises `UsageError`."""
    if wrong := [name for name in options if name not in AskOptions.__annotations__]:
        raise UnknownName("option", wrong[0], AskOptions.__annotations__)
    text, settings = _text(question), client.settings
    Query("x", collection=options.get("collection"))
    began = asyncio.get_running_loop().time()
    approvals = Approvals.from_words(settings.assistant_approvals, options.get("approvals"))
    tools = Toolbox(
        client=client,
        budget=_budget(client, options.get("budget")),
        deadline=began + _seconds(options.get("timeout"), settings.assistant_seconds),
        approvals=approvals,
        journal=options.get("journal") or Journal(),
        emit=emit,
        t=translator(guess_language(text)),
        person=options.get("person"),
        wait=settings.assistant_wait,
        route=_route(options),
        collection=options.get("collection"),
        cache=options.get("cache"),
    )
    model = open_model(client, options.get("model"))
    earlier = tuple(options.get("earlier") or ())
    return Run(text, tools, Thresholds.from_settings(settings), model, began, earlier)


def _budget(client: Kensaku, given: Budget | None) -> Budget:
    """Return the budget of one run; it counts against the given one or the client's, too."""
    s = client.settings
    return Budget(
        searches=s.assistant_searches,
        fetches=s.assistant_fetches,
        tokens=s.assistant_tokens,
        money=s.assistant_money or None,
        parent=given or client.budget,
    )


def _route(options: AskOptions) -> tuple[str, ...] | None:
    route = options.get("route")
    if route is None:
        return None
    names = route.split(",") if isinstance(route, str) else route
    return tuple(str(name).strip() for name in names)


def _seconds(value: object, default: float) -> float:
    seconds = default if value is None else value
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 < seconds <= MAX_SECONDS:  # type: ignore[operator]
        raise InvalidQuery(
            f"timeout is {value!r}; it must be more than 0 and at most {MAX_SECONDS:g} s"
        )
    return float(seconds)  # type: ignore[arg-type]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidQuery(f"the question must be text, not {type(value).__name__}")
    text = visible(value).strip()  # also without what is not valid Unicode
    if not text:
        raise InvalidQuery("the question is empty", remedy="say what to find out")
    if len(text) > MAX_QUESTION:
        raise InvalidQuery(
            f"the question has {len(text):,} characters; at most {MAX_QUESTION:,} are taken"
        )
    return text
