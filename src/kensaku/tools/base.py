"""A tool: a name, a description, parameters and a coroutine, known to no framework.

    raw arguments → check → execute → ToolResult(success, output, text, confidence, error)

Adapters call `invoke`: it checks what the model sent and never raises into a run.
"""

from __future__ import annotations

import json
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kensaku.errors import InvalidQuery, KensakuError, UsageError
from kensaku.tools.fence import fence_text

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Progress
    from kensaku.sync import Portal

log = logging.getLogger("kensaku.tools")

Kind = Literal["string", "integer", "number", "boolean", "array"]
ErrorKind = Literal["arguments", "tool", "internal"]
Language = Literal["en", "ja"]  # of what the model reads about a tool


_progress: ContextVar[Progress | None] = ContextVar("kensaku_tool_progress", default=None)


@contextmanager
def progress_to(callback: Progress) -> Iterator[None]:
    """Send the progress of the calls inside to `callback`. Concurrent calls have their own."""
    token = _progress.set(callback)
    try:
        yield
    finally:
        _progress.reset(token)


def current_progress() -> Progress | None:
    """Return where the current call reports its progress; None when nobody listens."""
    return _progress.get()


class Approval(StrEnum):
    """Who must agree before a tool runs."""

    AUTO_APPROVE = "auto"  # it only reads
    REQUIRES_APPROVAL = "requires_approval"
    USER_CONFIGURABLE = "user_configurable"


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a tool: its description for the model, and the bounds that we check."""

    name: str
    kind: Kind
    about: Mapping[str, str]  # language → description
    required: bool = False
    default: Any = None
    minimum: int | None = None  # of a number, of a text's length, of a list's length
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def schema(self, language: str) -> dict[str, Any]:
        """Return its part of the JSON schema: flat and without references."""
        low, high = _BOUNDS[self.kind]
        out: dict[str, Any] = {"type": self.kind, "description": _in(self.about, language)}
        if self.kind == "array":
            out["items"] = {"type": "string"}
        if self.choices:
            out["enum"] = list(self.choices)
        if self.minimum is not None:
            out[low] = self.minimum
        if self.maximum is not None:
            out[high] = self.maximum
        if self.default is not None:
            out["default"] = self.default
        return out

    def check(self, value: Any) -> Any:
        """Return the value, coerced. Raises `InvalidQuery`, which names the value and the bound."""
        value = _coerce(self.kind, value)
        if not _IS[self.kind](value):
            raise InvalidQuery(f"{self.name} must be {_ARTICLE[self.kind]}, not {_short(value)}")
        if self.choices and value not in self.choices:
            raise InvalidQuery(
                f"{self.name} is {_short(value)}; it must be one of {', '.join(self.choices)}"
            )
        size = value if self.kind in ("integer", "number") else _size(value)
        if size is not None and not self._within(size):
            what = f"{self.name} is {value}" if size is value else f"{self.name} has {size}"
            raise InvalidQuery(f"{what}; {self._bounds()}")
        return value

    def _within(self, size: float) -> bool:
        low = self.minimum is None or size >= self.minimum
        return low and (self.maximum is None or size <= self.maximum)

    def _bounds(self) -> str:
        unit = {"string": " characters", "array": " entries"}.get(self.kind, "")
        if self.minimum is None or self.maximum is None:
            bound = (
                f"at least {self.minimum}" if self.maximum is None else f"at most {self.maximum}"
            )
            return f"it must be {bound}{unit}"
        return f"it must be {self.minimum} to {self.maximum}{unit}"


_BOUNDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "boolean": ("minimum", "maximum"),
}
_ARTICLE = {
    "string": "a text",
    "array": "a list of texts",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_IS = {
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list) and all(isinstance(i, str) for i in v),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
}


def _coerce(kind: Kind, value: Any) -> Any:
    """Accept what models really send: "5" for 5, one text for a list of one, 5.0 for 5."""
    if kind == "integer" and isinstance(value, str) and value.strip().lstrip("-").isdigit():
        return int(value) if len(value) < 20 else value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "array" and isinstance(value, str):
        return [value]
    if kind == "array" and isinstance(value, tuple):
        return list(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def _size(value: Any) -> int | None:
    if isinstance(value, str):
        return len(value.strip())
    return len(value) if isinstance(value, list) else None


@dataclass(frozen=True)
class ToolResult:
    """The result of a call: the same facts as data for programs and as text for the model."""

    success: bool
    output: Any = None  # plain data, ready for JSON
    text: str = ""  # what the model reads
    confidence_factors: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    error_kind: ErrorKind | None = None
    execution_time_ms: float = 0.0
    awaiting_response: bool = False  # a person has to answer before the run goes on

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON."""
        return {
            "success": self.success,
            "output": self.output,
            "confidence_factors": dict(self.confidence_factors),
            "error": self.error,
            "execution_time_ms": round(self.execution_time_ms, 1),
            "awaiting_response": self.awaiting_response,
        }


class BaseTool(ABC):
    """One action of an agent. Subclasses describe it and implement `execute`."""

    name: ClassVar[str]
    title: ClassVar[Mapping[str, str]] = {}
    about: ClassVar[Mapping[str, str]]  # language → description for the model
    params: ClassVar[tuple[Param, ...]] = ()
    prompt: ClassVar[Mapping[str, str]] = {}  # language → a section for the agent's instructions
    approval: ClassVar[Approval] = Approval.AUTO_APPROVE
    read_only: ClassVar[bool] = True
    open_world: ClassVar[bool] = True  # it reaches beyond this machine
    text_only: ClassVar[bool] = False  # its text is a specification's own: nothing is added to it

    def __init__(
        self, client: Kensaku | None = None, *, language: Language = "en", fence: bool = True
    ) -> None:
        self._client = client
        self.language: str = language
        self.fence = fence

    @property
    def client(self) -> Kensaku:
        """The client of this tool, or the one that all tools of this process share."""
        from kensaku.tools import shared_client

        return self._client or shared_client()

    @property
    def progress(self) -> Progress | None:
        """Where the current call reports its progress; None when nobody listens."""
        return current_progress()

    @property
    def description(self) -> str:
        """What the tool is for, as the model reads it."""
        return _in(self.about, self.language)

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {p.name: p.schema(self.language) for p in self.params},
            "required": [p.name for p in self.params if p.required],
            "additionalProperties": False,
        }

    def prompt_section(self, channel: str = "") -> str:
        """Return the section about this tool for the agent's instructions, whatever the channel."""
        return _in(self.prompt, self.language) if self.prompt else ""

    @abstractmethod
    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Run the tool. May raise a `KensakuError`; adapters call `invoke`, which does not."""

    async def invoke(self, raw: Mapping[str, Any] | str | None) -> ToolResult:
        """Check what the model sent and run the tool. Raises nothing but a cancellation."""
        began = time.perf_counter()
        try:
            result = await self.execute(**self.check(raw))
        except UsageError as error:
            result = _failure(str(error), "arguments")
        except KensakuError as error:
            result = _failure(str(error), "tool")
        except Exception as bug:
            log.exception("%s failed unexpectedly", self.name)  # the model learns only the type
            result = _failure(f"{self.name} failed ({type(bug).__name__})", "internal")
        elapsed = (time.perf_counter() - began) * 1000
        return ToolResult(**{**vars(result), "execution_time_ms": elapsed})

    def invoke_sync(self, raw: Mapping[str, Any] | str | None) -> ToolResult:
        """Do the same for code that does not await; works inside a running loop, too."""
        return shared_portal().run(self.invoke(raw))

    def check(self, raw: Mapping[str, Any] | str | None) -> dict[str, Any]:
        """Return the arguments with defaults filled in. Raises `InvalidQuery`."""
        sent = _object(raw)
        names = {p.name for p in self.params}
        if unknown := [n for n in sent if n not in names]:
            raise InvalidQuery(
                f"{self.name} has no argument {unknown[0][:40]!r}",
                remedy=f"use {', '.join(sorted(names))}",
            )
        arguments = {}
        for p in self.params:
            value = sent.get(p.name)
            if value is None and p.required:
                raise InvalidQuery(f"{self.name} needs {p.name}")
            arguments[p.name] = p.default if value is None else p.check(value)
        return arguments

    def fence_web_text(self, text: str) -> str:
        """Fence text from the web, unless it is empty or the tool was made with `fence=False`."""
        return fence_text(text, self.language) if self.fence and text else text


def _failure(message: str, kind: ErrorKind) -> ToolResult:
    return ToolResult(False, text=f"Error: {message}", error=message, error_kind=kind)


@cache
def shared_portal() -> Portal:
    """Return the one thread with one loop that serves all synchronous callers."""
    from kensaku.sync import Portal

    return Portal()


def _object(raw: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw or "{}")
        except ValueError:
            raise InvalidQuery("the arguments are not JSON", remedy="send one object") from None
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise InvalidQuery(f"the arguments must be an object, not {type(raw).__name__}")
    return raw


def _in(texts: Mapping[str, str], language: str) -> str:
    return texts.get(language) or texts["en"]


def _short(value: object) -> str:
    return repr(value)[:60]
