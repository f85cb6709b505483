"""A tool: a name, a description, parameters and a coroutine, known to no framework.

    raw arguments → check → execute → ToolResult(success, output, text, confidence, error)

Adapters call `invoke`: it checks what the model sent and never raises into a run.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kensaku._logger import get_logger
from kensaku.errors import InvalidQuery, KensakuError, UsageError
from kensaku.foreign_json import decode_json
from kensaku.messages import msg
from kensaku.observe import NO_OBSERVERS, observe
from kensaku.operations import ToolOperation
from kensaku.text.fence import fence_text
from kensaku.text.images import escape_images
from kensaku.tools import shared_client
from kensaku.tools._failures import describe, quote
from kensaku.tools.param import Param as Param
from kensaku.tools.param import in_language

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Progress
    from kensaku.sync import Portal

log = get_logger("kensaku.tools")

ErrorKind = Literal["arguments", "empty", "tool", "internal"]  # empty: it ran and found nothing
Language = str  # of what the model reads about a tool: a code of `kensaku.locale.languages()`


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
    """Return the progress callback of the current call, or None."""
    return _progress.get()


class Approval(StrEnum):
    """Whether a tool needs approval before it runs."""

    AUTO_APPROVE = "auto"  # it only reads
    REQUIRES_APPROVAL = "requires_approval"
    USER_CONFIGURABLE = "user_configurable"


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

    @property
    def is_error(self) -> bool:
        """Whether the tool failed. An empty result is not an error."""
        return not self.success and self.error_kind != "empty"

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
    # Texts in English, which the catalogues may translate, or a table: language → text.
    title: ClassVar[str | Mapping[str, str]] = ""
    about: ClassVar[str | Mapping[str, str]]  # the description for the model
    params: ClassVar[tuple[Param, ...]] = ()
    prompt: ClassVar[str | Mapping[str, str]] = ""  # a section for the agent's instructions
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
        return self._client or shared_client()

    @property
    def progress(self) -> Progress | None:
        """The progress callback of the current call, or None."""
        return current_progress()

    @property
    def description(self) -> str:
        """The description for the model."""
        return in_language(self.about, self.language)

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
        return in_language(self.prompt, self.language)

    async def close(self) -> None:  # noqa: B027 - most tools have nothing to close
        """Close what the tool itself opened; its client belongs to whoever made that."""

    @abstractmethod
    async def execute(self, *args: Any, **arguments: Any) -> ToolResult:
        """Run the tool. May raise a `KensakuError`; adapters call `invoke`, which does not."""

    async def invoke(self, raw: Mapping[str, Any] | str | None) -> ToolResult:
        """Check what the model sent and run the tool. Raises nothing but a cancellation."""
        observers = NO_OBSERVERS if self._client is None else self._client.observers
        with observe(observers, ToolOperation, self.name) as operation:
            result = await self._run(raw)
            operation.record(result)
        return result

    async def _run(self, raw: Mapping[str, Any] | str | None) -> ToolResult:
        began = time.perf_counter()
        try:
            result = await self.execute(**self.check(raw))
        except KensakuError as error:
            result = self._error_result(error)
        except Exception as bug:
            log.exception("%s failed unexpectedly", self.name)  # the model learns only the type
            said = f"{self.name} failed ({type(bug).__name__})"
            result = ToolResult(False, text=f"Error: {said}", error=said, error_kind="internal")
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
                msg("{name} has no argument {unknown!r}", name=self.name, unknown=unknown[0][:40]),
                remedy=msg("use {names}", names=", ".join(sorted(names))),
            )
        arguments = {}
        for p in self.params:
            value = sent.get(p.name)
            if value is None and p.required:
                raise InvalidQuery(msg("{name} needs {p}", name=self.name, p=p.name))
            arguments[p.name] = p.default if value is None else p.check(value)
        return arguments

    def fence_web_text(self, text: str, origin: str = "web") -> str:
        """Fence what others wrote, unless it is empty or the tool was made with `fence=False`.

        Images are escaped in any case.
        """
        if not self.fence or not text:
            return escape_images(text)
        return fence_text(text, self.language, origin=origin)

    def _error_result(self, error: KensakuError) -> ToolResult:
        kind: ErrorKind = "arguments" if isinstance(error, UsageError) else "tool"
        said = self.fence_web_text(quote(error), "failures")
        text = "\n".join(filter(None, [f"Error: {describe(error, self.language)}", said]))
        return ToolResult(False, text=text, error=str(error), error_kind=kind)


@cache
def shared_portal() -> Portal:
    """Return the one thread with one loop that serves all synchronous callers."""
    from kensaku.sync import Portal

    return Portal()


def _object(raw: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if isinstance(raw, str):
        try:
            raw = decode_json(raw or "{}")
        except ValueError:
            raise InvalidQuery(
                msg("the arguments are not JSON"), remedy=msg("send one object")
            ) from None
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise InvalidQuery(
            msg("the arguments must be an object, not {name}", name=type(raw).__name__)
        )
    return raw
