"""The assistant: one question, a cited answer, as a stream of events that knows no channel.

    question → plan → act (collections, pages, web; side by side) → weigh → answer | ask | search on

`run.py` has the loop. `Assistant` keeps conversations in the database; a channel gives it what a
person said, and renders the events of the `Exchange` that it gets back.
"""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.assistant.actions import Thresholds as Thresholds
    from kensaku.assistant.answer import CitedAnswer as CitedAnswer
    from kensaku.assistant.approval import AskPerson as AskPerson
    from kensaku.assistant.approval import Question as Question
    from kensaku.assistant.approval import Reply as Reply
    from kensaku.assistant.assistant import Assistant as Assistant
    from kensaku.assistant.assistant import TooMany as TooMany
    from kensaku.assistant.events import Answered as Answered
    from kensaku.assistant.events import ApprovalNeeded as ApprovalNeeded
    from kensaku.assistant.events import Event as Event
    from kensaku.assistant.events import Failed as Failed
    from kensaku.assistant.events import Planned as Planned
    from kensaku.assistant.events import QuestionAsked as QuestionAsked
    from kensaku.assistant.events import TextDelta as TextDelta
    from kensaku.assistant.events import ToolEnded as ToolEnded
    from kensaku.assistant.events import ToolStarted as ToolStarted
    from kensaku.assistant.exchange import Exchange as Exchange
    from kensaku.assistant.journal import Journal as Journal
    from kensaku.assistant.run import ask as ask
    from kensaku.assistant.run import ask_events as ask_events

__getattr__, __dir__, __all__ = attach(
    __name__,
    actions=("Thresholds",),
    answer=("CitedAnswer",),
    assistant=("Assistant", "TooMany"),
    approval=("AskPerson", "Question", "Reply"),
    events=(
        "Answered",
        "ApprovalNeeded",
        "Event",
        "Failed",
        "Planned",
        "QuestionAsked",
        "TextDelta",
        "ToolEnded",
        "ToolStarted",
    ),
    exchange=("Exchange",),
    journal=("Journal",),
    run=("ask", "ask_events"),
)
