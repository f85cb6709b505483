"""Research: many searches, one cited report.

    input → plan → search (side by side) → read → weigh → … → write → Report

Every step takes a `State` and returns JSON (`steps.perform`); `state.pending` says which steps come
next. A run that was killed goes on from its state: finished steps are not done again.
"""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.research.attachments import Attachment as Attachment
    from kensaku.research.bundle import read_bundle as read_bundle
    from kensaku.research.bundle import write_bundle as write_bundle
    from kensaku.research.diff import Diff as Diff
    from kensaku.research.diff import compare_runs as compare_runs
    from kensaku.research.events import Completed as Completed
    from kensaku.research.events import Event as Event
    from kensaku.research.events import Failed as Failed
    from kensaku.research.events import PagesRead as PagesRead
    from kensaku.research.events import Planned as Planned
    from kensaku.research.events import Reading as Reading
    from kensaku.research.events import SearchEnded as SearchEnded
    from kensaku.research.events import SearchStarted as SearchStarted
    from kensaku.research.events import SourcesFound as SourcesFound
    from kensaku.research.events import SubtopicEnded as SubtopicEnded
    from kensaku.research.events import SubtopicStarted as SubtopicStarted
    from kensaku.research.events import TextDelta as TextDelta
    from kensaku.research.events import Weighed as Weighed
    from kensaku.research.events import Writing as Writing
    from kensaku.research.evidence import Reference as Reference
    from kensaku.research.html import to_html as to_html
    from kensaku.research.replay import replay_run as replay_run
    from kensaku.research.report import Report as Report
    from kensaku.research.report import report_of as report_of
    from kensaku.research.request import ResearchRequest as ResearchRequest
    from kensaku.research.run import events_of as events_of
    from kensaku.research.run import run_events as run_events
    from kensaku.research.run import run_research as run_research
    from kensaku.research.state import State as State
    from kensaku.research.state import pending as pending
    from kensaku.research.state import start as start
    from kensaku.research.steps import perform as perform

__getattr__, __dir__, __all__ = attach(
    __name__,
    attachments=("Attachment",),
    bundle=("read_bundle", "write_bundle"),
    diff=("Diff", "compare_runs"),
    events=(
        "Completed",
        "Event",
        "Failed",
        "PagesRead",
        "Planned",
        "Reading",
        "SearchEnded",
        "SearchStarted",
        "SourcesFound",
        "SubtopicEnded",
        "SubtopicStarted",
        "TextDelta",
        "Weighed",
        "Writing",
    ),
    evidence=("Reference",),
    html=("to_html",),
    replay=("replay_run",),
    report=("Report", "report_of"),
    request=("ResearchRequest",),
    run=("events_of", "run_events", "run_research"),
    state=("State", "pending", "start"),
    steps=("perform",),
)
