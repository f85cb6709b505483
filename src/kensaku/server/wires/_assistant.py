"""What the wires of the assistant say alike, as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kensaku.answers.events import ToolEnded, ToolStarted
from kensaku.text.escape import flatten

if TYPE_CHECKING:
    from kensaku.answers.cited import Cited, CitedAnswer
    from kensaku.answers.events import Event
    from kensaku.answers.person import Question

MAX_EARLIER = 5  # questions before this one that may say what it is about


def question_text(question: Question) -> str:
    """Return a question to the person as text: about which call, and what can be chosen."""
    about = ""
    if question.kind == "approve":
        about = f"{question.tool}: {arguments_text(question.arguments)}"
    options = "\n".join(f"{n}. {flatten(text)}" for n, text in enumerate(question.options, 1))
    return "\n\n".join(filter(None, [question.text, about, options]))


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """Return the arguments of a call in one line."""
    values = [v if isinstance(v, list | tuple) else [v] for v in arguments.values()]
    return flatten(" ".join(str(part) for value in values for part in value))


def reply_text(answer: CitedAnswer) -> Iterator[str]:
    """Yield what follows the answer itself: doubts, what was wrong with a model, the sources."""
    if answer.doubt:
        yield f"\n\n{answer.doubt}"
    for note in answer.notes:
        if note.startswith("the model"):
            yield f"\n\n({flatten(note)})"
    if answer.citations:
        yield sources_text(answer.citations)


def tool_text(event: Event) -> str:
    """Return the line of a tool that began or ended; "" for other events."""
    if isinstance(event, ToolStarted):
        return f"{event.tool}: {arguments_text(event.arguments)}\n"
    if isinstance(event, ToolEnded):
        by = f" · {', '.join(event.providers)}" if event.providers else ""
        return f"{event.tool}: {event.outcome} · {event.hits}{by} · {event.elapsed_ms:.0f} ms\n"
    return ""


def sources_text(citations: Sequence[Cited]) -> str:
    """Return sources as definitions of Markdown: they make `[1]` a link wherever that is shown.

    Sources without an address of the web follow: a definition must not stand behind a text.
    """
    web = [_definition(c) for c in citations if _is_web(c)]
    other = [f"[{c.n}] {flatten(c.title or c.url)}" for c in citations if not _is_web(c)]
    return "".join("\n\n" + "\n".join(lines) for lines in (web, other) if lines)


def _definition(cited: Cited) -> str:
    url = quote(cited.url, safe="%/:=&?~#+!$,;'@()*[]-._")
    title = flatten(cited.title).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{cited.n}]: <{url}> "{title}"' if title else f"[{cited.n}]: <{url}>"


def _is_web(cited: Cited) -> bool:
    return cited.url.startswith(("http://", "https://"))
