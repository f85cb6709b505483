"""OpenAI's Chat Completions: a conversation read, a run written as a message or as chunks. Pure.

    messages → Chat(question, earlier, replies)
    CitedAnswer → content, annotations; `citations` and `search_results`, as Perplexity has them

Nobody can be asked during a request. What a run must ask first is therefore the reply, and the
next request, which has the whole conversation, answers it: `Chat.reply_to`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kensaku.answers.interventions import ASK_USER
from kensaku.answers.person import asks_for_consent
from kensaku.answers.tokenizer import count
from kensaku.errors import InvalidQuery
from kensaku.server.http import data_frame
from kensaku.server.wires import _fields as fields
from kensaku.server.wires._assistant import MAX_EARLIER, question_text, sources_text
from kensaku.server.wires._tasks import task_reply

if TYPE_CHECKING:
    from kensaku.answers.cited import Cited, CitedAnswer
    from kensaku.answers.person import Question

MODEL = "kensaku"
ASKS = "❓ "  # begins a reply that is a question: the message after it is the answer
MAX_MESSAGES = 1_000
DONE = b"data: [DONE]\n\n"
_ROLES = ("user", "assistant", "system", "developer", "tool", "function")
_MARK = re.compile(r"\[(\d{1,3})\]")
PARAMETERS: dict[str, Any] = {
    "messages": {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_MESSAGES,
        "items": {
            "type": "object",
            "required": ["role"],
            "properties": {
                "role": {"type": "string", "enum": list(_ROLES)},
                "content": {
                    "anyOf": [
                        {"type": "string"},
                        {"type": "array", "items": {"type": "object"}},
                        {"type": "null"},
                    ]
                },
            },
        },
    },
    "model": {"type": "string", "maxLength": 200, "default": MODEL},
    "stream": {"type": "boolean"},
    "stream_options": {"type": "object", "properties": {"include_usage": {"type": "boolean"}}},
}


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation that ends with a question."""

    question: str
    earlier: tuple[str, ...] = ()
    replies: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # asked for, answered
    stream: bool = False
    include_usage: bool = False
    tokens: int = 0  # of all messages, estimated
    done: str | None = None  # the reply, where the message was no question: nothing is searched

    @property
    def searches(self) -> int | None:
        """What it counts as: a run makes as many searches as it needs."""
        return None if self.done is None else 0

    def reply_to(self, question: Question) -> str | None:
        """Return what the person said to a question of an earlier reply; None: nothing yet.

        The run is made again for each request. A model may then ask in other words, so that the
        first question of a plan gets the first answer; consent is to the very same call.
        """
        asked = _flat(asking_text(question))
        same = [said for text, said in self.replies if asked in _flat(text)]
        if same or question.kind == "approve":
            return same[-1] if same else None
        said = [s for text, s in self.replies if not asks_for_consent(text.removeprefix(ASKS))]
        number = int(question.arguments.get("number", 1))
        return said[number - 1] if len(said) >= number else None


def read_chat(body: Mapping[str, Any]) -> Chat:
    """Read a request. Raises `InvalidQuery`.

    There is one model, whatever name is asked for: applications send that of another one for
    titles. The reply says which model it was.
    """
    fields.text(body, "model", most=200)
    if fields.integer(body, "n", 1, 1, 128) != 1:
        raise InvalidQuery("n is over 1; one reply is made for a request")
    turns = _turns(body.get("messages"))
    asked = [i for i, (role, _) in enumerate(turns) if role == "user"]
    if not asked:
        raise InvalidQuery("messages must have one of the role 'user' with a text")
    last = asked[-1]
    while last >= 2 and turns[last - 1][0] == "assistant" and turns[last - 1][1].startswith(ASKS):
        last = max((i for i in asked if i < last - 1), default=0)
    later = zip(turns[last:], turns[last + 1 :], strict=False)
    options = body.get("stream_options")
    return Chat(
        question=turns[last][1],
        earlier=tuple(t for r, t in turns[:last] if r == "user")[-MAX_EARLIER:],
        replies=tuple((a, u) for (r, a), (s, u) in later if (r, s) == ("assistant", "user")),
        stream=fields.switch(body, "stream"),
        include_usage=isinstance(options, dict) and fields.switch(options, "include_usage"),
        tokens=sum(count(text) for _, text in turns),
        done=task_reply(turns[asked[-1]][1]),
    )


def asking_text(question: Question) -> str:
    """Return the reply that asks the person something."""
    return ASKS + question_text(question)


def is_asked(question: Question) -> bool:
    """Whether a run cannot go on without the person. A doubt is said in the answer instead."""
    return question.kind == "approve" or question.tool == ASK_USER


def sources_of(answer: CitedAnswer) -> dict[str, Any]:
    """Return the sources, and how far the answer can be trusted."""
    return {
        **listed(answer.citations),
        "kensaku": {
            "outcome": str(answer.outcome),
            "confidence": answer.confidence.to_dict(),
            "doubt": answer.doubt,
            "written_by": answer.written_by,
            "notes": list(answer.notes),
            "steps": [step.to_dict() for step in answer.steps],
        },
    }


def listed(citations: Sequence[Cited]) -> dict[str, Any]:
    """Return sources as Perplexity lists them."""
    return {
        "citations": [c.url for c in citations],
        "search_results": [
            {"title": c.title, "url": c.url, "date": c.published and c.published[:10],
             "snippet": c.passage, "source": c.origin}
            for c in citations
        ],
    }  # fmt: skip


def annotations_of(content: str, citations: Sequence[Cited]) -> list[dict[str, Any]]:
    """Return where the content cites which source, as OpenAI's own search does."""
    text = content.removesuffix(sources_text(citations))
    known = {c.n: c for c in citations}
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": mark.start(),
                "end_index": mark.end(),
                "url": known[int(mark[1])].url,
                "title": known[int(mark[1])].title,
            },
        }
        for mark in _MARK.finditer(text)
        if int(mark[1]) in known
    ]


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply, whole or in chunks."""

    id: str
    created: int
    chat: Chat

    def whole(self, content: str, answer: CitedAnswer | None) -> dict[str, Any]:
        """Return the reply in one piece."""
        citations = answer.citations if answer else ()
        message = {
            "role": "assistant",
            "content": content,
            "refusal": None,
            "annotations": annotations_of(content, citations),
        }
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        usage = {"usage": self.usage(content, answer)}
        return self._head("chat.completion") | {"choices": [choice]} | usage | _sources(answer)

    def chunk(self, cited: Sequence[Cited] = (), **delta: Any) -> bytes:
        """Return a part of the reply as a frame of the stream; with the sources cited so far."""
        choices = [{"index": 0, "delta": delta, "finish_reason": None}]
        return self._frame(choices, **(listed(cited) if cited else {}))

    def last(self, content: str, answer: CitedAnswer | None) -> Iterator[bytes]:
        """Yield the frames after the text: the sources, the usage if it was asked for, the end."""
        delta = {"annotations": annotations_of(content, answer.citations)} if answer else {}
        choice = {"index": 0, "delta": delta, "finish_reason": "stop"}
        yield self._frame([choice], **_sources(answer))
        if self.chat.include_usage:
            yield self._frame([], usage=self.usage(content, answer))
        yield DONE

    def usage(self, content: str, answer: CitedAnswer | None) -> dict[str, Any]:
        """Return the tokens of the conversation and of the reply, estimated, and the searches."""
        said = count(content)
        return {
            "prompt_tokens": self.chat.tokens,
            "completion_tokens": said,
            "total_tokens": self.chat.tokens + said,
            "num_search_queries": answer.usage.searches if answer else 0,
        }

    def _frame(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        chunk = self._head("chat.completion.chunk") | {"choices": choices} | more
        return data_frame(chunk)

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": MODEL}


def model_list(names: Sequence[str], created: int) -> dict[str, Any]:
    """Return the list of models, which clients of Anthropic read, too."""
    return {
        "object": "list",
        "data": [model_of(name, created) for name in names],
        "has_more": False,
    }


def model_of(name: str, created: int) -> dict[str, Any]:
    """Describe a model."""
    about = {"id": name[:200], "object": "model", "created": created, "owned_by": "kensaku"}
    when = datetime.fromtimestamp(created, UTC).isoformat(timespec="seconds")
    return about | {"type": "model", "display_name": name[:200], "created_at": when}


_CODES = {
    400: ("invalid_request_error", None),
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", None),
    413: ("invalid_request_error", "request_too_large"),
    421: ("permission_error", None),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    432: ("insufficient_quota", "insufficient_quota"),
}


def error_body(status: int, message: str, param: str | None = None) -> dict[str, Any]:
    """Return an error as OpenAI's clients read it. `status` is ours."""
    kind, code = _CODES.get(status, ("server_error", "unavailable" if status == 503 else None))
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _sources(answer: CitedAnswer | None) -> dict[str, Any]:
    return sources_of(answer) if answer else {}


def _turns(messages: Any) -> list[tuple[str, str]]:
    """Return who said what. Only people's and the assistant's words count."""
    if not isinstance(messages, list) or not 0 < len(messages) <= MAX_MESSAGES:
        raise InvalidQuery(f"messages must be a list of 1 to {MAX_MESSAGES:,} messages")
    turns = []
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if role not in _ROLES:
            raise InvalidQuery(f"the role of each message must be one of {', '.join(_ROLES)}")
        if role in ("user", "assistant"):
            turns.append((role, _text(role, message.get("content"))))
    return [(role, text) for role, text in turns if text.strip()]


def _text(role: str, content: Any) -> str:
    """Return the text of a content: as it is, or of its parts."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    texts = []
    for part in parts:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if isinstance(text, str):
            texts.append(text)
        elif role == "user":
            raise InvalidQuery("the content of a message must be text, or parts of the type 'text'")
    return "\n".join(texts)


def _flat(text: str) -> str:
    return " ".join(text.split())
