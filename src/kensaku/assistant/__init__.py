"""The assistant: one question, a cited answer, as a stream of events that knows no channel.

    question → plan → act (collections, pages, web; side by side) → weigh → answer | ask | search on

`answers.ask` has the loop. `Assistant` keeps conversations in the database; a channel gives it what
a person said, and renders the events of the `Exchange` that it gets back.
"""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.answers.ask import ask as ask
    from kensaku.answers.ask import ask_events as ask_events
    from kensaku.answers.cited import CitedAnswer as CitedAnswer
    from kensaku.answers.cited import Thresholds as Thresholds
    from kensaku.answers.events import Answered as Answered
    from kensaku.answers.events import ApprovalNeeded as ApprovalNeeded
    from kensaku.answers.events import Event as Event
    from kensaku.answers.events import Failed as Failed
    from kensaku.answers.events import Planned as Planned
    from kensaku.answers.events import QuestionAsked as QuestionAsked
    from kensaku.answers.events import TextDelta as TextDelta
    from kensaku.answers.events import ToolEnded as ToolEnded
    from kensaku.answers.events import ToolStarted as ToolStarted
    from kensaku.answers.journal import Journal as Journal
    from kensaku.answers.person import AskPerson as AskPerson
    from kensaku.answers.person import Question as Question
    from kensaku.answers.person import Reply as Reply
    from kensaku.assistant.assistant import Assistant as Assistant
    from kensaku.assistant.assistant import TooMany as TooMany
    from kensaku.assistant.exchange import Exchange as Exchange

__getattr__, __dir__, __all__ = attach(
    __name__,
    of="kensaku",
    answers__ask=("ask", "ask_events"),
    answers__cited=("CitedAnswer", "Thresholds"),
    answers__events=(
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
    answers__journal=("Journal",),
    answers__person=("AskPerson", "Question", "Reply"),
    assistant__assistant=("Assistant", "TooMany"),
    assistant__exchange=("Exchange",),
)
