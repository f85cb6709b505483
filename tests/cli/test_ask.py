"""`kensaku ask`: a cited answer on stdout, all else on stderr, exit status by what came of it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from kensaku.assistant import events
from kensaku.assistant.approval import Question, Reply
from kensaku.assistant.channels.terminal.words import words_for
from kensaku.cli import ask
from kensaku.models import Outcome
from kensaku.testing import FakeUpstream, faults

from .conftest import Cli, Run
from .examples import HITS

QUESTION = "do sea otters hold hands while they sleep"
KEYS = [
    "question", "answer", "citations", "outcome", "confidence", "steps", "written_by", "usage",
    "elapsed_ms",
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_pages(env: dict[str, str]) -> None:
    """The hits are of hosts that do not exist: their snippets have to do."""
    env["KENSAKU_ASSISTANT_FETCHES"] = "0"


def test_an_answer_has_its_sources_and_where_they_are_from(up: FakeUpstream, cli: Cli) -> None:
    """On standard output; no tool lines in a pipe."""
    up.answers("tavily", HITS)
    done = cli("ask", QUESTION, "--route", "tavily")

    assert done.status == 0
    assert done.out.startswith("Sea otters hold hands while they sleep, so that the current")
    assert "[1] (web) Sleep\n    https://a.example/1" in done.out
    assert "web_search" not in done.err


def test_json_has_exactly_the_promised_keys(up: FakeUpstream, run: Run) -> None:
    """In a process of its own, as a pipe sees it."""
    up.answers("tavily", HITS)
    done = run("ask", QUESTION, "--route", "tavily", "--json")
    told = json.loads(done.stdout)

    assert (done.returncode, list(told)) == (0, KEYS)
    assert told["citations"][0]["passage"] in HITS[0].content
    assert told["steps"][0]["tool"] == "web_search"
    assert told["steps"][0]["arguments"] == {"query": QUESTION}
    assert told["written_by"] == "extract"


@pytest.mark.parametrize("how", ["unavailable", "empty"])
def test_no_answer_is_status_1_and_says_why(how: str, up: FakeUpstream, cli: Cli) -> None:
    """Nobody could search is not nothing found."""
    up.answers("tavily", [])
    if how == "unavailable":
        up.fails("tavily", faults.status(400))
    done = cli("ask", QUESTION, "--route", "tavily")
    told = cli("ask", QUESTION, "--route", "tavily", "--json")

    assert (done.status, done.out) == (1, "")
    assert ("Nobody could search" in done.err) is (how == "unavailable")
    assert ("Nothing was found" in done.err) is (how == "empty")
    assert (told.status, told.json["answer"], told.json["outcome"]) == (1, None, how)


def test_wrong_usage_is_status_2(cli: Cli) -> None:
    """An empty question, an unknown model, a time out of bounds."""
    for words in ([" "], [QUESTION, "--model", "small"], [QUESTION, "--timeout", "-1"]):
        assert cli("ask", *words).status == 2


def test_a_model_behind_a_url_writes(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that is down is said; the extract stands."""
    monkeypatch.setenv("KENSAKU_LLM_URL", f"{up.url}/llm")
    monkeypatch.setenv("KENSAKU_LLM_MODEL", "small")
    up.answers("tavily", HITS)
    said = 'Otters hold hands [1: "Sea otters hold hands while they sleep"].'
    up.fails("llm", faults.wrong_shape({"choices": [{"message": {"content": said}}]}), times=1)
    written = cli("ask", QUESTION, "--route", "tavily", "--json").json
    up.fails("llm", faults.status(500))
    down = cli("ask", QUESTION, "--route", "tavily", "--json", "--no-cache")

    assert (written["answer"], written["written_by"]) == ("Otters hold hands. [1]", "small")
    assert written["usage"]["model_calls"] == 1
    assert down.json["written_by"] == "extract"
    assert "the model did not answer" in down.err


def test_a_terminal_sees_tool_lines(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool, the query, who answered, hits and milliseconds."""
    up.answers("tavily", HITS)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    done = cli("ask", QUESTION, "--route", "tavily", "--yes")

    assert f'web_search: "{QUESTION}" · tavily · 2 hits · ' in done.err


def test_yes_agrees_to_tools_and_doubts(
    up: FakeUpstream, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, a tool that needs consent does not run in a pipe."""
    monkeypatch.setenv("KENSAKU_ASSISTANT_APPROVALS", "web_search=ask")
    up.answers("tavily", HITS)
    refused = cli("ask", QUESTION, "--route", "tavily", "--json")
    agreed = cli("ask", QUESTION, "--route", "tavily", "--json", "--yes")

    assert (refused.status, refused.json["steps"][0]["outcome"]) == (1, "refused")
    assert refused.json["outcome"] == "unavailable"
    assert agreed.status == 0


HELP = Question("help", "Which otters?", choices=("modify", "skip", "cancel"))
TOOL = Question("tool", "May I?", tool="web_search", arguments={"query": "otter"})


async def test_yes_agrees_and_leaves_out_what_needs_a_person() -> None:
    """Nobody is there who could help with other words."""
    assert await ask._agree(TOOL) == Reply("proceed")
    assert await ask._agree(HELP) == Reply("skip")


@pytest.mark.parametrize(
    ("yes", "stdin", "stderr", "person"),
    [
        (True, False, False, ask._agree),
        (True, True, True, ask._agree),
        (False, True, True, ask._ask_on_terminal),
        (False, False, True, None),
        (False, True, False, None),
        (False, False, False, None),
    ],
)
def test_who_is_asked(
    yes: bool, stdin: bool, stderr: bool, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody in a pipe."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: stdin))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: stderr))

    assert ask._person(yes=yes) is person


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("y\n", Reply("proceed")),
        ("n\n", Reply("cancel")),
        ("yes\n", Reply("proceed")),
        ("\n", Reply("cancel")),
    ],
)
async def test_a_person_replies_on_the_terminal(
    said: str, reply: Reply, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """By a letter or a word; the question stands on stderr."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))

    assert await ask._ask_on_terminal(TOOL) == reply
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "? May I?", '  web_search: "otter"', "  [y] yes [c] cancel the run Enter: no",
    ]  # fmt: skip


def test_only_what_a_person_can_use_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A plan of one question is the question; a call is told when it has ended."""
    words = words_for("otters", japanese=False)
    ended = events.ToolEnded("1", "web_search", {"query": "otter"}, "found", 2, ("tavily",), 7.0)
    for event in (
        events.Planned(("a",), "rule"),
        events.Planned(("a", "b"), "rule"),
        events.ToolStarted("1", "web_search", {"query": "otter"}),
        ended,
    ):
        ask._print_progress(event, words)

    assert capsys.readouterr().err.splitlines() == [
        f"{words.plan} a | b",
        'web_search: "otter" · tavily · 2 hits · 7 ms',
    ]


class FakeKensaku:
    """Answers with what it is given; notes what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, list[Any]()

    async def ask_events(self, question: str, **options: Any) -> AsyncIterator[Any]:
        self.asked.append((question, options))
        yield events.Planned(("a", "b"), "rule")
        yield SimpleNamespace(answer=self.answer)


class FakeNotice:
    """Notes when it is asked to be printed."""

    calls: ClassVar[list[Any]] = []

    def __init__(self, k: Any, route: Any) -> None:
        self.calls.append(route)

    def print_before(self) -> None:
        self.calls.append("before")

    def print_after(self, attempts: Any) -> None:
        self.calls.append(("after", attempts))


ANSWER = {
    "text": "Yes. [1]", "citations": (), "outcome": Outcome.FOUND, "attempts": (), "notes": ("n",),
    "reason": "", "doubt": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "changes", "status", "out", "err"),
    [
        ("", {}, 0, "Yes. [1]\n", ["note: n"]),
        ("", {"doubt": "doubtful"}, 0, "Yes. [1]\n", ["note: n", "doubtful"]),
        ("", {"text": None, "reason": "why"}, 1, "", ["note: n", "why"]),
        ("--json", {}, 0, '{"told":1}\n', ["note: n"]),
        ("--json", {"text": None, "reason": "why"}, 1, '{"told":1}\n', ["note: n", "why"]),
    ],
)
def test_an_answer_is_printed_with_what_is_to_be_said_of_it(
    line: str,
    changes: dict[str, Any],
    status: int,
    out: str,
    err: list[str],
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer alone on stdout; progress is for terminals."""
    answer = SimpleNamespace(**ANSWER | changes, to_dict=lambda: {"told": 1})
    k = FakeKensaku(answer)

    @asynccontextmanager
    async def open_client(settings: Any) -> AsyncIterator[FakeKensaku]:
        yield k

    monkeypatch.setattr(ask, "open_client", open_client)
    monkeypatch.setattr(ask, "KeylessNotice", FakeNotice)
    monkeypatch.setattr(FakeNotice, "calls", [])
    done = cli("ask", "sea", "otters", "--route", "tavily", *line.split())

    assert (done.status, done.out.replace(" ", ""), done.err.splitlines()) == (
        status, out.replace(" ", ""), err,
    )  # fmt: skip
    assert FakeNotice.calls == ["tavily", "before", ("after", ())]
    usual = {"model": None, "collection": None, "timeout": None, "cache": None, "person": None}
    assert k.asked == [("sea otters", usual | {"route": "tavily"})]
    given = ("--model", "v:m", "--collection", "c", "--timeout", "3", "--no-cache", "--yes")
    cli("ask", "otters", *given)
    assert k.asked[1] == (
        "otters",
        {"model": "v:m", "collection": "c", "route": None, "timeout": 3.0, "cache": False,
         "person": ask._agree},
    )  # fmt: skip
