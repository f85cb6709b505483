"""`kensaku ask`: a cited answer on stdout, all else on stderr, exit status by what came of it."""

from __future__ import annotations

import json
import sys

import pytest

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
