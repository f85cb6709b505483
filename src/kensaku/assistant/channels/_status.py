"""What a message shows while a run goes on: its last calls, and what it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kensaku.answers.events import ApprovalNeeded, Event, QuestionAsked, ToolEnded, ToolStarted
from kensaku.assistant.channels._message import Button, Content
from kensaku.assistant.channels._text import tool_line
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.person import Question
    from kensaku.assistant.exchange import Exchange
    from kensaku.locale import Translator

STATUS_LINES = 6
MAX_REASON = 1_500  # characters of what a question is about
OTHER_WORDS = msg("Or reply with other words, or the address of a page.")
LABELS = {
    "proceed": msg("Yes"),
    "modify": msg("Change"),
    "skip": msg("Skip"),
    "retry": msg("Try again"),
    "cancel": msg("Cancel"),
}


class Status:
    """The status of one run."""

    def __init__(self, exchange: Exchange, t: Translator) -> None:
        self._exchange, self.t = exchange, t
        self._lines: dict[str, str] = {}
        self._asked: dict[str, Question] = {}

    def add(self, event: Event) -> bool:
        """Whether the event changes what is shown."""
        if isinstance(event, ToolStarted | ToolEnded):
            self._lines[event.id] = tool_line(event)
        elif isinstance(event, ApprovalNeeded | QuestionAsked):
            self._asked[event.question.id] = event.question
        else:
            return False
        return True

    def content(self) -> Content:
        """Return the status, or the oldest question that is open."""
        asked = next((q for q in self._asked.values() if self._exchange.waits_for(q.id)), None)
        lines = [f"• {line}" for line in list(self._lines.values())[-STATUS_LINES:]]
        run = self._exchange.id
        if asked is None:
            stop = Button(self.t("Stop"), f"cancel:{run}:")
            return Content("\n".join([self.t("Searching …"), *lines]), {}, (stop,))
        about = asked.reason or " ".join(str(v) for v in asked.arguments.values())
        hint = self.t(OTHER_WORDS) if "modify" in asked.choices else ""
        buttons = tuple(
            Button(self.t(LABELS[choice]), f"{choice}:{run}:{asked.id}")
            for choice in asked.choices
            if choice != "modify"  # needs words
        )
        options = [f"{n}. {text}" for n, text in enumerate(asked.options, 1)]
        # The question first: what does not fit is cut off at the end.
        parts = [f"**{asked.text}**", *options, hint, about[:MAX_REASON], *lines]
        return Content("\n".join(filter(None, parts)), {}, buttons)
