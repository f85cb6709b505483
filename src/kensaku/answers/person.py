"""Who must agree before a tool runs, and how a person is asked.

    Approvals.tier("web_search") → "auto" | "ask" | "never"
    AskPerson: Question → Reply, or None: nobody answered, and what was asked for is not done

A tool that nobody has classified is asked about.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast, get_args

from kensaku.errors import InvalidQuery
from kensaku.locale import languages, translator
from kensaku.messages import msg
from kensaku.models import Permission

MAX_REPLY = 10_000
MAY_RUN = msg("May {tool} run?")
CANCELLED = msg("The run was cancelled.")
Kind = Literal["approve", "confirm", "help"]
Intervention = Literal["proceed", "modify", "cancel", "retry", "skip"]
Urgency = Literal["blocking", "optional"]

# They read, and they see no data of the person but the question.
DEFAULTS: Mapping[str, Permission] = {
    "rag_search": "auto",
    "web_search": "auto",
    "search_web": "auto",
    "web_extract": "auto",
}


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the person is asked."""

    kind: Kind
    text: str
    reason: str = ""
    urgency: Urgency = "blocking"
    choices: tuple[Intervention, ...] = ("proceed", "cancel")
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    options: tuple[str, ...] = ()  # texts to choose from; others may be written instead

    @property
    def id(self) -> str:
        """The same for the same question of a run, also after a restart."""
        about = json.dumps([self.kind, self.tool, sorted(self.arguments.items())], default=str)
        return hashlib.sha256(about.encode()).hexdigest()[:16]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Question:
        """Return the question that `to_dict` wrote."""
        known = {name: value for name, value in values.items() if name != "id"}
        texts = {name: tuple(known[name]) for name in ("choices", "options")}
        return cls(**known | texts)

    def to_dict(self) -> dict[str, Any]:
        """The question, ready for JSON."""
        return {"id": self.id, **asdict(self), "choices": list(self.choices),
                "options": list(self.options)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person said. `text` is the new query of `modify` and `retry`."""

    action: Intervention
    text: str = ""

    def __post_init__(self) -> None:
        if self.action not in get_args(Intervention):
            raise InvalidQuery(
                msg("a reply is one of {get_args}", get_args=", ".join(get_args(Intervention)))
            )
        if len(self.text) > MAX_REPLY:
            raise InvalidQuery(
                msg(
                    "the reply has {count:,} characters; at most {max_reply:,} are taken",
                    count=len(self.text),
                    max_reply=MAX_REPLY,
                )
            )


AskPerson = Callable[[Question], Awaitable[Reply | None]]


class Cancelled(Exception):
    """The person ended the run."""


class Approvals:
    """The tier of each tool: the defaults, and a person's own choices over them."""

    def __init__(self, overrides: Mapping[str, str] | None = None) -> None:
        for tool, tier in (overrides or {}).items():
            if tier not in get_args(Permission):
                raise InvalidQuery(
                    msg(
                        "the approval of {tool!r} is {tier!r}; it must be one of {get_args}",
                        tool=tool[:60],
                        tier=tier[:60],
                        get_args=", ".join(get_args(Permission)),
                    )
                )
        self._tiers = {**DEFAULTS, **cast("Mapping[str, Permission]", overrides or {})}

    @classmethod
    def from_words(cls, words: Iterable[str], chosen: Mapping[str, str] | None = None) -> Approvals:
        """Read `web_search=ask`; `chosen` counts over it. Raises `InvalidQuery`."""
        pairs = (word.partition("=") for word in words)
        return cls({tool.strip(): tier.strip() for tool, _, tier in pairs} | dict(chosen or {}))

    def tier(self, tool: str) -> Permission:
        """Return whether a tool may run: at once, after asking, or not at all."""
        return self._tiers.get(tool, "ask")


async def ask_in_time(ask: AskPerson | None, question: Question, seconds: float) -> Reply | None:
    """Ask the person and wait so long. None: there is nobody, or no answer came."""
    if ask is None:
        return None
    try:
        async with asyncio.timeout(max(0.001, seconds)):
            return await ask(question)
    except TimeoutError:
        return None


def asks_for_consent(text: str) -> bool:
    """Whether a text begins as the question whether a tool may run, in any language."""
    questions = (translator(code)(MAY_RUN, tool="\0") for code in languages())
    return any(re.match(re.escape(q).replace("\0", r"\w+"), text) for q in questions)
