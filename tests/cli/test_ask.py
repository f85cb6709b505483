"""`kensaku ask`: a cited answer on stdout, all else on stderr, exit status by what came of it."""

from __future__ import annotations

import pytest

from kensaku.testing import FakeUpstream, faults

from .conftest import Cli
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
    done = cli("ask", *QUESTION.split(), "--route", "tavily")

    assert done.status == 0
    assert done.out.startswith("Sea otters hold hands while they sleep, so that the current")
    assert "[1] (web) Sleep\n    https://a.example/1" in done.out
    assert "web_search" not in done.err


def test_json_has_exactly_the_promised_keys(up: FakeUpstream, cli: Cli) -> None:
    """On one line."""
    up.answers("tavily", HITS)
    done = cli("ask", QUESTION, "--route", "tavily", "--json")
    told = done.json

    assert (done.status, list(told), done.out.count("\n")) == (0, KEYS, 1)
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


def test_a_model_behind_a_url_writes(up: FakeUpstream, cli: Cli) -> None:
    """And one that is down is said; the extract stands."""
    model = {"KENSAKU_LLM_URL": f"{up.url}/llm", "KENSAKU_LLM_MODEL": "small"}
    up.answers("tavily", HITS)
    said = 'Otters hold hands [1: "Sea otters hold hands while they sleep"].'
    up.fails("llm", faults.wrong_shape({"choices": [{"message": {"content": said}}]}), times=1)
    written = cli("ask", QUESTION, "--route", "tavily", "--json", **model).json
    up.fails("llm", faults.status(500))
    down = cli("ask", QUESTION, "--route", "tavily", "--json", "--no-cache", **model)

    assert (written["answer"], written["written_by"]) == ("Otters hold hands. [1]", "small")
    assert written["usage"]["model_calls"] == 1
    assert down.json["written_by"] == "extract"
    assert "the model did not answer" in down.err
    assert len(up.asked("tavily")) == 2  # --no-cache


def test_a_terminal_sees_the_plan_and_tool_lines(up: FakeUpstream, terminal: Cli) -> None:
    """The tool, the query, who answered, hits and milliseconds; a plan of one is no line."""
    up.answers("tavily", HITS)
    one = terminal("ask", QUESTION, "--route", "tavily", "--yes", NO_COLOR="1")
    two = terminal("ask", "How do sea otters sleep? What do walruses eat?", "--yes", NO_COLOR="1")

    assert f'web_search: "{QUESTION}" · tavily · 2 hits · ' in one.err
    assert "Plan:" not in one.err
    assert "Plan: How do sea otters sleep? | What do walruses eat?" in two.err


def test_yes_agrees_to_tools_and_doubts(up: FakeUpstream, cli: Cli) -> None:
    """Without it, a tool that needs consent does not run in a pipe."""
    up.answers("tavily", HITS)
    words = ["ask", QUESTION, "--route", "tavily", "--json"]
    refused = cli(*words, KENSAKU_ASSISTANT_APPROVALS="web_search=ask", stdin="y\n")
    asked = len(up.asked("tavily"))
    agreed = cli(*words, "--yes", KENSAKU_ASSISTANT_APPROVALS="web_search=ask")

    assert (refused.status, refused.json["steps"][0]["outcome"]) == (1, "refused")
    assert (refused.json["outcome"], asked) == ("unavailable", 0)
    assert agreed.status == 0


@pytest.mark.parametrize(
    ("said", "agreed"), [("y\n", True), ("yes\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_person_at_the_terminal_is_asked(
    said: str, agreed: bool, up: FakeUpstream, terminal: Cli
) -> None:
    """By a letter or a word; the question, with what would be sent, stands on stderr."""
    up.answers("tavily", HITS)
    words = ["ask", QUESTION, "--route", "tavily"]
    done = terminal(*words, stdin=said, NO_COLOR="1", KENSAKU_ASSISTANT_APPROVALS="web_search=ask")

    assert f'\n  web_search: "{QUESTION}"\n' in done.err
    assert "[y] yes" in done.err
    assert (done.status, bool(up.asked("tavily")), bool(done.out)) == (not agreed, agreed, agreed)
