"""Events as lines of text for a terminal. Pure.

Whatever a page, a model or a provider wrote is cleaned here: no line has a control character, so
no text can send an escape sequence to the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from kensaku.messages import msg
from kensaku.text.clean import cut, one_line, visible
from kensaku.text.width import cut_to_width, display_width

if TYPE_CHECKING:
    from kensaku.answers.events import ToolEnded
    from kensaku.answers.person import Intervention, Question, Reply
    from kensaku.database.conversations import Message
    from kensaku.locale import Translator

FOLDED = 3  # results of a call that are shown; the others are counted
MAX_REASON = 600  # characters of what a question is about
SEPARATOR = " · "
# The letter of each choice at a prompt, whatever the language.
LETTERS: dict[str, Intervention] = {
    "y": "proceed",
    "s": "skip",
    "r": "retry",
    "c": "cancel",
    "n": "cancel",
}
CHOICES = {
    "proceed": msg("yes"),
    "skip": msg("skip"),
    "retry": msg("again"),
    "cancel": msg("cancel the run"),
}
OUTCOMES = {
    "empty": msg("nothing found"),
    "unavailable": msg("could not search"),
    "refused": msg("not allowed"),
    "unread": msg("could not be read"),
}


class CitedPage(Protocol):
    """A page that an answer cites."""

    @property
    def n(self) -> int: ...
    @property
    def url(self) -> str: ...
    @property
    def title(self) -> str: ...


class Source(CitedPage, Protocol):
    """A page that the assistant cites, with the passage."""

    @property
    def passage(self) -> str: ...
    @property
    def origin(self) -> str: ...


def call_command(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the command message of a call: `web_search: "otters"`."""
    about = arguments.get("query") or ", ".join(arguments.get("urls", ())) or "unknown query"
    return f'{one_line(tool)}: "{one_line(str(about))}"'


def call_result(event: ToolEnded, t: Translator) -> str:
    """Return who answered a call, with how much, and in which time."""
    pages = "urls" in event.arguments
    outcome = "unread" if pages and event.outcome == "unavailable" else event.outcome
    found = OUTCOMES.get(outcome) or (
        msg("{n} page", "{n} pages", n=event.hits)
        if pages
        else msg("{n} hit", "{n} hits", n=event.hits)
    )
    took = t("used again") if event.repeated else f"{event.elapsed_ms:.0f} ms"
    parts = [
        ", ".join(map(one_line, event.providers)),
        t(found),
        "" if event.outcome == "refused" else took,
    ]
    return SEPARATOR.join(filter(None, parts))


def call_lines(event: ToolEnded, t: Translator, columns: int) -> list[str]:
    """Return a finished call in one line, or in two where it does not fit."""
    command, result = call_command(event.tool, event.arguments), call_result(event, t)
    both = f"{command}{SEPARATOR}{result}"
    if display_width(both) <= columns:
        return [both]
    return [cut_to_width(command, columns), cut_to_width(f"  {result}", columns)]


def folded_results(
    found: Sequence[tuple[str, str]], t: Translator, columns: int, *, limit: int = FOLDED
) -> list[str]:
    """Return the first results with their hosts, and the number of the others."""
    lines = []
    for title, url in found[:limit]:
        host = one_line(host_of(url))
        room = columns - display_width(host) - len(SEPARATOR)
        name = cut_to_width(one_line(title), max(room, 12))
        lines.append(cut_to_width(SEPARATOR.join(filter(None, (name, host))), columns))
    if len(found) > limit:
        lines.append(t("… {n} more", n=len(found) - limit))
    return lines


def page_lines(page: CitedPage, label: str = "") -> list[str]:
    """Return the number and the title of a page, then its address."""
    title, url = one_line(page.title), one_line(page.url)
    titled = [title, f"    {url}"] if title and title != url else [url]
    return [f"[{page.n}] {label}{titled[0]}", *titled[1:]]


def source_lines(citations: Iterable[Source], *, passages: bool = False) -> list[str]:
    """Return the sources of an answer: number, origin and title, then the address."""
    lines = []
    for c in citations:
        lines += page_lines(c, f"({c.origin}) ")
        if passages and c.passage:
            lines += [f"    {line}" for line in visible(c.passage).splitlines() if line.strip()]
    return lines


def question_lines(question: Question, t: Translator) -> list[str]:
    """Return a question to the person: what is asked, about what, and the letters to reply with."""
    lines = [f"? {one_line(question.text)}"]
    if question.tool:
        lines.append(f"  {call_command(question.tool, question.arguments)}")
    reason = cut(visible(question.reason).strip(), MAX_REASON)
    lines += [f"  {line}" for line in reason.splitlines() if line.strip()]
    lines += [f"  {n}. {one_line(text)}" for n, text in enumerate(question.options, 1)]
    letters = [
        f"[{letter}] {t(CHOICES[action])}"
        for letter, action in LETTERS.items()
        if action in question.choices and letter != "n"
    ]
    silent = t(CHOICES["skip"]) if "skip" in question.choices else t("no")
    letters.append(t("Enter: {action}", action=silent))
    lines.append("  " + "  ".join(letters))
    if "modify" in question.choices:
        lines.append(f"  {t('or other words for the query')}")
    return lines


def read_letter(question: Question, said: str) -> Reply | None:
    """Return the choice that a letter stands for."""
    from kensaku.answers.person import Reply

    action = LETTERS.get(said.strip().casefold())
    return Reply(action) if action is not None and action in question.choices else None


def write_conversation(title: str, messages: Iterable[Message]) -> str:
    """Return a conversation as Markdown, each answer with its sources."""
    parts = [f"# {one_line(title)}"]
    for message in messages:
        parts.append(f"## {one_line(message.text)}" if message.role == "user" else message.text)
        citations = (message.answer or {}).get("citations", ())
        if citations and message.role != "user":
            parts.append("\n".join(_cited(c) for c in citations))
    return visible("\n\n".join(parts)) + "\n"


def host_of(url: str) -> str:
    """Return the host of an address, or what stands for it, such as `file`."""
    try:
        split = urlsplit(url)
    except ValueError:
        return ""
    return split.hostname or split.scheme


def _cited(citation: Mapping[str, Any]) -> str:
    return f"[{citation['n']}] {one_line(citation['title'])} <{one_line(citation['url'])}>"
