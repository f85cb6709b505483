"""A conversation as a file to keep or to pass on: Markdown for people, JSON for programs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.text.escape import escape_lines, escape_link, escape_url, flatten
from kensaku.text.links import clean_reply, disarm_links, shows_another_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kensaku.assistant.channels.web import Talk
    from kensaku.locale import Translator


def to_json(talk: Talk, thread: str) -> dict[str, Any]:
    """Return a conversation, ready for JSON."""
    conversation = talk.conversation
    return {
        "id": thread,
        "title": conversation.title,
        "created": conversation.created.isoformat(),
        "updated": conversation.updated.isoformat(),
        "messages": [
            message.to_dict() | {"state": talk.states.get(message.id.rpartition("-")[0], "")}
            for message in talk.messages
        ],
    }


def to_markdown(talk: Talk, t: Translator) -> str:
    """Return a conversation as Markdown: questions as headings, sources behind each answer."""
    parts = [f"# {_line(talk.conversation.title)}"]
    for message in talk.messages:
        if message.role == "user":
            parts.append(f"## {_line(message.text)}")
            parts.append(f"*{message.created:%Y-%m-%d %H:%M} UTC*")
        else:
            parts += _answer(message.text, message.answer or {}, t)
    return "\n\n".join(parts) + "\n"


def _line(text: str) -> str:
    """A question or a title: an address in it becomes code, a link its text."""
    return flatten(disarm_links(text, (), [text]))


def _answer(text: str, record: Mapping[str, Any], t: Translator) -> list[str]:
    parts = [f"> {_line(record['doubt'])}"] if record.get("doubt") else []
    citations = record.get("citations", ())
    # It was cleaned when it was written, maybe by a version that let more through.
    passages = [c["passage"] for c in citations]
    parts.append(clean_reply(text, [c["url"] for c in citations], passages))
    if citations:
        parts.append(f"**{t('Sources')}**")
        parts.append("\n".join(_source(c) for c in citations))
    return parts


def _source(citation: Mapping[str, Any]) -> str:
    title, url = flatten(citation["title"]), citation["url"]
    if not title or shows_another_address(title, url):
        title = url
    name = escape_link(title)
    if url.startswith(("https://", "http://")):
        name = f"[{name}]({escape_url(url)})"
    quoted = escape_lines(disarm_links(citation["passage"], (), [citation["passage"]]))
    passage = "\n".join(f"   > {line}" for line in quoted.splitlines())
    return f"{citation['n']}. {name}\n\n{passage}\n"
