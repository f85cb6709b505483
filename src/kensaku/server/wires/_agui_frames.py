"""AG-UI: the input of a run read, the events of a run written in the protocol. Pure.

Planned → CUSTOM · ToolStarted → TOOL_CALL_START, _ARGS, _END · ToolEnded → TOOL_CALL_RESULT
TextDelta → TEXT_MESSAGE_* · Answered → RUN_FINISHED · Failed → RUN_FINISHED | RUN_ERROR
ApprovalNeeded, QuestionAsked → RUN_FINISHED with an interrupt, which the next run answers
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    CustomEvent,
    Interrupt,
    ResumeEntry,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    UserMessage,
)
from pydantic import ValidationError

from kensaku.answers.events import (
    Answered,
    ApprovalNeeded,
    Failed,
    Planned,
    QuestionAsked,
    TextDelta,
    ToolEnded,
    ToolStarted,
)
from kensaku.answers.person import CANCELLED, Question, Reply
from kensaku.assistant.replies import read_reply
from kensaku.errors import InvalidQuery
from kensaku.locale import translator
from kensaku.models import Outcome
from kensaku.server.http import data_frame
from kensaku.server.wires._assistant import MAX_EARLIER, question_text, reply_text
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.cited import CitedAnswer
    from kensaku.answers.events import Event
    from kensaku.answers.person import Intervention

MAX_ID = 200
MAX_MESSAGES = 1_000


def read_input(raw: bytes) -> RunAgentInput:
    """Read a request. Raises `InvalidQuery`."""
    try:
        asked = RunAgentInput.model_validate_json(raw)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)[0]
        at = ".".join(map(str, wrong["loc"][:3])) or "the body"
        raise InvalidQuery(f"{at}: {wrong['msg'].lower()}") from None
    for name, value in (("threadId", asked.thread_id), ("runId", asked.run_id)):
        if not 0 < len(value) <= MAX_ID:
            raise InvalidQuery(f"{name} must have 1 to {MAX_ID} characters")
    if len(asked.messages) > MAX_MESSAGES:
        raise InvalidQuery(f"messages has over {MAX_MESSAGES:,} entries")
    return asked


def question_of(asked: RunAgentInput) -> str:
    """Return the last message of the person. Raises `InvalidQuery`."""
    said = next((m for m in reversed(asked.messages) if m.role == "user"), None)
    if said is None:
        raise InvalidQuery("messages must have one of the role 'user'")
    if (text := _text(said)) is None:
        raise InvalidQuery("the content of a message must be text, or parts of the type 'text'")
    return text


def earlier_of(asked: RunAgentInput) -> list[str]:
    """Return what the person asked before: a client may hold more of a thread than we do."""
    texts = [_text(m) for m in asked.messages if m.role == "user"]
    return [text for text in texts[:-1] if text][-MAX_EARLIER:]


def _text(said: UserMessage) -> str | None:
    """Return the text of a message; None if it has more than text."""
    if isinstance(said.content, str):
        return said.content
    parts = [part.text if part.type == "text" else None for part in said.content]
    return None if None in parts else "\n".join(cast("list[str]", parts))


def read_resume(entry: ResumeEntry, question: Question) -> Reply:
    """Read the answer to an interrupt: an action, words, or a yes or no. Raises `InvalidQuery`."""
    payload = entry.payload
    if isinstance(payload, dict) and "approved" in payload:
        payload = payload["approved"]
    if entry.status == "cancelled" or payload is False:
        return read_reply(question, "cancel")
    if payload is True:
        return read_reply(question, "yes")
    if isinstance(payload, str):
        return read_reply(question, payload)
    said = payload if isinstance(payload, dict) else {}
    if (action := said.get("action")) not in question.choices:
        raise InvalidQuery(f"the action of a payload must be one of {', '.join(question.choices)}")
    return Reply(cast("Intervention", action), str(said.get("text") or ""))


def encode_event(event: BaseEvent) -> bytes:
    """Return an event as a frame of the stream; half characters are replaced."""
    return data_frame(event.model_dump(by_alias=True, mode="json", exclude_none=True))


class Frames:
    """Writes the events of one exchange, which may take several runs of the protocol."""

    def __init__(self, exchange: str) -> None:
        self._exchange = exchange
        self._thread = self._run = ""
        self._called: set[str] = set()
        self._texts = 0
        self._writing = ""  # the id of the message that is being written

    def begin(self, asked: RunAgentInput) -> BaseEvent:
        """Begin a run of the protocol."""
        self._thread, self._run = asked.thread_id, asked.run_id
        return RunStartedEvent(
            thread_id=self._thread, run_id=self._run, protocol_version=PROTOCOL_VERSION
        )

    def skip(self, event: Event) -> None:
        """Take note of an event that was written before."""
        if isinstance(event, ToolStarted):
            self._called.add(event.id)

    def of(self, event: Event) -> Iterator[BaseEvent]:
        """Yield an event in the protocol. After the last one of a run nothing may follow."""
        match event:
            case Planned(questions, by):
                value = {"questions": list(questions), "by": by}
                yield CustomEvent(name="kensaku.planned", value=value)
            case ToolStarted(id, tool, arguments):
                yield from self._call(id, tool, dict(arguments))
            case ToolEnded():
                yield from self._result(event)
            case TextDelta(text):
                yield from self._text(text)
            case ApprovalNeeded(question) | QuestionAsked(question):
                outcome = RunFinishedInterruptOutcome(interrupts=[interrupt_of(question)])
                yield self._finished(outcome)
            case Answered(answer):
                for text in reply_text(answer):
                    yield from self._text(text)
                yield from self._end_text()
                yield self._finished(RunFinishedSuccessOutcome(), answer)
            case Failed(message, answer):
                yield from self._failed(message, answer)

    def failed(self, message: str, code: str) -> BaseEvent:
        """End a run with an error."""
        return RunErrorEvent(message=message, code=code)

    def cancelled(self) -> BaseEvent:
        """End a run that was stopped."""
        return self._finished(RunFinishedCancelledOutcome())

    def _call(self, id: str, tool: str, arguments: dict[str, Any]) -> Iterator[BaseEvent]:
        self._called.add(id)
        call = f"{self._exchange}-{id}"
        yield ToolCallStartEvent(tool_call_id=call, tool_call_name=tool)
        yield ToolCallArgsEvent(tool_call_id=call, delta=_json(arguments))
        yield ToolCallEndEvent(tool_call_id=call)

    def _result(self, event: ToolEnded) -> Iterator[BaseEvent]:
        if event.id not in self._called:  # it was refused before it began
            yield from self._call(event.id, event.tool, dict(event.arguments))
        call = f"{self._exchange}-{event.id}"
        known = event.to_dict()
        names = ("outcome", "hits", "providers", "elapsed_ms", "repeated", "notes")
        yield ToolCallResultEvent(
            message_id=f"{call}-result",
            tool_call_id=call,
            content=_json({name: known[name] for name in names}),
            role="tool",
        )

    def _text(self, text: str) -> Iterator[BaseEvent]:
        if not self._writing:
            self._texts += 1
            self._writing = f"{self._exchange}-text-{self._texts}"
            yield TextMessageStartEvent(message_id=self._writing, role="assistant")
        yield TextMessageContentEvent(message_id=self._writing, delta=text)

    def _end_text(self) -> Iterator[BaseEvent]:
        if self._writing:
            yield TextMessageEndEvent(message_id=self._writing)
        self._writing = ""

    def _failed(self, message: str, answer: CitedAnswer) -> Iterator[BaseEvent]:
        if message == translator(guess_language(answer.question))(CANCELLED):
            yield self.cancelled()
        elif answer.outcome is Outcome.UNAVAILABLE and answer.steps:
            yield self.failed(message, str(answer.outcome))
        else:
            yield from self._text(message)
            yield from self._end_text()
            yield self._finished(RunFinishedSuccessOutcome(), answer)

    def _finished(self, outcome: Any, answer: CitedAnswer | None = None) -> BaseEvent:
        result = answer.to_dict() if answer else None
        return RunFinishedEvent(
            thread_id=self._thread, run_id=self._run, outcome=outcome, result=result
        )


def interrupt_of(question: Question) -> Interrupt:
    """Return a question to the person as an interrupt."""
    text = question_text(question)
    message = f"{text}\n\n{question.reason}" if question.kind == "confirm" else text
    action = {"type": "string", "enum": list(question.choices)}
    return Interrupt(
        id=question.id,
        reason=f"kensaku.{question.kind}",
        message=message,
        response_schema={
            "type": "object",
            "properties": {"action": action, "text": {"type": "string"}},
            "required": ["action"],
        },
        metadata={"question": question.to_dict()},
    )


def update_of(person: str, asked: RunAgentInput) -> str:
    """Return what makes a request the same as an earlier one."""
    about = json.dumps([person, asked.thread_id, asked.run_id])
    return hashlib.sha256(about.encode()).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
