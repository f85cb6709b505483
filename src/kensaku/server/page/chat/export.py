"""A conversation as a file to keep or to pass on: Markdown for people, JSON for programs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kensaku.text.escape import escape_lines, escape_link, escape_url, flatten

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
    parts = [f"# {flatten(talk.conversation.title)}"]
    for message in talk.messages:
        if message.role == "user":
            parts.append(f"## {flatten(message.text)}")
            parts.append(f"*{message.created:%Y-%m-%d %H:%M} UTC*")
        else:
            parts += _answer(message.text, message.answer or {}, t)
    return "\n\n".join(parts) + "\n"


def _answer(text: str, record: Mapping[str, Any], t: Translator) -> list[str]:
    parts = [f"> {flatten(record['doubt'])}"] if record.get("doubt") else []
    parts.append(text)
    citations = record.get("citations", ())
    if citations:
        parts.append(f"**{t('Sources')}**")
        parts.append("\n".join(_source(c) for c in citations))
    return parts


def _source(citation: Mapping[str, Any]) -> str:
    title = escape_link(flatten(citation["title"]) or citation["url"])
    passage = "\n".join(f"   > {line}" for line in escape_lines(citation["passage"]).splitlines())
    return f"{citation['n']}. [{title}]({escape_url(citation['url'])})\n\n{passage}\n"
