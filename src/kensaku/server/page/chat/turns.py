"""A question of a conversation and what came of it: values for the templates.

events of a run → Turn          while it runs
a stored message → Turn         afterwards, the same
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kensaku.messages import msg
from kensaku.models import Attempt
from kensaku.server.page.language import join_names
from kensaku.server.page.results import host_of, mark_terms, safe_link, said_of
from kensaku.text.markdown import to_html

if TYPE_CHECKING:
    from kensaku.answers.person import Question
    from kensaku.assistant.assistant import Assistant
    from kensaku.assistant.channels.web import Talk, Thread
    from kensaku.assistant.exchange import Exchange
    from kensaku.locale import Translator

RUNNING = "running"
MAX_QUERY = 300
TONES = {"found": "ok", "empty": "faint", "unavailable": "bad", "refused": "warn", "": "accent"}
OUTCOMES = {
    "empty": msg("nothing found"),
    "unavailable": msg("could not search"),
    "refused": msg("not allowed"),
}
ORIGINS = {
    "collection": msg("your collection"),
    "web": msg("web search"),
    "page": msg("page that was read"),
}
# What a button says: by the kind of the question or its tool, else by the choice alone.
LABELS = {
    "approve": {"proceed": msg("Allow"), "skip": msg("Do without")},
    "confirm": {
        "proceed": msg("Give this answer"),
        "modify": msg("Search on"),
        "skip": msg("Leave it out"),
    },
    "ask_user": {"modify": msg("Reply"), "skip": msg("Go on without")},
    "help": {"modify": msg("Search on"), "skip": msg("Go on without")},
    "": {
        "cancel": msg("Stop"),
        "modify": msg("Change it"),
        "retry": msg("Try again"),
        "skip": msg("Skip"),
        "proceed": msg("Go on"),
    },
}
# A mark of ours in a text that is Markdown of strangers: these characters are in no text.
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKS = re.compile(r"\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?!\()")
_PLACED = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


@dataclass(frozen=True, slots=True)
class ToolView:
    """A call of a tool, in one line."""

    tool: str
    about: str
    tone: str
    said: str  # "5 results", or why there are none; "" while it runs
    providers: str = ""
    time: str = ""
    notes: tuple[str, ...] = ()
    found: tuple[tuple[str, str, str], ...] = ()  # title, address if it is a link, host


@dataclass(frozen=True, slots=True)
class AskView:
    """A question to the person."""

    id: str
    kind: str
    text: str
    tool: str
    query: str
    addresses: list[str]
    reason: Markup | str
    choices: tuple[str, ...]
    options: tuple[str, ...]
    optional: bool
    labels: Mapping[str, str]  # choice → what its button says


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source that the answer cites."""

    n: int
    title: str
    host: str
    link: str
    origin: str
    passage: Markup


@dataclass(slots=True)
class Turn:
    """A question and what came of it so far. `record` is there when it has ended."""

    id: str
    question: str
    t: Translator
    state: str = RUNNING  # or that of the run: done, failed, cancelled, abandoned
    plan: list[str] = field(default_factory=list)
    tools: dict[str, ToolView] = field(default_factory=dict)
    text: str = ""
    asks: list[AskView] = field(default_factory=list)
    record: Mapping[str, Any] | None = None
    started: bool = True  # False: it waits for the question before it

    def take(self, event: Mapping[str, Any]) -> None:
        """Take in an event."""
        match event["type"]:
            case "Planned":
                self.plan = [str(q) for q in event["questions"]]
            case "ToolStarted":
                self.tools[event["id"]] = tool_view(event, self.t)
            case "ToolEnded":
                self.tools[event["id"]] = tool_view(event, self.t)
            case "TextDelta":
                self.text += event["text"]

    def end(self, record: Mapping[str, Any], state: str) -> None:
        """Take in what is kept of the run."""
        self.record, self.state, self.asks = record, state, []
        self.text = record.get("answer") or ""

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return self.state == RUNNING

    @property
    def elapsed(self) -> str:
        """How long the run took."""
        return duration(self.record["elapsed_ms"]) if self.record else ""

    @property
    def html(self) -> Markup:
        """The answer, with its `[n]` as links to the passages."""
        known = {source["n"] for source in self._citations()}
        return answer_html(self.text, self.id, None if self.record is None else known)

    @property
    def sources(self) -> list[SourceView]:
        """What the answer cites."""
        return [source_view(values, self.question) for values in self._citations()]

    @property
    def confidence(self) -> Mapping[str, Any]:
        """Score, level and factors."""
        return self.record["confidence"] if self.record else {}

    @property
    def refused(self) -> list[tuple[Attempt, str]]:
        """Who could not search, and why: each provider once."""
        stored = (self.record or {}).get("attempts", ())
        attempts = [Attempt.from_dict(a) for a in stored if a.get("error")]
        last = {a.provider: (a, said_of(a, self.t)) for a in attempts}
        return list(last.values())

    def _citations(self) -> Iterable[Mapping[str, Any]]:
        found: Iterable[Mapping[str, Any]] = (self.record or {}).get("citations", ())
        return found


def turns_of(talk: Talk, t: Translator) -> list[Turn]:
    """Return the turns of a conversation as it is stored."""
    turns: dict[str, Turn] = {}
    for message in talk.messages:
        run, _, _ = message.id.rpartition("-")
        if message.role == "user":
            turns[run] = Turn(run, message.text, t, talk.states.get(run, "failed"))
        elif run in turns and message.answer is not None:
            for event in message.answer.get("events", ()):
                turns[run].take(event)
            turns[run].end(message.answer, talk.states.get(run, "done"))
    return list(turns.values())


def show_live(turn: Turn, exchange: Exchange, *, first: bool) -> None:
    """Add to a stored turn what is known of its run in this process."""
    turn.started = first
    for event in exchange.events:
        turn.take(event.to_dict())
    turn.asks = [ask_view(question) for question in exchange.waiting]


def live_turns(assistant: Assistant, thread: Thread, talk: Talk, t: Translator) -> list[Turn]:
    """Return the turns of a conversation, with what is known of those that are under way."""
    turns, current = turns_of(talk, t), assistant.current(thread.sender)
    for turn in turns:
        if turn.running and (exchange := assistant.find(turn.id, thread.sender.tenant)):
            show_live(turn, exchange, first=exchange is current)
        elif turn.running:  # in another process, of which only the questions are known
            turn.asks = [ask_view(question) for question in talk.asks.get(turn.id, ())]
    return turns


def tool_view(event: Mapping[str, Any], t: Translator) -> ToolView:
    """What is shown of a call that has begun or ended."""
    arguments, outcome = event["arguments"], event.get("outcome", "")
    about = arguments.get("query") or ", ".join(host_of(u) for u in arguments.get("urls", ()))
    said = ""
    if outcome == "found":
        n = event["hits"]
        if event["tool"] == "web_extract":
            said = t("{n} page read", "{n} pages read", n=n)
        else:
            said = t("{n} result", "{n} results", n=n)
    elif outcome == "unavailable" and event["tool"] == "web_extract":
        said = t("could not be read")
    elif outcome:
        said = t(OUTCOMES[outcome])
    return ToolView(
        tool=event["tool"],
        about=str(about)[:MAX_QUERY],
        tone=TONES[outcome],
        said=said,
        providers=join_names(
            list(event.get("providers", ())) if outcome != "unavailable" else [], t
        ),
        time=duration(event["elapsed_ms"]) if event.get("elapsed_ms") else "",
        notes=tuple(event.get("notes", ())),
        found=tuple(
            (title.strip() or url, safe_link(url), host_of(url))
            for title, url in event.get("found", ())
        ),
    )


def duration(ms: float) -> str:
    """A time as people read it; the person's own time for an answer may be part of it."""
    return f"{max(1, round(ms)):,} ms" if ms < 10_000 else f"{ms / 1000:,.0f} s"


def ask_view(question: Question) -> AskView:
    """What is shown of a question to the person."""
    addresses = question.arguments.get("urls", ())
    reason: Markup | str = question.reason
    if question.kind == "confirm":  # the answer that waits for consent
        reason = answer_html(question.reason, "", None)
    return AskView(
        question.id, question.kind, question.text, question.tool,
        str(question.arguments.get("query", "")), [str(a) for a in addresses],
        reason, question.choices, question.options, question.urgency == "optional",
        {choice: _label(question, choice) for choice in question.choices},
    )  # fmt: skip


def _label(question: Question, choice: str) -> str:
    kind = question.tool if question.kind == "help" and question.tool else question.kind
    return LABELS.get(kind, {}).get(choice) or LABELS[""].get(choice, choice)


def source_view(values: Mapping[str, Any], question: str) -> SourceView:
    """What is shown of a source."""
    url, host = str(values["url"]), host_of(str(values["url"]))
    return SourceView(
        n=values["n"],
        title=str(values["title"]).strip() or host or url,
        host=host,
        link=safe_link(url),
        origin=ORIGINS.get(origin := values.get("origin", "web"), origin),
        passage=mark_terms(values["passage"], question),
    )


def answer_html(markdown: str, turn: str, known: set[int] | None) -> Markup:
    """Return an answer as HTML without links, but for its `[n]` to the sources in `known`.

    None: the sources are not known yet, and no `[n]` is a link. The marks are taken out before
    the text is read as Markdown: there `[1]` could be a link to anywhere.
    """
    clean = markdown.replace(_OPEN, "").replace(_CLOSE, "")

    def place(found: re.Match[str]) -> str:
        numbers = [int(n) for n in found[1].split(",")]
        if known is not None and not set(numbers) <= known:
            return found[0]
        return "".join(f"{_OPEN}{n}{_CLOSE}" for n in numbers)

    def show(found: re.Match[str]) -> str:
        n = found[1]
        if known is None:
            return f'<span class="cite">{n}</span>'
        return f'<a class="cite" href="#c-{turn}-{n}">{n}</a>'

    html = to_html(_MARKS.sub(place, clean), links=False)
    return Markup(_PLACED.sub(show, html))  # nh3 has cleaned it
